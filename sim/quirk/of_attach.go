package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
	"joinmcast/spec"
)

// ofAttach are the quirks of when a QP is attached, and of attaching by hand.
var ofAttach = []Quirk{
	{
		Name:     "attach-at-join",
		Does:     "the QP is attached by the join, before its event is retrieved",
		CaughtBy: "JM-ATT-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.AttachesAtJoin = true },
	},
	{
		Name:     "attach-beyond-limit",
		Does:     "a group takes more QPs than max_mcast_qp_attach",
		CaughtBy: "JM-ATT-08",
		Note:     "the limit is not looked at, while with one-qp-more it is one off: whoever fills a group sees both",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Verbs.IgnoresGroupLimit = true },
	},
	{
		Name:     "attach-late-qp",
		Does:     "rdma_create_qp attaches the QP to what the id has joined before",
		CaughtBy: "JM-ATT-05",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.AttachesLateQP = true },
	},
	{
		Name:     "attach-only-once",
		Does:     "attaching a QP that is attached already is refused",
		CaughtBy: "JM-ATT-09",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.AttachesOnce = true },
	},
	{
		Name:     "attach-qp-of-join",
		Does:     "retrieving the JOIN event attaches the QP that the id had when it joined",
		CaughtBy: "JM-ATT-04",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.AttachesQPOfJoin = true },
	},
	{
		Name:     "attach-unchecked",
		Does:     "a QP can be attached to a GID that is not multicast",
		CaughtBy: "JM-ATT-07",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.AttachesUnchecked = true },
	},
	{
		Name:     "destroyed-qp-stays",
		Does:     "rdma_destroy_qp leaves the QP in the id",
		CaughtBy: "JM-ATT-06",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.KeepsDestroyedQP = true },
	},
	{
		Name:     "failed-attach-ends",
		Does:     "a failed attach ends the membership",
		CaughtBy: "JM-ATT-07",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.FailedAttachEnds = true },
	},
	{
		Name:     "leave-detaches-own-only",
		Does:     "leave detaches the QP only if the retrieval has attached it",
		CaughtBy: "JM-ATT-13",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesOwnOnly = true },
	},
	{
		Name:     "refused-attach-takes-room",
		Does:     "an attach that is refused for the limit of its group takes room there",
		CaughtBy: "JM-ATT-11",
		Note:     "a group holds too few here, and too many with attach-beyond-limit: whoever fills one sees both",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Verbs.RefusedTakesRoom = true },
	},
	{
		Name:     "skip-auto-attach",
		Does:     "retrieving the JOIN event does not attach the QP",
		CaughtBy: "JM-ATT-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SkipsAutoAttach = true },
	},
	{
		Name:     "attach-connected",
		Does:     "a QP of any type can be attached",
		CaughtBy: "JM-VRB-02",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Verbs.AttachesConnected = true },
	},
	{
		Name:     "attach-counted",
		Does:     "a QP that was attached twice must be detached twice",
		CaughtBy: "JM-VRB-03",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Verbs.CountsAttaches = true },
	},
	{
		Name:     "attach-minus-one",
		Does:     "ibv_attach_mcast and ibv_detach_mcast fail with -1 and errno",
		CaughtBy: "JM-VRB-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.VerbsReturnMinus = true },
	},
	{
		Name:     "detach-unattached-succeeds",
		Does:     "detaching a QP that is not attached returns 0",
		CaughtBy: "JM-VRB-08",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Verbs.DetachesUnattached = true },
	},
	{
		Name:     "ethernet-permissive-mlid",
		Does:     "MLID 0xFFFF is refused on Ethernet, as on InfiniBand",
		CaughtBy: "JM-VRB-06",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Verbs.RefusesPermissive = true },
	},
	{
		Name:     "iwarp-attach-enosys",
		Does:     "a device without multicast refuses to attach with ENOSYS",
		CaughtBy: "JM-VRB-05",
		On:       spec.IWARP,
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Verbs.LackIsENOSYS = true },
	},
}

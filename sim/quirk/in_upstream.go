package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// inUpstream are the defects of the versions that the simulated stack imitates. They are the profile Upstream, and
// each has a known issue.
var inUpstream = []Quirk{
	{
		Name:     "attach-error-becomes-eperm",
		Does:     "a join of a synchronous id whose attach failed gives EPERM, whatever the reason",
		CaughtBy: "JM-SYN-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncLosesErrno = true },
	},
	{
		Name:     "destroy-ep-leaks-qp",
		Does:     "rdma_destroy_ep of a member leaves its QP behind",
		CaughtBy: "JM-DST-13",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.DestroyEPLosesQP = true },
	},
	{
		Name:     "destroy-keeps-records",
		Does:     "rdma_destroy_id does not free what the library keeps of memberships",
		CaughtBy: "JM-DST-12",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.DestroyKeepsRecords = true },
	},
	{
		Name:     "errno-524",
		Does:     "a group that RoCEv2 has no MGID for is refused with 524, which errno.h does not know",
		CaughtBy: "JM-ARG-13",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LeaksENOTSUPP = true },
	},
	{
		Name:     "error-has-status-zero",
		Does:     "MULTICAST_ERROR of an id whose source address is gone has status 0",
		CaughtBy: "JM-EVT-14",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.TellsStatusZero = true },
	},
	{
		Name:     "first-leave-detaches",
		Does:     "the leave of one of two memberships of a group detaches the QP",
		CaughtBy: "JM-LV-11",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesShared = true },
	},
	{
		Name:     "leave-detaches-early",
		Does:     "a leave does not detach what another thread attaches meanwhile, by retrieving the event",
		CaughtBy: "JM-LV-32",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesEarly = true },
	},
	{
		Name:     "refused-bind-sticks",
		Does:     "an id that was refused an address without an RDMA device can be bound to no other",
		CaughtBy: "JM-BIND-21",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.RefusedBindSticks = true },
	},
	{
		Name:     "refused-join-leaks-igmp",
		Does:     "a join refused for the MTU leaves its IGMP membership behind",
		CaughtBy: "JM-CLEAN-03",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.RefusalLeaksIGMP = true },
	},
	{
		Name:     "rxe-filter-leak",
		Does:     "the last detach of a group leaves 33:33 and its low bits in the link-layer filter",
		CaughtBy: "JM-CLEAN-04",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LeaksLinkFilter = true },
	},
	{
		Name:     "sendonly-becomes-full",
		Does:     "without AF_IB in the kernel a send-only join becomes a full one",
		CaughtBy: "JM-EX-15",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SendOnlyBecomesFull = true },
	},
	{
		Name:     "short-buffer-is-malformed",
		Does:     "a datagram too long for its buffer ends the QP, with LOC_QP_OP_ERR",
		CaughtBy: "JM-DAT-20",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.BlamesShortBuffer = true },
	},
	{
		Name:     "sync-join-ignores-type",
		Does:     "a join of a synchronous id returns 0 when MULTICAST_ERROR has status 0",
		CaughtBy: "JM-SYN-04",
		apply: func(l *librdmacm.Deviations, k *kernel.Deviations) {
			l.SyncIgnoresType, k.TellsStatusZero = true, true
		},
	},
	{
		Name:     "sync-leave-hangs",
		Does:     "leave on a synchronous id waits for ever for the id's own event",
		CaughtBy: "JM-SYN-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncLeaveKeepsEvent = true },
	},
}

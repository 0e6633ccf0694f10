package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// inKernel are the quirks of the kernel storey and of the driver below it.
var inKernel = []Quirk{
	{
		Name:     "attach-only-once",
		Does:     "attaching a QP that is attached already is refused",
		CaughtBy: "JM-ATT-09",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.AttachesOnce = true },
	},
	{
		Name:     "attach-unchecked",
		Does:     "a QP can be attached to a GID that is not multicast",
		CaughtBy: "JM-ATT-07",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.AttachesUnchecked = true },
	},
	{
		Name:     "deliver-twice",
		Does:     "an attached QP gets every multicast datagram twice",
		CaughtBy: "JM-DAT-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.DeliversTwice = true },
	},
	{
		Name:     "drop-grh-length",
		Does:     "byte_len of a receive leaves the 40 bytes of the GRH out",
		CaughtBy: "JM-DAT-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.ForgetsGRHLength = true },
	},
	{
		Name:     "duplicate-event",
		Does:     "a join is followed by its event twice",
		CaughtBy: "JM-EVT-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.DuplicatesEvents = true },
	},
	{
		Name:     "igmp-leak",
		Does:     "a leave does not give the IGMP membership back",
		CaughtBy: "JM-CLEAN-03",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LeaksIGMP = true },
	},
	{
		Name:     "join-after-route",
		Does:     "a join after rdma_resolve_route is accepted",
		CaughtBy: "JM-BIND-08",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.JoinsAfterRoute = true },
	},
	{
		Name:     "join-unbound-succeeds",
		Does:     "a join on an id that is bound to no device returns 0, and no event follows",
		CaughtBy: "JM-BIND-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.JoinsUnbound = true },
	},
	{
		Name:     "kernel-warning",
		Does:     "a join writes a warning to the kernel's log and taints the kernel",
		CaughtBy: "JM-CLEAN-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.WarnsAtJoin = true },
	},
	{
		Name:     "lose-event",
		Does:     "a join returns 0 and no event follows",
		CaughtBy: "JM-EVT-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LosesEvents = true },
	},
	{
		Name:     "migrate-keeps-events",
		Does:     "unread events of an id that migrates stay on its old channel",
		CaughtBy: "JM-MIG-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.MigrateKeepsBack = true },
	},
	{
		Name:     "qp-leak-at-exit",
		Does:     "a QP outlives its process",
		CaughtBy: "JM-CLEAN-02",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.KeepsQPAtExit = true },
	},
	{
		Name:     "sendonly-igmp",
		Does:     "a send-only join makes the host a member by IGMP",
		CaughtBy: "JM-EX-10",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.SendOnlyReports = true },
	},
	{
		Name:     "wrong-mgid",
		Does:     "the MGID is not the group's",
		CaughtBy: "JM-MAP-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.MapsToWrongGroup = true },
	},
	{
		Name:     "leave-keeps-event",
		Does:     "a leave before the event is retrieved does not take the event back",
		CaughtBy: "JM-LV-06",
		apply: func(l *librdmacm.Deviations, k *kernel.Deviations) {
			l.KeepsFreedMemberships, k.LeaveKeepsEvents = true, true
		},
	},
}

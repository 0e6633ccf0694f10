package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// inLibrary are the quirks of the library storey.
var inLibrary = []Quirk{
	{
		Name:     "ack-lost",
		Does:     "the acknowledgement of a multicast event is never counted, so leave waits for ever",
		CaughtBy: "JM-LV-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LosesAcks = true },
	},
	{
		Name:     "ack-not-counted",
		Does:     "leave does not wait for the acknowledgement of a retrieved event",
		CaughtBy: "JM-LV-07",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveIgnoresAcks = true },
	},
	{
		Name:     "addr-not-copied",
		Does:     "a membership refers to the caller's sockaddr instead of a copy",
		CaughtBy: "JM-ARG-05",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.KeepsCallersAddr = true },
	},
	{
		Name:     "attach-at-join",
		Does:     "the QP is attached by the join, before its event is retrieved",
		CaughtBy: "JM-ATT-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.AttachesAtJoin = true },
	},
	{
		Name:     "destroy-does-not-wait",
		Does:     "rdma_destroy_id does not wait for the acknowledgement of a retrieved event",
		CaughtBy: "JM-DST-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.DestroyIgnoresAcks = true },
	},
	{
		Name:     "detach-on-wrong-group",
		Does:     "leave detaches the QP from the group that was joined first",
		CaughtBy: "JM-LV-17",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesOldest = true },
	},
	{
		Name:     "error-without-context",
		Does:     "MULTICAST_ERROR carries no context",
		CaughtBy: "JM-EVT-11",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.ErrorLosesContext = true },
	},
	{
		Name:     "failed-attach-untold",
		Does:     "an attach that failed is told as MULTICAST_JOIN",
		CaughtBy: "JM-EVT-12",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.HidesFailedAttach = true },
	},
	{
		Name:     "fifo-leave",
		Does:     "leave takes the oldest of two equal memberships",
		CaughtBy: "JM-LV-10",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeavesOldest = true },
	},
	{
		Name:     "leave-ignores-port",
		Does:     "leave compares addresses without their port",
		CaughtBy: "JM-LV-05",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveIgnoresPort = true },
	},
	{
		Name:     "leave-keeps-attached",
		Does:     "leave does not detach the QP",
		CaughtBy: "JM-LV-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveKeepsAttached = true },
	},
	{
		Name:     "leave-unknown-succeeds",
		Does:     "leave of a group that was never joined returns 0",
		CaughtBy: "JM-LV-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveAlwaysSucceeds = true },
	},
	{
		Name:     "lose-context",
		Does:     "multicast events carry no context",
		CaughtBy: "JM-EVT-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LosesContext = true },
	},
	{
		Name:     "mask-after-address",
		Does:     "rdma_join_multicast_ex looks at the address before the mask",
		CaughtBy: "JM-EX-06",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LooksAtAddrFirst = true },
	},
	{
		Name:     "migrate-does-not-wait",
		Does:     "rdma_migrate_id does not wait for the acknowledgement of a retrieved event",
		CaughtBy: "JM-MIG-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.MigrateIgnoresAcks = true },
	},
	{
		Name:     "negative-errno",
		Does:     "a failing call returns -errno instead of -1",
		CaughtBy: "JM-RET-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.ReturnsNegativeErrno = true },
	},
	{
		Name:     "refused-join-stays",
		Does:     "a join that the kernel refused can be left",
		CaughtBy: "JM-LV-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.KeepsRefusedJoins = true },
	},
	{
		Name:     "sendonly-attaches",
		Does:     "a send-only join attaches the QP",
		CaughtBy: "JM-EX-09",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SendOnlyAttaches = true },
	},
	{
		Name:     "skip-auto-attach",
		Does:     "retrieving the JOIN event does not attach the QP",
		CaughtBy: "JM-ATT-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SkipsAutoAttach = true },
	},
	{
		Name:     "sync-join-returns-early",
		Does:     "a join on a synchronous id returns before its event",
		CaughtBy: "JM-SYN-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncJoinReturnsEarly = true },
	},
}

package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
	"joinmcast/spec"
)

// ofLeave are the quirks of how a membership ends.
var ofLeave = []Quirk{
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
		Name:     "deliver-after-detach",
		Does:     "a QP that is detached still gets what comes for the group",
		CaughtBy: "JM-LV-20",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Verbs.KeepsDelivering = true },
	},
	{
		Name:     "detach-on-wrong-group",
		Does:     "leave detaches the QP from the group that was joined first",
		CaughtBy: "JM-LV-17",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesOldest = true },
	},
	{
		Name:     "early-leave-detaches",
		Does:     "leave before the event is retrieved detaches the QP from the group of the address",
		CaughtBy: "JM-LV-21",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesByAddr = true },
	},
	{
		Name:     "early-leave-waits",
		Does:     "leave before the event is retrieved waits for the retrieval",
		CaughtBy: "JM-LV-06",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveAwaitsRetrieval = true },
	},
	{
		Name:     "error-needs-no-ack",
		Does:     "leave does not wait for the acknowledgement of MULTICAST_ERROR",
		CaughtBy: "JM-LV-22",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.ErrorNeedsNoAck = true },
	},
	{
		Name:     "fifo-leave",
		Does:     "leave takes the oldest of two equal memberships",
		CaughtBy: "JM-LV-10",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeavesOldest = true },
	},
	{
		Name:     "igmp-once-per-id",
		Does:     "all memberships of one id in one group are one IGMP user, of the first of them",
		CaughtBy: "JM-LV-18",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Leave.CountsOnce = true },
	},
	{
		Name:     "ipv6-leave-ignores-scope",
		Does:     "leave compares IPv6 addresses without scope and flow information",
		CaughtBy: "JM-LV-28",
		On:       spec.InfiniBand,
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveIgnoresScope = true },
	},
	{
		Name:     "leave-any-handle",
		Does:     "a membership can be left by a file that it is not of",
		CaughtBy: "JM-LV-23",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Leave.TakesAnyFile = true },
	},
	{
		Name:     "leave-awaits-all-events",
		Does:     "leave waits for the acknowledgement of every event of the id",
		CaughtBy: "JM-LV-09",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveAwaitsAllEvents = true },
	},
	{
		Name:     "leave-by-mgid",
		Does:     "leave finds a membership by its MGID too",
		CaughtBy: "JM-LV-29",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveFindsMGID = true },
	},
	{
		Name:     "leave-ends-all-equal",
		Does:     "leave ends every membership of its address",
		CaughtBy: "JM-LV-11",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeavesAllEqual = true },
	},
	{
		Name:     "leave-ends-igmp",
		Does:     "a leave ends the IGMP membership of its group, however many users that has",
		CaughtBy: "JM-LV-27",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Leave.EndsIGMP = true },
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
		Name:     "leave-keeps-event",
		Does:     "a leave before the event is retrieved does not take the event back",
		CaughtBy: "JM-LV-06",
		apply: func(l *librdmacm.Deviations, k *kernel.Deviations) {
			l.KeepsFreedMemberships, k.LeaveKeepsEvents = true, true
		},
	},
	{
		Name:     "leave-keeps-listed",
		Does:     "leave does not forget the membership",
		CaughtBy: "JM-LV-33",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveKeepsListed = true },
	},
	{
		Name:     "leave-misses-wake-up",
		Does:     "a leave that waits is not woken when there was a join meanwhile",
		CaughtBy: "JM-LV-25",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveMissesWakeUp = true },
	},
	{
		Name:     "leave-needs-qp",
		Does:     "leave fails when the QP that the retrieval attached is gone",
		CaughtBy: "JM-LV-12",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveNeedsQP = true },
	},
	{
		Name:     "leave-null-not-found",
		Does:     "leave of NULL fails as that of a group which was never joined",
		CaughtBy: "JM-LV-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveOfNullNotFound = true },
	},
	{
		Name:     "leave-tells-detach",
		Does:     "leave fails when the detach does",
		CaughtBy: "JM-LV-13",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveTellsDetach = true },
	},
	{
		Name:     "leave-unknown-succeeds",
		Does:     "leave of a group that was never joined returns 0",
		CaughtBy: "JM-LV-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveAlwaysSucceeds = true },
	},
	{
		Name:     "leave-unlists-late",
		Does:     "a membership can be found until the kernel has ended it, by another leave too",
		CaughtBy: "JM-LV-31",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveUnlistsLate = true },
	},
	{
		Name:     "leave-wrong-igmp",
		Does:     "a leave takes a user off the IGMP membership of the id's newest group",
		CaughtBy: "JM-LV-27",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Leave.TakesNewest = true },
	},
	{
		Name:     "refused-join-stays",
		Does:     "a join that the kernel refused can be left",
		CaughtBy: "JM-LV-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.KeepsRefusedJoins = true },
	},
	{
		Name:     "rocev1-leave-ends-igmp",
		Does:     "the leave of a RoCEv1 group ends the host's IGMP membership",
		CaughtBy: "JM-LV-30",
		On:       spec.RoCEv1,
		apply: func(_ *librdmacm.Deviations, k *kernel.Deviations) {
			k.LeaveUnreportsOthers, k.Leave.EndsIGMP = true, true
		},
	},
	{
		Name:     "sendonly-leave-detaches",
		Does:     "leave of a send-only membership detaches the QP",
		CaughtBy: "JM-LV-14",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesSendOnly = true },
	},
}

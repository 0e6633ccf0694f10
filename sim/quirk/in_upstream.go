package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
	"joinmcast/spec"
)

// inUpstream are the defects of upstream's kernels and libraries. Each is one known issue, or several that have one
// cause; which versions have it, those say.
var inUpstream = []Quirk{
	{
		Name:     "ah-from-the-stack",
		Does:     "the traffic class of a JOIN event is whatever stood on the kernel's stack",
		CaughtBy: "JM-EVT-10",
		Shows:    []string{"KI-CM-STACK"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.TellsItsStack = true },
	},
	{
		Name:     "attach-error-becomes-eperm",
		Does:     "a join of a synchronous id whose attach failed gives EPERM, whatever the reason",
		CaughtBy: "JM-SYN-02",
		Shows:    []string{"KI-LIB-SYNC-EPERM"},
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncLosesErrno = true },
	},
	{
		Name:     "destroy-ep-leaks-qp",
		Does:     "rdma_destroy_ep of a member leaves its QP behind",
		CaughtBy: "JM-DST-13",
		Shows:    []string{"KI-LIB-DESTROY-EP-LOSES-QP"},
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.DestroyEPLosesQP = true },
	},
	{
		Name:     "destroy-keeps-records",
		Does:     "rdma_destroy_id does not free what the library keeps of memberships",
		CaughtBy: "JM-DST-12",
		Shows:    []string{"KI-LIB-DESTROY-KEEPS-RECORDS"},
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.DestroyKeepsRecords = true },
	},
	{
		Name:     "errno-524",
		Does:     "a group that RoCEv2 has no MGID for is refused with 524, which errno.h does not know",
		CaughtBy: "JM-ARG-13",
		Shows:    []string{"KI-CM-524-IPV6", "KI-CM-524-IB", "KI-CM-524-MAPPED"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LeaksENOTSUPP = true },
	},
	{
		Name:     "error-has-status-zero",
		Does:     "MULTICAST_ERROR of an id whose source address is gone has status 0",
		CaughtBy: "JM-EVT-14",
		Shows:    []string{"KI-CM-ERROR-STATUS"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.TellsStatusZero = true },
	},
	{
		Name:     "first-leave-detaches",
		Does:     "the leave of one of two memberships of a group detaches the QP",
		CaughtBy: "JM-LV-11",
		Shows:    []string{"KI-LIB-FIRST-LEAVE-DETACHES"},
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesShared = true },
	},
	{
		Name:     "leave-detaches-early",
		Does:     "a leave does not detach what another thread attaches meanwhile, by retrieving the event",
		CaughtBy: "JM-LV-32",
		Shows:    []string{"KI-LIB-LEAVE-DETACHES-EARLY"},
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveDetachesEarly = true },
	},
	{
		Name:     "migrate-wakes-nobody",
		Does:     "a thread that sleeps on a channel sleeps on when an id brings an unread event to it",
		CaughtBy: "JM-MIG-04",
		Shows:    []string{"KI-CM-MIGRATE-WAKES-NOBODY"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.MigrateWakesNobody = true },
	},
	{
		Name:     "refused-bind-sticks",
		Does:     "an id that was refused an address without an RDMA device can be bound to no other",
		CaughtBy: "JM-BIND-21",
		Shows:    []string{"KI-CM-BIND-STICKS"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.RefusedBindSticks = true },
	},
	{
		Name:     "refused-join-leaks-igmp",
		Does:     "a join refused for the MTU leaves its IGMP membership behind",
		CaughtBy: "JM-CLEAN-03",
		Shows:    []string{"KI-CM-MTU-IGMP", "KI-CM-MTU-FILTER"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.RefusalLeaksIGMP = true },
	},
	{
		Name:     "rocev1-leave-drops-igmp",
		Does:     "the leave of a RoCEv1 group takes a membership by IGMP away that its join had not made",
		CaughtBy: "JM-LV-30",
		On:       spec.RoCEv1,
		Shows: []string{
			"KI-CM-V1-LEAVE", "KI-CM-V1-LEAVE-IGMP", "KI-CM-V1-LEAVE-FILTER", "KI-CM-V1-ALLHOSTS-IGMP",
			"KI-CM-V1-ALLHOSTS-FILTER",
		},
		apply: func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LeaveUnreportsOthers = true },
	},
	{
		Name:     "route-loses-join",
		Does:     "the resolution of a route loses the unread event of a join",
		CaughtBy: "JM-EVT-24",
		Shows:    []string{"KI-CM-ROUTE-LOSES-JOIN"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.RouteLosesJoins = true },
	},
	{
		Name:     "rxe-filter-leak",
		Does:     "the last detach of a group leaves 33:33 and its low bits in the link-layer filter",
		CaughtBy: "JM-CLEAN-04",
		Shows:    []string{"KI-RXE-FILTER"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LeaksLinkFilter = true },
	},
	{
		Name:     "sendonly-asks-nobody",
		Does:     "a send-only join right after an event of the subnet is refused, before the subnet manager is asked",
		CaughtBy: "JM-EX-13",
		Shows:    []string{"KI-CM-SENDONLY-GUESS"},
		On:       spec.InfiniBand,
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.GuessesSendOnly = true },
	},
	{
		Name:     "sendonly-becomes-full",
		Does:     "without AF_IB in the kernel a send-only join becomes a full one",
		CaughtBy: "JM-EX-15",
		Shows:    []string{"KI-LIB-SENDONLY-FULL"},
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SendOnlyBecomesFull = true },
	},
	{
		Name:     "sendonly-leave-igmp",
		Does:     "the end of a send-only membership takes a full member's IGMP membership away",
		CaughtBy: "JM-EX-16",
		Shows:    []string{"KI-CM-SENDONLY-LEAVE"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.SendOnlyUnreports = true },
	},
	{
		Name:     "short-buffer-is-malformed",
		Does:     "a datagram too long for its buffer ends the QP, with LOC_QP_OP_ERR",
		CaughtBy: "JM-DAT-20",
		Shows:    []string{"KI-RXE-LENGTH"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.BlamesShortBuffer = true },
	},
	{
		Name:     "sync-join-ignores-type",
		Does:     "a join of a synchronous id returns 0 when MULTICAST_ERROR has status 0",
		CaughtBy: "JM-SYN-04",
		Shows:    []string{"KI-LIB-SYNC-ERROR"},
		Beside:   "error-has-status-zero",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncIgnoresType = true },
	},
	{
		Name:     "sync-leave-hangs",
		Does:     "leave on a synchronous id waits for ever for the id's own event",
		CaughtBy: "JM-SYN-03",
		Shows:    []string{"KI-LIB-SYNC-LEAVE"},
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncLeaveKeepsEvent = true },
	},
	{
		Name:     "tcp-may-join",
		Does:     "a join on an RDMA_PS_TCP id is accepted",
		CaughtBy: "JM-PS-02",
		Shows:    []string{"KI-CM-TCP-JOINS", "KI-CM-RC-JOINS"},
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.JoinsTCP = true },
	},
	{
		Name:     "two-mlids-lose-qp",
		Does:     "the end of a process leaves a QP behind that is attached to a group by two MLIDs, with a warning",
		CaughtBy: "JM-DST-17",
		Shows: []string{
			"KI-RXE-TWO-MLIDS", "KI-RXE-TWO-MLIDS-LOG", "KI-RXE-TWO-MLIDS-RESOURCES", "KI-RXE-TWO-MLIDS-NO-PD",
		},
		apply: func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LosesQPsOfTwoMLIDs = true },
	},
}

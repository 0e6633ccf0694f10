package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// ofEvents are the quirks of what is told, by events and by what a call returns.
var ofEvents = []Quirk{
	{
		Name:     "context-has-length",
		Does:     "private_data_len is the size of a pointer",
		CaughtBy: "JM-EVT-04",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.TellsContextLength = true },
	},
	{
		Name:     "context-of-newest",
		Does:     "the context of an event is that of the newest membership of its id",
		CaughtBy: "JM-EVT-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.TellsNewestContext = true },
	},
	{
		Name:     "duplicate-event",
		Does:     "a join is followed by its event twice",
		CaughtBy: "JM-EVT-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.DuplicatesEvents = true },
	},
	{
		Name:     "error-without-context",
		Does:     "MULTICAST_ERROR carries no context",
		CaughtBy: "JM-EVT-11",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.ErrorLosesContext = true },
	},
	{
		Name:     "event-flow-label",
		Does:     "a JOIN event has a flow label, for the UDP source port to be made of",
		CaughtBy: "JM-EVT-10",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.HasFlowLabel = true },
	},
	{
		Name:     "event-hop-limit-one",
		Does:     "the hop limit of a RoCEv2 group is 1",
		CaughtBy: "JM-EVT-09",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.StaysInSubnet = true },
	},
	{
		Name:     "event-without-port",
		Does:     "the port_num of a JOIN event is 0",
		CaughtBy: "JM-EVT-07",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.LacksPort = true },
	},
	{
		Name:     "event-without-qkey",
		Does:     "the qkey of a JOIN event is 0",
		CaughtBy: "JM-EVT-06",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.LacksQKey = true },
	},
	{
		Name:     "event-without-qpn",
		Does:     "the qp_num of a JOIN event is 0",
		CaughtBy: "JM-EVT-05",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.LacksQPNum = true },
	},
	{
		Name:     "event-without-source",
		Does:     "the sgid_index of a JOIN event is beyond the GID table",
		CaughtBy: "JM-EVT-08",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.LacksSource = true },
	},
	{
		Name:     "failed-attach-fails-get",
		Does:     "the retrieval of the event of a failed attach fails",
		CaughtBy: "JM-EVT-12",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.FailedAttachFailsGet = true },
	},
	{
		Name:     "failed-attach-status-zero",
		Does:     "the MULTICAST_ERROR of a failed attach has status 0",
		CaughtBy: "JM-EVT-12",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.FailedAttachIsStatus0 = true },
	},
	{
		Name:     "failed-attach-untold",
		Does:     "an attach that failed is told as MULTICAST_JOIN",
		CaughtBy: "JM-EVT-12",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.HidesFailedAttach = true },
	},
	{
		Name:     "failure-is-join",
		Does:     "a join that the kernel failed under way is told as MULTICAST_JOIN",
		CaughtBy: "JM-EVT-14",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.FailureIsJoin = true },
	},
	{
		Name:     "empty-is-enodata",
		Does:     "rdma_get_cm_event fails with ENODATA when there is no event and O_NONBLOCK",
		CaughtBy: "JM-EVT-16",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.EmptyIsENODATA = true },
	},
	{
		Name:     "listen-id-told",
		Does:     "an event names its id as the listening id too",
		CaughtBy: "JM-EVT-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.TellsListenID = true },
	},
	{
		Name:     "lose-context",
		Does:     "multicast events carry no context",
		CaughtBy: "JM-EVT-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LosesContext = true },
	},
	{
		Name:     "lose-event",
		Does:     "a join returns 0 and no event follows",
		CaughtBy: "JM-EVT-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LosesEvents = true },
	},
	{
		Name:     "removal-untold",
		Does:     "no id is told that its device goes",
		CaughtBy: "JM-EVT-26",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.HidesRemoval = true },
	},
	{
		Name:     "removed-id-stays",
		Does:     "an id whose device is gone cannot be destroyed",
		CaughtBy: "JM-EVT-26",
		Note:     "one requirement tells of the device that goes: removal-untold breaks its first half, this its second",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.RemovedStays = true },
	},
	{
		Name:     "calloc-unchecked",
		Does:     "a join writes into the memory that it was not given",
		CaughtBy: "JM-RET-04",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.IgnoresNoMemory = true },
	},
	{
		Name:     "leave-returns-errno",
		Does:     "leave fails with the errno itself, as calls of libibverbs do",
		CaughtBy: "JM-RET-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeaveReturnsErrno = true },
	},
	{
		Name:     "lost-answer-keeps-join",
		Does:     "a join whose answer cannot be copied out goes on",
		CaughtBy: "JM-RET-05",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.KeepsLostAnswers = true },
	},
	{
		Name:     "negative-errno",
		Does:     "a failing call returns -errno instead of -1",
		CaughtBy: "JM-RET-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.ReturnsNegativeErrno = true },
	},
	{
		Name:     "poll-misses-event",
		Does:     "poll(2) never tells of an event",
		CaughtBy: "JM-RET-02",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.PollMisses = true },
	},
	{
		Name:     "status-positive",
		Does:     "the status of a failure that the kernel found is a positive errno",
		CaughtBy: "JM-RET-07",
		Note:     "resolve-any-device leaves no ADDR_ERROR whose status could be judged; here one comes, with a wrong status",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.Event.StatusPositive = true },
	},
	{
		Name:     "write-error-lost",
		Does:     "a join whose command cannot be written fails with ENODATA",
		CaughtBy: "JM-RET-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LosesWriteError = true },
	},
}

package librdmacm

// Deviations are the ways in which the library can be told to break the law, one at a time. The zero value keeps it.
type Deviations struct {
	// Joins.
	ReturnsNegativeErrno  bool // a failure returns -errno instead of -1
	KeepsCallersAddr      bool // a membership refers to the caller's sockaddr instead of a copy
	KeepsRefusedJoins     bool // a join that the kernel refused stays in the list
	LosesWriteError       bool // that the channel's file cannot be written is told as ENODATA
	IgnoresNoMemory       bool // a join uses the memory that it was not given
	TellsNoDeviceAsNoCall bool // without an RDMA device the errno is ENOSYS
	OpensChannelsAnywhere bool // a channel is made although there is no RDMA device

	// Addresses, and ids with their endpoints and queue pairs.
	DereferencesNULL bool // a join looks into its address, NULL or not
	NamesOddFamily   bool // a join of an odd family fails with EAFNOSUPPORT
	TakesAFIB        bool // the kernel is taken to know AF_IB, whatever it answered
	LeavesRouteOpen  bool // rdma_create_ep resolves the address and not the route
	HearsItself      bool // IBV_QP_CREATE_BLOCK_SELF_MCAST_LB is taken and makes no difference

	// When the QP is attached.
	SkipsAutoAttach  bool // retrieving the JOIN event attaches nothing
	AttachesAtJoin   bool // the QP is attached by the join itself
	AttachesQPOfJoin bool // retrieving attaches the QP that the id had when it joined
	AttachesLateQP   bool // rdma_create_qp attaches the QP to what has been joined before
	KeepsDestroyedQP bool // rdma_destroy_qp leaves id->qp as it was
	FailedAttachEnds bool // an attach that failed ends the membership
	VerbsReturnMinus bool // ibv_attach_mcast and ibv_detach_mcast fail with -1

	// Events.
	LosesContext          bool // multicast events carry no context
	ErrorLosesContext     bool // only JOIN events carry a context
	TellsNewestContext    bool // the context is that of the id's newest membership
	TellsContextLength    bool // the context has the length of a pointer
	TellsListenID         bool // the id is told as the listening id too
	HidesFailedAttach     bool // an attach that failed is told as JOIN
	FailedAttachFailsGet  bool // an attach that failed makes the retrieval fail
	FailedAttachIsStatus0 bool // an attach that failed is told with status 0
	EmptyIsENODATA        bool // where there is no event and O_NONBLOCK, the retrieval fails with ENODATA

	// rdma_join_multicast_ex.
	SendOnlyAttaches   bool // a send-only join attaches too
	LooksAtAddrFirst   bool // the address is looked at before the mask
	UnknownBitIsEINVAL bool // a bit that nobody knows is refused with EINVAL
	AddrBitIsOptional  bool // a mask without the address bit is taken
	FlagsBitIsOptional bool // a mask without the flags bit is taken
	TruncatesFlags     bool // only 16 bits of the flags are looked at
	TrustsAddr         bool // the address is read without a look whether there is one
	SwapsFlags         bool // 0 asks for a send-only membership, 1 for a full one
	RefusesSendOnly    bool // no send-only member is taken
	PretendsSendOnly   bool // without AF_IB in the kernel a send-only join returns 0 and does nothing

	// Leaves.
	LeaveIgnoresAcks      bool // leave does not wait for acknowledgements
	LosesAcks             bool // acknowledgements of multicast events are not counted
	LeaveKeepsAttached    bool // leave does not detach the QP
	LeaveDetachesOldest   bool // leave detaches the QP from the group that was joined first
	LeaveDetachesOwnOnly  bool // leave detaches only what the retrieval has attached
	LeaveDetachesByAddr   bool // leave before the retrieval detaches from the group that the address stands for
	LeaveDetachesSendOnly bool // leave of a send-only membership detaches too
	LeaveTellsDetach      bool // leave fails when the detach does
	LeaveNeedsQP          bool // leave fails when the QP that the retrieval attached is gone
	LeaveIgnoresPort      bool // leave compares addresses without their port
	LeaveIgnoresScope     bool // leave compares IPv6 addresses without scope and flow information
	LeaveFindsMGID        bool // leave finds a membership by its MGID too
	LeavesOldest          bool // leave takes the oldest of equal memberships
	LeavesAllEqual        bool // leave ends every membership of the address
	LeaveAlwaysSucceeds   bool // leave of no membership answers success
	LeaveOfNullNotFound   bool // leave of NULL is told as a group that was not joined
	LeaveKeepsListed      bool // leave does not take the membership off the id's list
	LeaveUnlistsLate      bool // leave takes the membership off the list when the kernel has ended it
	LeaveAwaitsAllEvents  bool // leave waits for the acknowledgement of all of the id's events
	LeaveAwaitsRetrieval  bool // leave waits until the event has been retrieved
	LeaveMissesWakeUp     bool // leave sleeps on when there was a join while it slept
	ErrorNeedsNoAck       bool // leave does not wait for the acknowledgement of MULTICAST_ERROR
	LeaveReturnsErrno     bool // leave fails with the errno itself, positive
	KeepsFreedMemberships bool // events of a membership that was left are still told

	// Synchronous ids.
	SyncJoinReturnsEarly  bool // a join does not wait for its event
	SyncJoinDropsEvent    bool // a join acknowledges its event
	SyncHidesFailedAttach bool // a join whose attach failed returns 0
	SyncErrnoIsNegative   bool // errno is the status of the event as it is
	SyncRefusedJoinWaits  bool // a join that was refused waits for its event all the same
	SyncLeaveRefused      bool // leave fails while the id holds an event
	SyncAckUncounted      bool // the caller's acknowledgement of the id's event is not counted
	SyncDestroyKeepsEvent bool // rdma_destroy_id does not acknowledge the id's event

	// rdma_destroy_id and rdma_migrate_id.
	DestroyIgnoresAcks  bool // rdma_destroy_id does not wait for acknowledgements
	MigrateIgnoresAcks  bool // rdma_migrate_id does not wait for acknowledgements
	MigrateNeedsChannel bool // rdma_migrate_id refuses NULL for a channel
	MigrateStaysAsync   bool // rdma_migrate_id to NULL gives a channel, and the id waits for nothing

	// What upstream's does.
	SyncLosesErrno      bool // a failed attach makes the join of a synchronous id fail with EPERM
	SyncIgnoresType     bool // a synchronous id judges an event by its status alone
	SyncLeaveKeepsEvent bool // leave does not acknowledge a synchronous id's own event, and waits for that for ever
	LeaveDetachesEarly  bool // leave does not detach what another thread's retrieval attaches meanwhile
	LeaveDetachesShared bool // leave detaches the QP although another membership of the group remains
	SendOnlyBecomesFull bool // without AF_IB in the kernel a send-only join becomes a full one
	DestroyKeepsRecords bool // rdma_destroy_id does not free the id's memberships
	DestroyEPLosesQP    bool // rdma_destroy_ep does not detach the QP, which stays behind then
}

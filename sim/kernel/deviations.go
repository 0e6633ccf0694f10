package kernel

// AddressDeviations are those about the address of a join and about the port space of its id.
type AddressDeviations struct {
	JoinsZero           bool // RoCE joins the zero address as any other
	JoinsIPv6           bool // RoCEv2 joins a group of IPv6
	JoinsMapped         bool // RoCEv2 joins a v4-mapped group of IPv6 as the IPv4 one
	JoinsGIDs           bool // RoCEv2 joins an AF_IB address
	RefusesIPv6         bool // RoCEv1 refuses a group of IPv6
	RefusesHostsGroups  bool // a group that the host is in is refused with EADDRINUSE
	IgnoresMTU          bool // a network device too small for any InfiniBand MTU joins all the same
	IgnoresSize         bool // addr_size of a raw join may be anything
	AttachesMapped      bool // a QP attaches to every v4-mapped GID
	AttachesClassE      bool // a QP attaches to v4-mapped GIDs from 240.0.0.0 on
	JoinsRCOfPSIB       bool // a join on an RC id of RDMA_PS_IB is accepted
	RefusesRCOtherwise  bool // a join on an RC id fails with EOPNOTSUPP
	ForgetsQKeyOfPSIB   bool // a UD id of RDMA_PS_IB has the queue key 0
	BindsIPoIBAnywhere  bool // an id of RDMA_PS_IPOIB binds to an Ethernet device
	JoinsNothingOnIWARP bool // a join on iWARP succeeds, and no event follows
}

// BindingDeviations are those about what an id is bound to.
type BindingDeviations struct {
	BindsWildcard     bool // the wildcard address binds an id to the host's first device
	BindsLoopback     bool // the loopback address does
	BindsTwice        bool // an id that is bound can be bound again
	BlamesAddress     bool // an address without an RDMA device is refused as one that is not local, with EADDRNOTAVAIL
	NeedsResolution   bool // an id joins only once an address is resolved
	JoinsListening    bool // an id that listens joins
	JoinsOwnFamily    bool // an id joins groups of its own address' family alone
	NeedsRoute        bool // a group is resolved by its route, a source address or not
	IgnoresRoutes     bool // routes that an administrator has added lead nowhere
	TellsNoRouteLater bool // that there is no route is told by ADDR_ERROR
	TakesAnyDevice    bool // when the route leads through no RDMA device, the host's first one is taken
	FollowsRoute      bool // the IGMP membership is made where the route to the group leads
	JoinsParent       bool // the IGMP membership of a VLAN is made on its parent
}

// MappingDeviations are those about the MGID and the link-layer address that a group has on RoCE.
type MappingDeviations struct {
	MapsPort     bool // the port number goes into the MGID
	MapsMACBits  bool // the MGID has no more of an IPv4 address than the link-layer address has
	MapsAsRoCEv2 bool // an IPv4 group has on RoCEv1 the MGID of RoCEv2
	CutsIPv6     bool // the MGID of an IPv6 group on RoCEv1 is made of the address' last 32 bits, as of an IPv4 one
	KeepsMAC     bool // a leave does not take the group's link-layer address out of the filter
	LeavesByMode bool // a leave gives no IGMP membership back while the port's mode is RoCEv1, whatever it was
}

// DatagramDeviations are those about datagrams.
type DatagramDeviations struct {
	DeliversToFirst bool // of the QPs of a group one gets a datagram
	MixesTwins      bool // the QPs of all groups with the same link-layer address get a datagram
	AttachesTwice   bool // a QP gets a copy for each of its attaches
	LoopsNothing    bool // a host does not hear itself
	MembersOnly     bool // what a host sends to a group that it is no member of does not leave it
	ForgetsTag      bool // what is sent from a VLAN has no tag
	DropsEmpty      bool // a datagram without payload is dropped
	CountsPad       bool // the length of a receive has the pad bytes in it
	CutsMTU         bool // a payload of the whole MTU does not fit
	Truncates       bool // a payload longer than the MTU is cut off there
	FillsShort      bool // a buffer that is too short gets as much as it holds
	NeedsBuffer     bool // a datagram that finds no buffer is the end of the QP
	IgnoresQKey     bool // any queue key will do
	SwapsHeader     bool // source and destination of the received header are swapped
	KeepsHeader     bool // the header of a QP's first receive is that of all that follow
	KeepsImm        bool // a receive without immediate data tells those of the one before
	LosesZeroImm    bool // immediate data 0 are none
	NamesReceiver   bool // src_qp is the receiver's own number
	DiesWithLink    bool // the groups of a network device do not outlive its being down
}

// LimitDeviations are those about limits.
type LimitDeviations struct {
	OneQPMore    bool // a group takes a QP more than the device tells
	OneGroupMore bool // the device takes a group more than it tells
	KeepsPlaces  bool // a QP that is detached keeps its place in its group
	KeepsGroups  bool // a group without a QP goes on counting
	FullIsEINVAL bool // a full group is refused with EINVAL
	OfASocket    bool // an id joins as many groups as a socket does
}

// EndingDeviations are those about the end of ids, QPs and processes.
type EndingDeviations struct {
	LeavesNewest    bool // the end of an id leaves the group it joined last, and no other
	KeepsUnread     bool // the end of an id does not leave a group whose event is unread
	CloseKeepsAll   bool // the end of a process leaves no group
	CloseWarns      bool // the end of a process with unread events is warned of
	KeepsEvents     bool // the unread events of an id outlive it
	HoldsGID        bool // an id that ends before its join is told holds its device back, with a warning
	FreesAttached   bool // a QP that is attached can be destroyed
	DatagramsHold   bool // a QP that has received a multicast datagram is never freed
	KeepsPDAtExit   bool // a protection domain outlives its process
	KeepsMACsAtExit bool // the end of a process leaves the link-layer addresses of its QPs' groups in the filter
}

// EventDeviations are those of what is told to ids, and of how a program hears of it.
type EventDeviations struct {
	LacksQPNum     bool // a JOIN event has no QP number
	LacksQKey      bool // a JOIN event has no queue key
	LacksPort      bool // a JOIN event has no port
	LacksSource    bool // a JOIN event's place in the GID table is beyond it
	StaysInSubnet  bool // a JOIN event's hop limit is 1
	HasFlowLabel   bool // a JOIN event has a flow label
	FailureIsJoin  bool // a join that failed is told as MULTICAST_JOIN
	StatusPositive bool // the status of a failure is positive
	HidesRemoval   bool // the removal of a device is not told to its ids
	PollMisses     bool // poll(2) never returns
}

// change makes of a JOIN event what the deviations make of it.
func (d *EventDeviations) change(e *cmEvent) {
	if d.LacksQPNum {
		e.QPNum = 0
	}
	if d.LacksQKey {
		e.QKey = 0
	}
	if d.LacksPort {
		e.AH.PortNum = 0
	}
	if d.LacksSource {
		e.AH.GRH.SGIDIndex = 0xff
	}
	if d.StaysInSubnet {
		e.AH.GRH.HopLimit = 1
	}
	if d.HasFlowLabel {
		e.AH.GRH.FlowLabel = 0x12345
	}
}

// status is the status of an event.
func (d *EventDeviations) status(negative int) int {
	if d.StatusPositive {
		return -negative
	}
	return negative
}

// LeaveDeviations are those of the ends of memberships.
type LeaveDeviations struct {
	TakesAnyFile bool // a membership can be left by another file than its own
	EndsIGMP     bool // a leave takes all users off the group's IGMP membership
	TakesNewest  bool // a leave takes a user off the IGMP membership of the id's newest group
	CountsOnce   bool // all memberships of one id in one group are one IGMP user, of the first of them
}

// FileDeviations are those of the rdma_cm device's open files.
type FileDeviations struct {
	MigrateKeepsLater   bool // the events of an id go to the file on which it was made
	MigrateLosesUnread  bool // unread events of an id that migrates are lost
	MigrateWakesAlways  bool // an id that comes ends the sleep of who waits for an event, though it brings none
	MigrateKeepsMembers bool // a membership can be left on the file of its join alone
	ChildInherits       bool // a child may write to its parent's files
	ForgivesReturn      bool // a process that is its old user again may write again
	UnknownIsENOSYS     bool // a command that is none is refused with ENOSYS
	KeepsLostAnswers    bool // a join whose answer cannot be written is not taken back
	TellsRefusedJoins   bool // a join that is refused for want of a device is told as MULTICAST_ERROR too
	RemovedStays        bool // an id whose device is gone cannot be destroyed
}

// VerbsDeviations are those of queue pairs and their groups.
type VerbsDeviations struct {
	IgnoresGroupLimit  bool // as many QPs can be attached to a group as there is room for in all
	RefusedTakesRoom   bool // an attach that is refused for the limit of a group takes room there
	CountsAttaches     bool // a QP that was attached twice must be detached twice
	AttachesConnected  bool // a QP of any type can be attached
	RefusesPermissive  bool // MLID 0xFFFF is refused
	DetachesUnattached bool // detaching a QP that is not attached succeeds
	KeepsDelivering    bool // a QP that is detached still gets what comes for the group
	LackIsENOSYS       bool // a device without multicast refuses to attach with ENOSYS
}

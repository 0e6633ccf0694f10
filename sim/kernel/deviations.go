package kernel

// Deviations are the ways in which a kernel can be told to break the law, one at a time. The zero value keeps it.
type Deviations struct {
	JoinsUnbound      bool // a join on an id without a device succeeds, and no event follows
	JoinsAfterRoute   bool // a join in the state ROUTE_RESOLVED is accepted
	JoinsTCP          bool // a join on an id that is not UD is accepted
	LosesEvents       bool // a join that succeeded is never followed by its event
	DuplicatesEvents  bool // a join is followed by its event twice
	MapsToWrongGroup  bool // the MGID is one off the group
	LeaveKeepsEvents  bool // a leave does not take back the membership's unread events
	LeaksIGMP         bool // a leave does not give the IGMP membership back
	WarnsAtJoin       bool // a join writes a warning to the kernel's log and taints it
	KeepsQPAtExit     bool // a QP outlives its process
	DeliversTwice     bool // an attached QP gets every multicast datagram twice
	ForgetsGRHLength  bool // the length of a receive leaves the GRH out
	LeaksLinkFilter   bool // the last detach of a group leaves its address in the link-layer filter, as rxe does
	AttachesUnchecked bool // any GID can be attached
	AttachesOnce      bool // a second attach of a QP to a group is refused
	SendOnlyReports   bool // a send-only join makes the host a member by IGMP
	SendOnlyUnreports bool // the end of a send-only membership takes a full member's IGMP membership away
	RouteLosesJoins   bool // the resolution of a route loses the unread event of a join
	TellsItsStack     bool // a JOIN event's traffic class is whatever stood on the kernel's stack
	MigrateKeepsBack  bool // unread events of an id that migrates stay where they are

	Address    AddressDeviations
	Binding    BindingDeviations
	Mapping    MappingDeviations
	Datagram   DatagramDeviations
	Limit      LimitDeviations
	Ending     EndingDeviations
	InfiniBand InfiniBandDeviations

	// What upstream's does.
	TellsStatusZero   bool // MULTICAST_ERROR of an id whose source address is gone has status 0
	LeaksENOTSUPP     bool // a family that RoCEv2 has no groups of is refused with a number internal to Linux
	BlamesShortBuffer bool // a datagram too long for its buffer is the end of the QP, as on rxe
	RefusalLeaksIGMP  bool // a join refused for the MTU leaves its IGMP membership behind
	GuessesSendOnly   bool // a send-only join does not ask what the subnet manager supports, but remembers
	RefusedBindSticks bool // an id goes on looking on the network device of the address that was refused first

	LosesQPsOfTwoMLIDs   bool // the end of a process leaves a QP behind that some group has by two MLIDs
	LeaveUnreportsOthers bool // the end of a RoCE v1 membership takes an IGMP membership away that it never made
}

// InfiniBandDeviations are those that show on InfiniBand alone.
type InfiniBandDeviations struct {
	AttachesAnyMLID       bool // a QP can be attached with any LID
	KeepsDefaultQKey      bool // RDMA_PS_IPOIB has the queue key of RDMA_PS_UDP
	KeepsGroups           bool // a leave is not told to the subnet administration
	HidesLoss             bool // a membership that is lost is not told to its id
	MapsAssigned          bool // an MGID that was assigned is mapped as any IPv6 address
	RefusesZero           bool // the zero address is refused
	MapsAllAsIPoIB        bool // RDMA_PS_UDP has the groups of RDMA_PS_IPOIB
	GrantsAnyQKey         bool // a privileged queue key asks for no privilege
	HidesRefusal          bool // a join that is refused is not told to its id
	AsksForFull           bool // a send-only join asks for a full membership
	SwapsMLID             bool // the LID of a JOIN event has its bytes swapped
	JoinsWithoutBroadcast bool // a join does not need the IPoIB broadcast group
	SignsGIDs             bool // an AF_IB address is mapped as an IPv6 one
	Maps32Bits            bool // the MGID has the whole of an IPv4 address, of which it should have 28 bits
	Maps64Bits            bool // the MGID has 64 bits of an IPv6 address, of which it should have 80
}

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

// Package kernel simulates what a Linux host does for rdma_join_multicast: network devices with their IGMP and
// link-layer filters, routing, the rdma_cm device, uverbs, and drivers of several kinds of RDMA devices. The truth is
// that of Linux 6.1.192; the names in comments are its functions.
package kernel

import (
	"fmt"
	"net"
	"net/netip"

	"joinmcast/sim/fabric"
	"joinmcast/sim/spare"
	"joinmcast/sim/uabi"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// Kernel is one host's kernel. Everything on it runs under the world's lock.
type Kernel struct {
	world    *world.World
	release  Release
	deviates Deviations

	netdevs   []*netdev // lo first, then those below the RDMA devices
	lastIndex int       // of a network device
	routes    []spec.Route

	devices []*device // in the order of their registration, the removed ones too
	ids     numbered[uabi.CMID, *cmID]
	members numbered[uabi.Multicast, *membership]
	ports   map[portKey][]*cmID // the ids that asked for a port number

	cmWork   *world.Lane // the rdma_cm workqueue, ordered (cma_wq)
	addrWork *world.Lane // the ib_addr workqueue, ordered (addr_wq)

	closeWork *world.Lane // ends ids whose device is gone (ucma's close_wq)

	eventFaults  []*eventFault
	spareEvents  spare.List[cmEvent]
	spareMembers spare.List[membership]

	resources map[string]int
	log       []string
	taint     uint64
}

// Config is what tells one host from another.
type Config struct {
	Devices  []Device       // in the order of their registration; at least one
	Subnet   *fabric.Subnet // of the InfiniBand devices; nil when there is none
	Release  Release
	Deviates Deviations
}

// Device is an RDMA device to be, named after its kind: rxe0, rxe1… It uses a network device of its own: eth0, eth1…
type Device struct {
	Kind  Kind
	Mode  spec.RoCEMode // the port's default, which its kind offers; empty: the kind's own default
	MAC   net.HardwareAddr
	Addrs []netip.Prefix // of the network device, which has its link-local IPv6 address besides
}

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
	Event      EventDeviations
	Leave      LeaveDeviations
	File       FileDeviations
	Verbs      VerbsDeviations
	InfiniBand InfiniBandDeviations

	// What upstream's does.
	TellsStatusZero    bool // MULTICAST_ERROR of an id whose source address is gone has status 0
	LeaksENOTSUPP      bool // a family that RoCEv2 has no groups of is refused with a number internal to Linux
	BlamesShortBuffer  bool // a datagram too long for its buffer is the end of the QP, as on rxe
	RefusalLeaksIGMP   bool // a join refused for the MTU leaves its IGMP membership behind
	GuessesSendOnly    bool // a send-only join does not ask what the subnet manager supports, but remembers
	MigrateWakesNobody bool // unread events that come with an id from another file wake nobody who sleeps on the new one
	RefusedBindSticks  bool // an id goes on looking on the network device of the address that was refused first

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

// New boots a host and plugs it in.
func New(w *world.World, wire *fabric.Switch, c Config) *Kernel {
	k := &Kernel{
		world: w, release: c.Release, deviates: c.Deviates,
		ports:  map[portKey][]*cmID{},
		cmWork: w.NewLane(), addrWork: w.NewLane(), closeWork: w.NewLane(),
		resources: map[string]int{"cm_id": 0, "qp": 0, "cq": 0, "pd": 0, "mr": 0, "ctx": 0},
	}
	lo := newNetdev("lo", 1, make(net.HardwareAddr, 6), 65536, ethernet)
	lo.up = true
	lo.addrs = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/8"), netip.MustParsePrefix("::1/128")}
	k.netdevs, k.lastIndex = []*netdev{lo}, lo.index
	taken := map[string]int{}
	numbered := func(prefix string) string {
		taken[prefix]++
		return fmt.Sprint(prefix, taken[prefix]-1)
	}
	for _, d := range c.Devices {
		k.addDevice(wire, c.Subnet, d, numbered(d.Kind.netdevPrefix), numbered(d.Kind.prefix))
	}
	return k
}

// addDevice gives the host an RDMA device with a network device below it.
func (k *Kernel) addDevice(wire *fabric.Switch, subnet *fabric.Subnet, c Device, netdevName, name string) {
	k.lastIndex++
	n := newNetdev(netdevName, k.lastIndex, c.MAC, c.Kind.netdevMTU, c.Kind.LinkLayer)
	if n.linkLayer == linkInfiniBand {
		n.broadcast = subnet.Broadcast()
	}
	d := newDevice(k, name, c.Kind, n)
	if c.Mode != "" {
		d.mode = c.Mode
	}
	n.plug(wire, d)
	k.netdevs, k.devices = append(k.netdevs, n), append(k.devices, d)
	for _, a := range c.Addrs {
		k.addAddr(n, a)
	}
	k.setLink(n, true)
	if n.linkLayer == linkInfiniBand {
		plug(d, subnet)
	}
}

// warn writes a line as WARN_ON does and taints the kernel (TAINT_WARN).
func (k *Kernel) warn(line string) {
	k.log = append(k.log, line)
	k.taint |= 1 << 9
}

// Package kernel simulates what a Linux host does for rdma_join_multicast: network devices with their IGMP and
// link-layer filters, routing, the rdma_cm device, uverbs, and drivers of several kinds of RDMA devices. The truth is
// that of Linux 6.1.192; the names in comments are its functions.
package kernel

import (
	"fmt"
	"net"
	"net/netip"

	"joinmcast/sim/fabric"
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
	spareEvents  []*cmEvent
	spareMembers []*membership

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

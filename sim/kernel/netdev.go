package kernel

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// MTUs of network devices, in bytes.
const (
	ethernetMTU = 1500 // what an Ethernet device starts with
	ipv6MTU     = 1280 // without as much there is no IPv6 (RFC 8200)
)

// netdev is a network device with its addresses and its multicast state.
type netdev struct {
	name      string
	index     int
	linkLayer string
	broadcast spec.GID     // of IPoIB: the broadcast group
	link      *fabric.Link // nil of lo, of a dummy, and of a VLAN, which uses its parent's
	above     []*device    // RDMA devices; none of a VLAN, which uses its parent's
	parent    *netdev      // of a VLAN
	vlan      uint16       // a VLAN's own, else 0
	vlans     []*netdev    // on this device
	mac       net.HardwareAddr
	mtu       int
	up        bool
	gone      bool // from the host; ids may still be bound to it
	addrs     []netip.Prefix
	igmp      ipv4Groups
	mld       counted[netip.Addr] // IPv6 groups
	parked    map[netip.Addr]bool // groups whose link-layer addresses are not let in while the device is down
	filters   macCounted          // link-layer addresses; see letIn
}

func newNetdev(name string, index int, mac net.HardwareAddr, mtu int, linkLayer string) *netdev {
	return &netdev{
		name: name, index: index, linkLayer: linkLayer, mac: mac, mtu: mtu,
		mld: counted[netip.Addr]{}, parked: map[netip.Addr]bool{},
		filters: macCounted{counted[uint64]{}},
	}
}

// lowest is the device that has the link: itself, or a VLAN's parent.
func (n *netdev) lowest() *netdev {
	if n.parent != nil {
		return n.parent
	}
	return n
}

// has tells whether an address is the device's own.
func (n *netdev) has(a netip.Addr) bool {
	return slices.ContainsFunc(n.addrs, func(p netip.Prefix) bool { return p.Addr() == a })
}

// source is the address a packet to a leaves with when nobody chose one: one that is as local as a, on the same subnet
// before others (inet_select_addr, ipv6_dev_get_saddr).
func (n *netdev) source(a netip.Addr) (netip.Addr, bool) {
	var fit []netip.Addr
	for _, p := range n.addrs {
		if p.Addr().Is4() != a.Is4() {
			continue
		}
		if p.Masked().Contains(a) {
			return p.Addr(), true
		}
		fit = append(fit, p.Addr())
	}
	if len(fit) == 0 {
		return netip.Addr{}, false
	}
	if a.Is6() {
		slices.SortStableFunc(fit, func(x, y netip.Addr) int {
			return cmp.Compare(farFrom(x, a), farFrom(y, a))
		})
	}
	return fit[0], true
}

// farFrom is 0 for an IPv6 source address of the same scope as the destination, else 1.
func farFrom(src, dst netip.Addr) int {
	if src.IsLinkLocalUnicast() == (dst.IsLinkLocalUnicast() || dst.IsLinkLocalMulticast()) {
		return 0
	}
	return 1
}

// netdev finds a network device by name.
func (k *Kernel) netdev(name string) (*netdev, error) {
	var known []string
	for _, n := range k.netdevs {
		if n.name == name {
			return n, nil
		}
		known = append(known, n.name)
	}
	return nil, fmt.Errorf("no network device is named %q; this host has %s", name, strings.Join(known, ", "))
}

// netdevAt finds a network device by its index; nil when there is none.
func (k *Kernel) netdevAt(index int) *netdev {
	for _, n := range k.netdevs {
		if n.index == index {
			return n
		}
	}
	return nil
}

// ownerOf finds the network device that has an address of its own, up or down.
func (k *Kernel) ownerOf(a netip.Addr) *netdev {
	for _, n := range k.netdevs {
		if n.has(a) {
			return n
		}
	}
	return nil
}

package kernel

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"joinmcast/sim/fabric"
)

// ethernetMTU is what an Ethernet device starts with, in bytes.
const ethernetMTU = 1500

// netdev is a network device with its addresses and its multicast state.
type netdev struct {
	name      string
	index     int
	linkLayer string
	wire      *fabric.Switch // nil of lo, of a dummy, and of a VLAN, which uses its parent's
	above     []*device
	parent    *netdev // of a VLAN
	mac       net.HardwareAddr
	mtu       int
	up        bool
	addrs     []netip.Prefix
	igmp      counted[netip.Addr] // IPv4 groups
	mld       counted[netip.Addr] // IPv6 groups
	filters   counted[fabric.MAC] // link-layer addresses
}

func newNetdev(name string, index int, mac net.HardwareAddr, mtu int, linkLayer string) *netdev {
	return &netdev{
		name: name, index: index, linkLayer: linkLayer, mac: mac, mtu: mtu, up: true,
		igmp: counted[netip.Addr]{}, mld: counted[netip.Addr]{}, filters: counted[fabric.MAC]{},
	}
}

// joinsAllHosts makes the memberships that Linux makes by itself when a device comes up.
func (n *netdev) joinsAllHosts() {
	n.joinGroup(netip.MustParseAddr("224.0.0.1"))
	for _, a := range []string{"ff02::1", "ff01::1"} {
		n.joinMLD(netip.MustParseAddr(a))
	}
}

// joinGroup adds a user to an IPv4 group, multicast or not (ip_mc_inc_group does not look).
func (n *netdev) joinGroup(a netip.Addr) {
	if n.igmp.add(a) {
		n.filters.add(groupMAC(a))
	}
}

// leaveGroup takes a user off an IPv4 group; nothing happens when there is none (ip_mc_dec_group).
func (n *netdev) leaveGroup(a netip.Addr) {
	if n.igmp.remove(a) {
		n.filters.remove(groupMAC(a))
	}
}

func (n *netdev) joinMLD(a netip.Addr) {
	if n.mld.add(a) {
		n.filters.add(groupMAC(a))
	}
}

func (n *netdev) leaveMLD(a netip.Addr) {
	if n.mld.remove(a) {
		n.filters.remove(groupMAC(a))
	}
}

// has tells whether an address is the device's own.
func (n *netdev) has(a netip.Addr) bool {
	return slices.ContainsFunc(n.addrs, func(p netip.Prefix) bool { return p.Addr() == a })
}

// connected tells whether an address is on the device's own subnets.
func (n *netdev) connected(a netip.Addr) bool {
	return slices.ContainsFunc(n.addrs, func(p netip.Prefix) bool { return p.Masked().Contains(a) })
}

// source is the address a packet to a leaves with when nobody chose one.
func (n *netdev) source(a netip.Addr) (netip.Addr, bool) {
	for _, p := range n.addrs {
		if p.Addr().Is4() == a.Is4() {
			return p.Addr(), true
		}
	}
	return netip.Addr{}, false
}

// groupMAC is the link-layer address of an IP group: 01:00:5e and 23 bits for IPv4 (RFC 1112), 33:33 and 32 bits for
// IPv6 (RFC 2464).
func groupMAC(a netip.Addr) fabric.MAC {
	if a.Is4() {
		b := a.As4()
		return fabric.MAC{0x01, 0x00, 0x5e, b[1] & 0x7f, b[2], b[3]}
	}
	b := a.As16()
	return fabric.MAC{0x33, 0x33, b[12], b[13], b[14], b[15]}
}

// neighbour finds the link-layer address that answers for an IP address behind the device (ARP, neighbour discovery).
// One without a wire asks nobody: it takes every address for its own (IFF_NOARP).
func (n *netdev) neighbour(a netip.Addr) (fabric.MAC, bool) {
	switch {
	case n.parent != nil:
		return n.parent.neighbour(a)
	case n.wire == nil:
		return n.MAC(), true
	}
	return n.wire.Neighbour(n, a)
}

var _ fabric.Station = (*netdev)(nil)

// plug connects the device to a wire, for the RDMA device above it.
func (n *netdev) plug(wire *fabric.Switch, above *device) {
	n.wire, n.above = wire, append(n.above, above)
	wire.Plug(n)
}

// MAC is the device's own link-layer address.
func (n *netdev) MAC() fabric.MAC { return fabric.MAC(n.mac) }

// Owns tells whether an address is the device's own.
func (n *netdev) Owns(a netip.Addr) bool { return n.has(a) }

// Carrier tells whether the device is up.
func (n *netdev) Carrier() bool { return n.up }

// Receive takes a frame in if the link-layer filter lets it through.
func (n *netdev) Receive(p fabric.Frame) {
	if p.Dst == n.MAC() || n.filters.has(p.Dst) {
		n.inputIP(p)
	}
}

// inputIP is the IP layer: it drops what is neither for this host nor for a group the device is a member of.
func (n *netdev) inputIP(p fabric.Frame) {
	member := n.has(p.IP.Dst) || n.igmp.has(p.IP.Dst) || n.mld.has(p.IP.Dst)
	if !member || p.Datagram.DstPort != fabric.RoCEv2Port {
		return
	}
	for _, d := range n.above {
		d.takeIn(p)
	}
}

// counted is a set of things with users.
type counted[K comparable] map[K]int

// has tells whether k has a user.
func (c counted[K]) has(k K) bool { return c[k] > 0 }

// add counts a user and tells whether it is the first.
func (c counted[K]) add(k K) bool {
	c[k]++
	return c[k] == 1
}

// remove takes a user off and tells whether it was the last.
func (c counted[K]) remove(k K) bool {
	if !c.has(k) {
		return false
	}
	c[k]--
	if c[k] > 0 {
		return false
	}
	delete(c, k)
	return true
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

// ownerOf finds the network device that has an address of its own, up or down.
func (k *Kernel) ownerOf(a netip.Addr) *netdev {
	for _, n := range k.netdevs {
		if n.has(a) {
			return n
		}
	}
	return nil
}

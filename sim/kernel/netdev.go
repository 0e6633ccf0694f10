package kernel

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// ethernetMTU is what an Ethernet device starts with, in bytes.
const ethernetMTU = 1500

// netdev is a network device with its addresses and its multicast state.
type netdev struct {
	name      string
	index     int
	linkLayer string
	broadcast spec.GID     // of IPoIB: the broadcast group
	link      *fabric.Link // nil of lo, of a dummy, and of a VLAN, which uses its parent's
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
		n.filters.add(fabric.GroupMAC(a))
	}
}

// leaveGroup takes a user off an IPv4 group; nothing happens when there is none (ip_mc_dec_group).
func (n *netdev) leaveGroup(a netip.Addr) {
	if n.igmp.remove(a) {
		n.filters.remove(fabric.GroupMAC(a))
	}
}

func (n *netdev) joinMLD(a netip.Addr) {
	if n.mld.add(a) {
		n.filters.add(fabric.GroupMAC(a))
	}
}

func (n *netdev) leaveMLD(a netip.Addr) {
	if n.mld.remove(a) {
		n.filters.remove(fabric.GroupMAC(a))
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

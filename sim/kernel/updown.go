package kernel

import (
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"slices"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// setLink brings a network device and the VLANs on it up or down; IPoIB tells the subnet.
func (k *Kernel) setLink(n *netdev, up bool) {
	switch {
	case n.up == up:
	case up:
		k.bringUp(n)
	default:
		k.bringDown(n)
	}
	for _, vlan := range n.vlans {
		k.setLink(vlan, up)
	}
	for _, d := range n.above {
		if d.hca != nil && !d.removed {
			d.hca.ipoib.setUp(up)
		}
	}
}

// bringUp makes the memberships and the address that Linux makes by itself, and tells of all groups (ip_mc_up).
func (k *Kernel) bringUp(n *netdev) {
	n.up = true
	n.joinGroup(allSystems)
	n.joinAllNodes()
	for _, a := range slices.SortedFunc(maps.Keys(n.parked), netip.Addr.Compare) {
		n.letIn(a)
		n.report(fabric.ChangeToExclude, a)
	}
	clear(n.parked)
	for _, p := range n.addrs {
		n.answer(p.Addr(), true)
	}
	k.addLinkLocal(n)
}

// bringDown keeps the IPv4 addresses and what processes joined, and lets go all else: routes, the link-local address,
// and the filters of the groups until the device is up again (ip_mc_down, fib_disable_ip, addrconf_ifdown).
func (k *Kernel) bringDown(n *netdev) {
	n.up = false
	k.delAddr(n, linkLocalOf(n))
	n.leaveGroup(allSystems)
	if k.deviates.Datagram.DiesWithLink {
		for a, users := range maps.Collect(n.igmp.users()) {
			for range users {
				n.leaveGroup(a)
			}
		}
	}
	for _, groups := range []iter.Seq2[netip.Addr, uint32]{n.igmp.users(), n.mld.all()} {
		for a := range groups {
			n.shutOut(a)
			n.parked[a] = true
		}
	}
	for _, p := range n.addrs {
		n.answer(p.Addr(), false)
	}
	k.routes = slices.DeleteFunc(k.routes, func(r spec.Route) bool { return r.Netdev == n.name })
}

// dropFilter takes a group's link-layer address out of the filter, if it is in.
func (n *netdev) dropFilter(group netip.Addr) {
	if len(n.parked) > 0 && n.parked[group] {
		delete(n.parked, group)
		return
	}
	n.shutOut(group)
}

// setMTU sets the largest packet of a network device, in bytes: that of a VLAN is never more than its parent's.
func (k *Kernel) setMTU(c spec.MTUChange) (undo func(), err error) {
	n, err := k.netdev(c.Netdev)
	switch {
	case err != nil:
		return nil, err
	case n.parent != nil && c.MTU > n.parent.mtu:
		return nil, fmt.Errorf("the MTU of %s cannot be %d; %s below it has %d", n.name, c.MTU, n.parent.name, n.parent.mtu)
	}
	var undos []func()
	for _, d := range append([]*netdev{n}, n.vlans...) {
		if old := d.mtu; d == n || old > c.MTU {
			d.mtu = c.MTU
			k.addLinkLocal(d)
			undos = append(undos, func() {
				d.mtu = old
				k.addLinkLocal(d)
			})
		}
	}
	return all(undos), nil
}

// all does one thing after the other.
func all(undos []func()) func() {
	return func() {
		for _, undo := range undos {
			undo()
		}
	}
}

// addLinkLocal gives a device the address that it makes for itself. Where the MTU is too small for IPv6 it takes that
// away, and the IPv6 memberships (addrconf_ifdown).
func (k *Kernel) addLinkLocal(n *netdev) {
	switch {
	case n.mtu < ipv6MTU:
		k.delAddr(n, linkLocalOf(n))
		n.leaveAllMLD()
	case n.up:
		n.joinAllNodes()
		k.addAddr(n, linkLocalOf(n))
	}
}

func linkLocalOf(n *netdev) netip.Prefix { return netip.PrefixFrom(linkLocal(n.mac), 64) }

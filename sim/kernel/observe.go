package kernel

import (
	"encoding/hex"
	"iter"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// Observe shows what processes may have left behind.
func (k *Kernel) Observe() spec.HostState {
	s := spec.HostState{Resources: maps.Clone(k.resources), KernelLog: slices.Clone(k.log), Taint: k.taint}
	if k.present() == 0 {
		s.Resources = map[string]int{} // the kernel shows them by device
	}
	for _, n := range k.netdevs {
		s.IGMP = append(s.IGMP, memberships(n, n.igmp.users())...)
		s.MLD = append(s.MLD, memberships(n, n.mld.all())...)
		s.Filters = append(s.Filters, n.linkFilters()...)
	}
	return s
}

// linkFilters are the link-layer addresses that the device lets in. Those of IPoIB are its IP groups', one for each.
func (n *netdev) linkFilters() []spec.LinkFilter {
	var out []spec.LinkFilter
	if n.linkLayer == linkInfiniBand {
		for _, m := range slices.Concat(memberships(n, n.igmp.users()), memberships(n, n.mld.all())) {
			out = append(out, spec.LinkFilter{Netdev: n.name, Addr: ipoibGroup(m.Group, n.broadcast).String(), Users: 1})
		}
		return out
	}
	filters := macCounted{maps.Clone(n.filters.counted)}
	for group := range n.igmp.users() {
		if n.letsIn(group) && !n.parked[group] {
			filters.add(fabric.GroupMAC(group))
		}
	}
	for addr, users := range filters.all() {
		out = append(out, spec.LinkFilter{Netdev: n.name, Addr: addr.String(), Users: int(users)})
	}
	slices.SortFunc(out, func(a, b spec.LinkFilter) int { return strings.Compare(a.Addr, b.Addr) })
	return out
}

// memberships lists groups by their addresses.
func memberships(n *netdev, groups iter.Seq2[netip.Addr, uint32]) []spec.Membership {
	var out []spec.Membership
	for g, users := range groups {
		out = append(out, spec.Membership{Netdev: n.name, Group: g, Users: int(users)})
	}
	slices.SortFunc(out, func(a, b spec.Membership) int { return a.Group.Compare(b.Group) })
	return out
}

// Ports shows the RDMA ports and the network devices behind them, IPv4 addresses first.
func (k *Kernel) Ports() []spec.Port {
	var ports []spec.Port
	for _, d := range k.devices {
		if d.removed {
			continue
		}
		addrs := slices.Clone(d.netdev.addrs)
		slices.SortStableFunc(addrs, func(a, b netip.Prefix) int {
			return a.Addr().BitLen() - b.Addr().BitLen()
		})
		ports = append(ports, spec.Port{
			Device: d.name, Num: portNum, Netdev: d.netdev.name, LinkLayer: d.kind.LinkLayer, MTU: d.netdev.mtu, Addrs: addrs,
		})
	}
	return ports
}

// Environment is the part of a host's environment that its RDMA device tells: of several, the first one, seen from an
// address of its own.
func (k *Kernel) Environment(a netip.Addr) spec.HostEnvironment {
	d := k.devices[0]
	attr := d.attr()
	e := spec.HostEnvironment{
		Driver: d.kind.Driver, Device: d.name, Firmware: attr.FWVer,
		NodeGUID: attr.NodeGUID, SysImageGUID: attr.SysImageGUID,
		LinkLayer: d.kind.LinkLayer, RoCEMode: string(d.mode), MTU: d.netdev.mtu,
	}
	if index, ok := d.kind.transport.sourceGID(d, d.netdev, a); ok {
		own := d.gids[index].addr.As16()
		e.GID, e.GIDIndex = hex.EncodeToString(own[:]), index
	}
	return e
}

// Transport is what carries the datagrams of the host's RDMA device; of several, of the first one.
func (k *Kernel) Transport() spec.Transport { return k.devices[0].kind.transport.of(k.devices[0].mode) }

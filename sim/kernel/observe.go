package kernel

import (
	"maps"
	"net/netip"
	"slices"

	"joinmcast/spec"
)

// Observe shows what processes may have left behind.
func (k *Kernel) Observe() spec.HostState {
	s := spec.HostState{Resources: maps.Clone(k.resources), KernelLog: slices.Clone(k.log), Taint: k.taint}
	for _, n := range k.netdevs {
		s.IGMP = append(s.IGMP, memberships(n, n.igmp)...)
		s.MLD = append(s.MLD, memberships(n, n.mld)...)
		for _, addr := range slices.Sorted(maps.Keys(n.filters)) {
			s.Filters = append(s.Filters, spec.LinkFilter{Netdev: n.name, Addr: addr, Users: n.filters[addr]})
		}
	}
	return s
}

func memberships(n *netdev, groups counted[netip.Addr]) []spec.Membership {
	var out []spec.Membership
	for _, g := range slices.SortedFunc(maps.Keys(groups), netip.Addr.Compare) {
		out = append(out, spec.Membership{Netdev: n.name, Group: g, Users: groups[g]})
	}
	return out
}

// Ports shows the RDMA port and the network device behind it, IPv4 addresses first.
func (k *Kernel) Ports() []spec.Port {
	if k.rdma.removed {
		return nil
	}
	n := k.rdma.netdev
	addrs := slices.Clone(n.addrs)
	slices.SortStableFunc(addrs, func(a, b netip.Prefix) int {
		return a.Addr().BitLen() - b.Addr().BitLen()
	})
	return []spec.Port{{
		Device: Device, Num: portNum, Netdev: n.name, LinkLayer: "Ethernet", MTU: n.mtu, Addrs: addrs,
	}}
}

// DeviceAttr is what ibv_query_device tells of the RDMA device.
func (k *Kernel) DeviceAttr() spec.DeviceAttr { return k.rdma.attr() }

// GID finds the GID of an address of the RDMA device, with its index; ok is false when there is none.
func (k *Kernel) GID(a netip.Addr) (g spec.GID, index int, ok bool) {
	index, ok = k.rdma.gidIndex(a)
	return spec.GID(a.As16()), index, ok
}

package kernel

import (
	"cmp"
	"encoding/hex"
	"net"
	"net/netip"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// roce is RDMA over Converged Ethernet. Which version of it a port speaks is the port's default mode's affair
// (default_roce_mode).
type roce struct{}

var _ transport = roce{}

func (roce) of(m spec.RoCEMode) spec.Transport {
	if m == spec.RoCEv1Mode {
		return spec.RoCEv1
	}
	return spec.RoCEv2
}

// portGID is the link-local address of the network device, even of one that has no IPv6.
func (roce) portGID(mac net.HardwareAddr) netip.Addr { return linkLocal(mac) }

// sourceGID is the entry of the address itself in the port's default mode.
func (roce) sourceGID(d *device, n *netdev, src netip.Addr) (index int, ok bool) {
	return d.gidIndex(n, src, d.mode)
}

// resolveRoute has nothing to ask anybody (cma_resolve_iboe_route).
func (roce) resolveRoute(id *cmID) error {
	if id.netdev == nil || id.netdev.gone {
		return spec.ENODEV
	}
	if ibMTU(id.netdev.mtu) == 0 {
		return spec.EINVAL
	}
	id.startRoute()
	return nil
}

// qkey is the connection manager's own.
func (roce) qkey(*cmID) (uint32, error) { return spec.UDPQKey, nil }

// joinMulticast is cma_iboe_join_multicast. It asks nobody, so all that can fail fails here, and the event it will tell
// is known here. The mode is the port's at this moment, whatever it was when the id was bound.
func (r roce) joinMulticast(m *membership, a spec.Sockaddr) error {
	k, n, mode := m.id.kernel, m.id.netdev, m.id.device.mode
	if isZero(a) && !k.deviates.Address.JoinsZero {
		return spec.EINVAL
	}
	if n == nil || n.gone {
		return spec.ENODEV
	}
	if mode == spec.RoCEv1Mode && a.Family() == spec.AFInet6 && k.deviates.Address.RefusesIPv6 {
		return spec.EOPNOTSUPP
	}
	way := spec.AHAttr{GRH: spec.GlobalRoute{DGID: k.roceMGID(a, mode), HopLimit: hopLimit(mode)}}
	if mode == spec.RoCEv2Mode {
		if err := r.report(m, a, way.GRH.DGID); err != nil {
			return err
		}
	} else if m.flags == spec.FullMember && k.deviates.LeaveUnreportsOthers {
		m.igmp = lowestIPv4(way.GRH.DGID)
	}
	if ibMTU(n.mtu) == 0 && !k.deviates.Address.IgnoresMTU {
		if mode == spec.RoCEv2Mode && !k.deviates.RefusalLeaksIGMP {
			m.giveBack()
		}
		return spec.EINVAL
	}
	m.tellSoon(m.joinEvent(&way))
	return nil
}

// report makes the host a member by IGMP, as RoCE v2 needs it; a send-only one stays unknown.
func (roce) report(m *membership, a spec.Sockaddr, mgid spec.GID) error {
	deviates, group := &m.id.kernel.deviates, lowestIPv4(mgid)
	switch {
	case deviates.takes(a):
	case deviates.LeaksENOTSUPP:
		return spec.ENOTSUPP
	default:
		return spec.EOPNOTSUPP
	}
	switch {
	case deviates.Address.RefusesHostsGroups && m.id.netdev.igmp.has(group):
		return spec.EADDRINUSE
	case deviates.Limit.OfASocket && m.id.isFullSocket():
		return spec.ENOMEM
	case m.flags == spec.FullMember || deviates.SendOnlyReports:
		m.igmp = group
		if deviates.Leave.CountsOnce && m.id.reports(group) {
			m.igmp = netip.Addr{}
			return nil
		}
		m.hostsNetdev().joinGroup(m.igmp)
	case deviates.SendOnlyUnreports:
		m.igmp = group
	}
	return nil
}

// reports tells whether a membership of the id is a user of an IGMP membership.
func (id *cmID) reports(group netip.Addr) bool {
	for m := range id.members.All() {
		if m.igmp == group {
			return true
		}
	}
	return false
}

// takes tells whether RoCE v2 has a group of an address: of IPv4 alone, but for deviations.
func (d *Deviations) takes(a spec.Sockaddr) bool {
	switch a.Family() {
	case spec.AFInet:
		return true
	case spec.AFInet6:
		return d.Address.JoinsIPv6 || d.Address.JoinsMapped && a.Addr().Is4In6()
	}
	return d.Address.JoinsGIDs
}

// isFullSocket tells whether a socket could be in no more groups than the id is in (igmp_max_memberships).
func (id *cmID) isFullSocket() bool {
	const most = 20
	groups := 0
	for range id.members.All() {
		groups++
	}
	return groups >= most
}

// hostsNetdev is the network device on which the host is a member by IGMP: the id's own, but for deviations.
func (m *membership) hostsNetdev() *netdev {
	n, deviates := m.id.netdev, &m.id.kernel.deviates.Binding
	if deviates.JoinsParent {
		return n.lowest()
	}
	if deviates.FollowsRoute {
		return cmp.Or(m.id.kernel.lookUp(m.igmp), n)
	}
	return n
}

// lowestIPv4 is the last 32 bits of a GID taken for an IPv4 group (cma_igmp_send).
func lowestIPv4(g spec.GID) netip.Addr { return netip.AddrFrom4([4]byte(g[12:])) }

// hopLimit is how far the datagrams of a group go: those of RoCE v2 pass routers (IPV6_DEFAULT_HOPLIMIT), those of
// RoCE v1 cannot.
func hopLimit(m spec.RoCEMode) uint8 {
	if m == spec.RoCEv2Mode {
		return 64
	}
	return 1
}

// leaveMulticast takes the IGMP membership back; a send-only one has none.
func (roce) leaveMulticast(m *membership) {
	deviates := &m.id.kernel.deviates
	if !m.igmp.IsValid() || deviates.LeaksIGMP || deviates.Mapping.LeavesByMode && m.id.device.mode == spec.RoCEv1Mode {
		return
	}
	from, n := m.igmp, m.hostsNetdev()
	if newest := m.id.members.Last(); deviates.Leave.TakesNewest && newest != nil {
		from = newest.igmp
	}
	n.leaveGroup(from)
	for deviates.Leave.EndsIGMP && n.igmp.has(from) {
		n.leaveGroup(from)
	}
	if deviates.Mapping.KeepsMAC {
		m.id.netdev.addFilter(fabric.GroupMAC(from))
	}
}

// roceMGID maps an address to the MGID of a port in a mode (cma_iboe_set_mgid): an IPv6 one is the MGID itself, an
// IPv4 one goes behind a prefix, and the loopback address maps to zero. What is neither is read as if it were IPv4.
func (k *Kernel) roceMGID(a spec.Sockaddr, m spec.RoCEMode) spec.GID {
	var mgid spec.GID
	deviates := &k.deviates.Mapping
	isRoCEv1, isIPv6 := m == spec.RoCEv1Mode, a.Family() == spec.AFInet6
	switch {
	case a.Family() != spec.AFIB && isAny(a):
		return mgid
	case isIPv6 && isRoCEv1 && deviates.CutsIPv6:
		copy(mgid[:], a[8:24])
		copy(mgid[:], []byte{0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})
	case isIPv6:
		copy(mgid[:], a[8:24])
	default:
		mgid[10], mgid[11] = 0xff, 0xff
		copy(mgid[12:], a[4:8])
		if isRoCEv1 && !deviates.MapsAsRoCEv2 {
			mgid[0], mgid[1] = 0xff, 0x0e
		}
		if deviates.MapsMACBits {
			mgid[13] &= 0x7f
		}
		if deviates.MapsPort {
			copy(mgid[8:10], a[2:4])
		}
	}
	if k.deviates.MapsToWrongGroup {
		mgid[15] ^= 1
	}
	return mgid
}

// validMLID is true of all: an MLID means nothing on Ethernet.
func (roce) validMLID(uint16) bool { return true }

// addressHandle checks port and GID and finds the link-layer address (rdma_fill_sgid_attr, ib_resolve_eth_dmac).
func (roce) addressHandle(d *device, a spec.AHAttr) (*ah, error) {
	if a.PortNum != portNum || !a.IsGlobal || int(a.GRH.SGIDIndex) >= d.kind.gidTable {
		return nil, spec.EINVAL
	}
	if int(a.GRH.SGIDIndex) >= len(d.gids) || d.gids[a.GRH.SGIDIndex].netdev == nil {
		return nil, spec.ENODATA
	}
	from := d.gids[a.GRH.SGIDIndex]
	n := &ah{netdev: from.netdev, src: from.addr, mode: from.mode, dst: netip.AddrFrom16(a.GRH.DGID).Unmap(), grh: a.GRH}
	var ok bool
	if n.mac, ok = n.netdev.linkAddr(n.dst); !ok {
		return nil, spec.ETIMEDOUT
	}
	if !n.dst.IsMulticast() && !d.kernel.release.keepsSendersLimit {
		n.grh.HopLimit = hopLimit(spec.RoCEv2Mode) // the route's, whatever was asked for (ib_resolve_unicast_gid_dmac)
	}
	return n, nil
}

// linkAddr is the link-layer address of a group, of this host, or of a neighbour (ib_resolve_eth_dmac).
func (n *netdev) linkAddr(a netip.Addr) (fabric.MAC, bool) {
	switch {
	case a.IsMulticast():
		return fabric.GroupMAC(a), true
	case a == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return fabric.MAC{255, 255, 255, 255, 255, 255}, true
	case n.has(a):
		return n.MAC(), true
	}
	return n.neighbour(a)
}

// linkLocal is the IPv6 link-local address that a link-layer address makes (RFC 4291, modified EUI-64).
func linkLocal(mac net.HardwareAddr) netip.Addr {
	return netip.AddrFrom16([16]byte{
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5],
	})
}

// guid is the EUI-64 of a link-layer address, as 16 hexadecimal digits.
func guid(mac net.HardwareAddr) string {
	eui := linkLocal(mac).As16()
	return hex.EncodeToString(eui[8:])
}

// Bounds of an InfiniBand MTU, and what its headers take off an Ethernet one (iboe_get_mtu), in bytes.
const (
	smallestIBMTU   = 256
	largestIBMTU    = 4096
	roceHeaderBytes = 96
)

// ibMTU is the largest InfiniBand MTU that fits an Ethernet MTU, both in bytes; 0 when none does (iboe_get_mtu).
func ibMTU(ethernet int) int {
	for mtu := largestIBMTU; mtu >= smallestIBMTU; mtu /= 2 {
		if ethernet-roceHeaderBytes >= mtu {
			return mtu
		}
	}
	return 0
}

// isMulticast tells an MGID that a QP can be attached to: ff00::/8, or an IPv4 group mapped into IPv6
// (rdma_is_multicast_addr).
func isMulticast(g spec.GID) bool {
	a := netip.AddrFrom16(g)
	return a.IsMulticast() || a.Unmap().IsMulticast()
}

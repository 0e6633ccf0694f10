package kernel

import (
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
	if id.netdev == nil {
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
	if isZero(a) {
		return spec.EINVAL
	}
	if n == nil {
		return spec.ENODEV
	}
	group := spec.GlobalRoute{DGID: k.roceMGID(a, mode), HopLimit: hopLimit(mode)}
	if mode == spec.RoCEv2Mode {
		if err := r.report(m, a, group.DGID); err != nil {
			return err
		}
	} else if m.flags == spec.FullMember && k.deviates.LeaveUnreportsOthers {
		m.igmp = lowestIPv4(group.DGID)
	}
	if ibMTU(n.mtu) == 0 {
		if mode == spec.RoCEv2Mode && !k.deviates.RefusalLeaksIGMP {
			m.giveBack()
		}
		return spec.EINVAL
	}
	m.tellSoon(m.joinEvent(&spec.AHAttr{GRH: group}))
	return nil
}

// report makes the host a member by IGMP, as RoCE v2 needs it; a send-only one stays unknown.
func (roce) report(m *membership, a spec.Sockaddr, mgid spec.GID) error {
	deviates := m.id.kernel.deviates
	switch {
	case a.Family() != spec.AFInet && deviates.LeaksENOTSUPP:
		return spec.ENOTSUPP
	case a.Family() != spec.AFInet:
		return spec.EOPNOTSUPP
	case m.flags == spec.FullMember || deviates.SendOnlyReports:
		m.igmp = lowestIPv4(mgid)
		m.id.netdev.joinGroup(m.igmp)
	case deviates.SendOnlyUnreports:
		m.igmp = lowestIPv4(mgid)
	}
	return nil
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
	if m.igmp.IsValid() && !m.id.kernel.deviates.LeaksIGMP {
		m.id.netdev.leaveGroup(m.igmp)
	}
}

// roceMGID maps an address to the MGID of a port in a mode (cma_iboe_set_mgid): an IPv6 one is the MGID itself, an
// IPv4 one goes behind a prefix, and the loopback address maps to zero. What is neither is read as if it were IPv4.
func (k *Kernel) roceMGID(a spec.Sockaddr, m spec.RoCEMode) spec.GID {
	var mgid spec.GID
	switch group := a.Addr(); {
	case group.IsUnspecified() || group.IsLoopback():
		return mgid
	case group.Is6():
		mgid = group.As16()
	default:
		mgid[10], mgid[11] = 0xff, 0xff
		copy(mgid[12:], a[4:8])
		if m == spec.RoCEv1Mode {
			mgid[0], mgid[1] = 0xff, 0x0e
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

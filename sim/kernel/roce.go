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
// is known here.
func (roce) joinMulticast(m *membership, a spec.Sockaddr) error {
	k, n := m.id.kernel, m.id.netdev
	if isZero(a) {
		return spec.EINVAL
	}
	if n == nil {
		return spec.ENODEV
	}
	if a.Family() != spec.AFInet && k.deviates.LeaksENOTSUPP {
		return spec.ENOTSUPP
	}
	if a.Family() != spec.AFInet {
		return spec.EOPNOTSUPP
	}
	mgid := k.roceMGID(a)
	if group := netip.AddrFrom4([4]byte(mgid[12:])); m.flags == spec.FullMember || k.deviates.SendOnlyReports {
		m.igmp = group
		n.joinGroup(m.igmp)
	} else if k.deviates.SendOnlyUnreports {
		m.igmp = group
	}
	if ibMTU(n.mtu) == 0 {
		if !k.deviates.RefusalLeaksIGMP {
			m.giveBack()
		}
		return spec.EINVAL
	}
	m.tellSoon(m.event(spec.AHAttr{GRH: spec.GlobalRoute{DGID: mgid, HopLimit: ipDefaultHopLimit}}))
	return nil
}

// ipDefaultHopLimit is how far a packet goes when nobody has said (IPV6_DEFAULT_HOPLIMIT).
const ipDefaultHopLimit = 64

// leaveMulticast takes the IGMP membership back; a send-only one has none.
func (roce) leaveMulticast(m *membership) {
	if m.igmp.IsValid() && !m.id.kernel.deviates.LeaksIGMP {
		m.id.netdev.leaveGroup(m.igmp)
	}
}

// roceMGID maps an IPv4 address to the MGID of a RoCEv2 port (cma_iboe_set_mgid); the loopback address maps to zero.
func (k *Kernel) roceMGID(a spec.Sockaddr) spec.GID {
	group := a.Addr()
	if group.IsUnspecified() || group.IsLoopback() {
		return spec.GID{}
	}
	mgid := spec.MGIDOf(group)
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
	n := &ah{netdev: from.netdev, src: from.addr, dst: netip.AddrFrom16(a.GRH.DGID).Unmap(), grh: a.GRH}
	var ok bool
	if n.mac, ok = n.netdev.linkAddr(n.dst); !ok {
		return nil, spec.ETIMEDOUT
	}
	if !n.dst.IsMulticast() && !d.kernel.release.keepsSendersLimit {
		n.grh.HopLimit = ipDefaultHopLimit // the route's, whatever was asked for (ib_resolve_unicast_gid_dmac)
	}
	return n, nil
}

// linkAddr is the link-layer address of a group, of this host, or of a neighbour (ib_resolve_eth_dmac).
func (n *netdev) linkAddr(a netip.Addr) (fabric.MAC, bool) {
	switch {
	case a.IsMulticast():
		return fabric.GroupMAC(a), true
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

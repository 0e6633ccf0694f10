package kernel

import (
	"net"
	"net/netip"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// iwarp is RDMA over TCP, which has no multicast and no datagrams.
type iwarp struct{}

var _ transport = iwarp{}

func (iwarp) of(spec.RoCEMode) spec.Transport { return spec.IWARP }

// portGID holds the link-layer address in its first bytes (siw_query_gid).
func (iwarp) portGID(mac net.HardwareAddr) netip.Addr {
	var g [16]byte
	copy(g[:], mac)
	return netip.AddrFrom16(g)
}

// sourceGID is the port's only one: what an id is bound by is the network device (iw_addr_get_sgid).
func (iwarp) sourceGID(*device, *netdev, netip.Addr) (index int, ok bool) { return 0, true }

// resolveRoute has nothing to ask anybody (cma_resolve_iw_route).
func (iwarp) resolveRoute(id *cmID) error {
	id.startRoute()
	return nil
}

func (iwarp) qkey(*cmID) (uint32, error) { return spec.UDPQKey, nil }

// joinMulticast is what is left in rdma_join_multicast for a port that is neither RoCE nor has a subnet administrator.
// It does not look at the address.
func (iwarp) joinMulticast(m *membership, _ spec.Sockaddr) error {
	if m.id.kernel.deviates.Address.JoinsNothingOnIWARP {
		return nil
	}
	return spec.ENOSYS
}

func (iwarp) leaveMulticast(*membership) {}

func (iwarp) validMLID(uint16) bool { return true }

func (iwarp) mtu(*device) int { return 0 }

func (iwarp) transmit(*device, *ah, *fabric.Datagram) {}

// addressHandle is refused: siw has none.
func (iwarp) addressHandle(*device, spec.AHAttr) (*ah, error) { return nil, spec.EOPNOTSUPP }

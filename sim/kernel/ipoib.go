package kernel

import (
	"net"
	"net/netip"

	"joinmcast/sim/sa"
	"joinmcast/sim/sm"
	"joinmcast/spec"
)

// ipoibMTU is what an IPoIB device starts with: the port's MTU without the encapsulation header, in bytes.
const ipoibMTU = hcaMTU - 4

// ipoib is the network device above a port, as far as the subnet knows it: a member of the broadcast group as long as
// it is up. What IP itself joins and sends over it is not simulated.
type ipoib struct {
	hca       *hca
	broadcast *sa.Member // nil while the device is down
	refused   bool
}

// setUp brings the device up, or down, and is over when the subnet administration has heard of it.
func (i *ipoib) setUp(up bool) {
	switch {
	case up && i.broadcast == nil:
		i.join()
	case !up && i.broadcast != nil:
		i.leave()
	}
	i.hca.port.Settle()
}

func (i *ipoib) join() {
	s := i.hca.subnet
	i.refused = false
	i.broadcast = i.hca.port.Join(
		sm.Record{MGID: s.Broadcast(), PKey: s.Policy().PKey, JoinState: sm.Full}, sm.PKey, i.answer)
}

func (i *ipoib) leave() {
	i.broadcast.Leave()
	i.broadcast = nil
}

// answer joins again what was lost (ipoib_event). What was refused waits for retry.
func (i *ipoib) answer(failed spec.Errno, _ sm.Record) {
	switch failed {
	case 0:
	case spec.ENETRESET:
		i.leave()
		i.join()
	default:
		i.refused = true
	}
}

// retry joins what was refused, as IPoIB does time and again.
func (i *ipoib) retry() {
	if i.refused && i.broadcast != nil {
		i.leave()
		i.join()
		i.hca.port.Settle()
	}
}

// ipoibGroup is the hardware address of an IPv4 or IPv6 group on an IPoIB device: the multicast QP and the group's MGID
// (ip_ib_mc_map, ipv6_ib_mc_map).
func ipoibGroup(a netip.Addr, broadcast spec.GID) net.HardwareAddr {
	mgid := infinibandMGID(spec.NewSockaddr(a, 0), spec.PSIPoIB, broadcast)
	return append(net.HardwareAddr{0, 0xff, 0xff, 0xff}, mgid[:]...)
}

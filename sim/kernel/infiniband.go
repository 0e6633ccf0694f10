package kernel

import (
	"math/bits"
	"net"
	"net/netip"

	"joinmcast/sim/fabric"
	"joinmcast/sim/sa"
	"joinmcast/sim/sm"
	"joinmcast/spec"
)

// infiniband is the transport whose groups the subnet administration keeps.
type infiniband struct{}

var _ transport = infiniband{}

// linkInfiniBand is the link layer of an InfiniBand port, as sysfs spells it.
const linkInfiniBand = "InfiniBand"

// hcaMTU is the MTU of every port and link of a subnet, in bytes.
const hcaMTU = 2048

// hca is what an InfiniBand device has beside any other: its port in a subnet, what its users are members of there, and
// the network device above it.
type hca struct {
	device *device
	subnet *fabric.Subnet
	gid    spec.GID
	port   *sa.Port
	ipoib  *ipoib

	forgotten bool // what the subnet manager supports (a defect's; see GuessesSendOnly)
}

var _ fabric.Port = (*hca)(nil)

// plug connects a device to a subnet and brings IPoIB up.
func plug(d *device, subnet *fabric.Subnet) {
	h := &hca{device: d, subnet: subnet, gid: d.gids[0].addr.As16()}
	subnet.Plug(h.gid, hcaMTU, h)
	h.port = sa.NewPort(d.kernel.world, subnet.Manager, h.gid, subnet.Policy().PKey)
	h.ipoib = &ipoib{hca: h}
	d.hca = h
	h.ipoib.setUp(true)
}

func (infiniband) of(spec.RoCEMode) spec.Transport { return spec.InfiniBand }

// portGID is the subnet's prefix and the port's GUID.
func (infiniband) portGID(mac net.HardwareAddr) netip.Addr { return linkLocal(mac) }

// sourceGID is the port's only one: IPoIB's hardware address holds it, whatever its IP address.
func (infiniband) sourceGID(*device, *netdev, netip.Addr) (index int, ok bool) { return 0, true }

// resolveRoute asks the subnet administration, which knows a path to everywhere in its subnet (cma_resolve_ib_route).
func (infiniband) resolveRoute(id *cmID) error {
	id.startRoute()
	return nil
}

// qkey is the IPoIB broadcast group's for RDMA_PS_IPOIB, which only a member of that group knows
// (cma_set_default_qkey).
func (infiniband) qkey(id *cmID) (uint32, error) {
	if id.ps != spec.PSIPoIB || id.kernel.deviates.InfiniBand.KeepsDefaultQKey {
		return spec.UDPQKey, nil
	}
	broadcast, ok := id.broadcast()
	if !ok {
		return 0, spec.EADDRNOTAVAIL
	}
	return broadcast.QKey, nil
}

// broadcast is the record of the broadcast group of the id's IPoIB device, if that is a member. An id that is bound by
// a GID has no such device.
func (id *cmID) broadcast() (sm.Record, bool) {
	if id.netdev == nil {
		return sm.Record{}, false
	}
	h := id.device.hca
	r, ok := h.port.Record(h.subnet.Broadcast())
	if !ok && id.kernel.deviates.InfiniBand.JoinsWithoutBroadcast {
		return sm.Record{PKey: h.subnet.Policy().PKey, MTU: hcaMTU}, true
	}
	return r, ok
}

// joinMulticast is cma_join_ib_multicast: a new group is as the broadcast group, but for its MGID and Q_Key.
func (infiniband) joinMulticast(m *membership, a spec.Sockaddr) error {
	deviates := m.id.kernel.deviates.InfiniBand
	r, ok := m.id.broadcast()
	switch {
	case !ok:
		return spec.EADDRNOTAVAIL
	case isZero(a) && deviates.RefusesZero:
		return spec.EINVAL
	}
	given := sm.ToCreate
	if m.id.ps == spec.PSIPoIB {
		given |= sm.MTU | sm.HopLimit
	}
	var err error
	if r.QKey, err = (infiniband{}).qkey(m.id); err != nil {
		return err
	}
	r.MGID = m.id.mgid(a)
	if r.JoinState, err = m.joinState(); err != nil {
		return err
	}
	m.member = m.id.device.hca.port.Join(r, given, m.answer)
	return nil
}

// joinState is the way in which the port is to be a member. One that only sends may be refused before the subnet
// administration is asked.
func (m *membership) joinState() (sm.JoinState, error) {
	k, h := m.id.kernel, m.id.device.hca
	switch {
	case m.flags == spec.FullMember || k.deviates.InfiniBand.AsksForFull:
		return sm.Full, nil
	case k.release.asksForSendOnly && !h.subnet.Policy().SendOnly, k.deviates.GuessesSendOnly && h.hasForgotten():
		return 0, spec.EOPNOTSUPP
	}
	return sm.SendOnlyFull, nil
}

// hasForgotten tells whether the port remembers nothing of the subnet manager, after an event of the subnet. Then it
// asks, and remembers (ib_sa_sendonly_fullmem_support).
func (h *hca) hasForgotten() bool {
	forgotten := h.forgotten
	h.forgotten = false
	return forgotten
}

// mgid is the MGID of an address on the id's port.
func (id *cmID) mgid(a spec.Sockaddr) spec.GID {
	deviates, ps := &id.kernel.deviates.InfiniBand, id.ps
	if deviates.MapsAllAsIPoIB {
		ps = spec.PSIPoIB
	}
	if deviates.SignsGIDs && a.Family() == spec.AFIB && !isZero(a) {
		a = spec.NewSockaddr(netip.AddrFrom16(spec.GID(a[8:24])), 0)
	}
	mgid := infinibandMGID(a, ps, id.device.hca.subnet.Broadcast())
	switch {
	case isAny(a):
	case isAssigned(mgid):
		if deviates.MapsAssigned {
			mgid[2] = signatureOfIPv6
		}
	case deviates.Maps32Bits && a.Family() == spec.AFInet:
		mgid[12] = a[4]
	case deviates.Maps64Bits && a.Family() == spec.AFInet6:
		clear(mgid[6:8])
	}
	return mgid
}

// answer tells what became of a membership at the subnet administration, first and last (cma_ib_mc_handler).
func (m *membership) answer(failed spec.Errno, r sm.Record) {
	deviates := m.id.kernel.deviates.InfiniBand
	switch {
	case failed == spec.ENETRESET && deviates.HidesLoss, failed == spec.EINVAL && deviates.HidesRefusal:
		return
	case failed != 0:
		m.tell(m.errorEvent(failed))
		return
	case deviates.SwapsMLID:
		r.MLID = bits.ReverseBytes16(r.MLID)
	}
	e := m.joinEvent(&spec.AHAttr{
		DLID: r.MLID, SL: r.SL,
		GRH: spec.GlobalRoute{
			DGID: r.MGID, FlowLabel: r.FlowLabel, HopLimit: r.HopLimit, TrafficClass: r.TrafficClass,
		},
	})
	e.QKey = r.QKey
	m.tell(e)
}

// leaveMulticast gives the membership back; the port stays a member as long as another id is one.
func (infiniband) leaveMulticast(m *membership) {
	if m.member != nil && !m.id.kernel.deviates.InfiniBand.KeepsGroups {
		m.member.Leave()
		m.member = nil
	}
}

// Signatures in an MGID that say what it was made of (RFC 4391, section 4; of the connection manager's own groups:
// Linux cma_set_mgid).
const (
	signatureOfIPv4, signatureOfIPv6  = 0x40, 0x60
	signatureOfIPoIB, signatureOfRDMA = 0x1b, 0x01
)

// infinibandMGID maps an address to an MGID with scope and P_Key of the IPoIB broadcast group (cma_set_mgid): an MGID
// that is one already, or zero, for which the subnet administration is to choose one, or a signature and as many of the
// address' lowest bits as fit: 28 of IPv4, and 80 of IPv6. No address is refused.
func infinibandMGID(a spec.Sockaddr, ps spec.PortSpace, broadcast spec.GID) spec.GID {
	switch {
	case isAny(a):
		return spec.GID{}
	case a.Family() == spec.AFIB:
		return spec.GID(a[8:24])
	case a.Family() == spec.AFInet6 && isAssigned(a.Addr().As16()):
		return a.Addr().As16()
	}
	mgid := spec.GID{0xff, 0x10 | broadcast[1]&0x0f, signatureOfIPv4, signatureOfIPoIB, broadcast[4], broadcast[5]}
	if ps == spec.PSUDP {
		mgid[3] = signatureOfRDMA
	}
	if a.Family() == spec.AFInet6 {
		mgid[2] = signatureOfIPv6
		ip := a.Addr().As16()
		copy(mgid[6:], ip[6:])
		return mgid
	}
	ip := a.Addr().As4()
	copy(mgid[12:], ip[:])
	mgid[12] &= 0x0f
	return mgid
}

// isAssigned tells an MGID that a subnet administration has chosen: ff1x:a01b:.
func isAssigned(g spec.GID) bool {
	return g[0] == 0xff && g[1]&0xf0 == 0x10 && g[2] == 0xa0 && g[3] == 0x1b
}

// validMLID is the range of multicast LIDs.
func (infiniband) validMLID(mlid uint16) bool { return sm.IsMLID(mlid) }

// addressHandle needs no neighbour: it names a LID, and a GRH or none.
func (infiniband) addressHandle(d *device, a spec.AHAttr) (*ah, error) {
	if a.PortNum != portNum || a.IsGlobal && int(a.GRH.SGIDIndex) >= len(d.gids) {
		return nil, spec.EINVAL
	}
	return &ah{grh: a.GRH, global: a.IsGlobal, dlid: a.DLID, sl: a.SL}, nil
}

func (infiniband) mtu(*device) int { return hcaMTU }

// transmit sends a packet into the subnet. The port itself gives a multicast one to its own QPs, for the switches do
// not bring it back.
func (infiniband) transmit(d *device, a *ah, datagram *fabric.Datagram) {
	h := d.hca
	p := fabric.Packet{
		SLID: h.subnet.LID(h.gid), DLID: a.dlid, SL: a.sl, PKey: h.subnet.Policy().PKey, Datagram: datagram,
	}
	if a.global {
		p.GRH = &fabric.Header{
			Src: netip.AddrFrom16(h.gid), Dst: netip.AddrFrom16(a.grh.DGID),
			TrafficClass: a.grh.TrafficClass, FlowLabel: a.grh.FlowLabel, HopLimit: a.grh.HopLimit,
		}
	}
	if sm.IsMLID(p.DLID) {
		h.Take(p)
	}
	h.subnet.Send(h.gid, p)
}

// Take hands a packet to the QPs. A multicast one without a GRH names no group.
func (h *hca) Take(p fabric.Packet) {
	if h.device.removed {
		return
	}
	a := arrival{Datagram: p.Datagram, slid: p.SLID}
	if p.GRH != nil {
		a.group, a.grh = p.GRH.Dst.As16(), globalHeader(*p.GRH, p.Datagram)
	}
	h.device.deliver(a)
}

package kernel

import (
	"net/netip"
	"slices"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// membership is one join of one id (struct ucma_multicast with its struct cma_multicast).
type membership struct {
	id             *cmID
	handle         uabi.Multicast
	uid            uint64
	flags          spec.JoinFlags
	igmp           netip.Addr // the IPv4 group to give back; invalid when none was taken
	over           bool
	eventsReported uint32
}

// JoinIPMulticast starts a full membership by the older command, whose address is at most a sockaddr_in6.
func (f *cmFile) JoinIPMulticast(r uabi.JoinMulticast) (uabi.Multicast, error) {
	if r.Addr.Family() == spec.AFIB {
		return 0, spec.EINVAL
	}
	r.AddrSize, r.Flags = sockaddrSize(r.Addr), spec.FullMember
	return f.JoinMulticast(r)
}

// JoinMulticast starts a membership. The order of checks is ucma_process_join's, then rdma_join_multicast's.
func (f *cmFile) JoinMulticast(r uabi.JoinMulticast) (uabi.Multicast, error) {
	if err := f.write(); err != nil {
		return 0, err
	}
	if size := sockaddrSize(r.Addr); size == 0 || r.AddrSize != size || len(r.Addr) < size {
		return 0, spec.EINVAL
	}
	if r.Flags > spec.SendOnlyMember {
		return 0, spec.EINVAL
	}
	id, err := f.id(r.ID)
	if err != nil {
		return 0, err
	}
	m := &membership{id: id, uid: r.UID, flags: r.Flags}
	switch {
	case id.device != nil:
		if err := m.join(r.Addr); err != nil {
			return 0, err
		}
	case !f.kernel.deviates.JoinsUnbound:
		return 0, spec.EINVAL
	}
	m.handle = f.kernel.members.add(m)
	id.members = append(id.members, m)
	return m.handle, nil
}

// join is rdma_join_multicast up to the port's own part.
func (m *membership) join(a spec.Sockaddr) error {
	deviates := m.id.kernel.deviates
	switch {
	case m.id.state == addrBound || m.id.state == addrResolved:
	case m.id.state == routeResolved && deviates.JoinsAfterRoute:
	default:
		return spec.EINVAL
	}
	if m.id.qpType != spec.QPTypeUD && !deviates.JoinsTCP {
		return spec.EINVAL
	}
	return m.joinRoCE(a)
}

// joinRoCE is cma_iboe_join_multicast on a RoCEv2 port. It asks nobody, so all that can fail fails here, and the event
// it will tell is known here.
func (m *membership) joinRoCE(a spec.Sockaddr) error {
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
	mgid := k.mgid(a)
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
	if k.deviates.WarnsAtJoin {
		k.warn("WARNING: at drivers/infiniband/core/cma.c rdma_join_multicast (a simulated deviation)")
	}
	event := m.event(mgid)
	k.cmWork.Add(func() { m.tell(event) })
	if k.deviates.DuplicatesEvents {
		k.cmWork.Add(func() { m.tell(event) })
	}
	return nil
}

// mgid maps an IPv4 address to the MGID of a RoCEv2 port (cma_iboe_set_mgid); the loopback address maps to zero.
func (k *Kernel) mgid(a spec.Sockaddr) spec.GID {
	if isAny(a) {
		return spec.GID{}
	}
	mgid := spec.MGIDOf(a.Addr())
	if k.deviates.MapsToWrongGroup {
		mgid[15] ^= 1
	}
	return mgid
}

// event is what the join will tell (cma_make_mc_event). An id whose source address is gone gets MULTICAST_ERROR
// with the reason and nothing else.
func (m *membership) event(mgid spec.GID) uabi.Event {
	e := uabi.Event{UID: m.uid, ID: m.id.handle}
	sgid, ok := m.id.device.gidIndex(m.id.src)
	if !ok {
		e.Type = spec.MulticastError
		if !m.id.kernel.deviates.TellsStatusZero {
			e.Status = -int(spec.ENOENT)
		}
		return e
	}
	e.Type, e.QPNum, e.QKey = spec.MulticastJoin, spec.MulticastQPN, spec.UDPQKey
	e.AH = spec.AHAttr{
		IsGlobal: true, PortNum: portNum,
		GRH: spec.GlobalRoute{DGID: mgid, SGIDIndex: uint8(sgid), HopLimit: 64},
	}
	if m.id.kernel.deviates.TellsItsStack {
		e.AH.GRH.TrafficClass = 0x5a
	}
	return e
}

// tell queues the event of a membership that still stands.
func (m *membership) tell(e uabi.Event) {
	deviates := m.id.kernel.deviates
	gone := m.id.state == destroying || m.id.state == deviceRemoval
	if gone || m.over && !deviates.LeaveKeepsEvents || deviates.LosesEvents {
		return
	}
	if deviates.RouteLosesJoins && m.id.state != addrBound && m.id.state != addrResolved {
		return
	}
	m.id.queue(&cmEvent{Event: e, of: m.id, member: m})
}

// LeaveMulticast ends a membership and takes its unread events back.
func (f *cmFile) LeaveMulticast(h uabi.Multicast) (eventsReported uint32, err error) {
	if err := f.write(); err != nil {
		return 0, err
	}
	m, ok := f.kernel.members.entries[h]
	switch {
	case !ok:
		return 0, spec.ENOENT
	case m.id.file != f:
		return 0, spec.EINVAL
	case m.id.state == destroying:
		return 0, spec.ENXIO
	}
	f.end(m)
	return m.eventsReported, nil
}

// end ends a membership and drops its unread events.
func (f *cmFile) end(m *membership) {
	m.giveBack()
	f.kernel.members.remove(m.handle)
	m.id.members = slices.DeleteFunc(m.id.members, func(o *membership) bool { return o == m })
	if !f.kernel.deviates.LeaveKeepsEvents {
		f.drop(func(e *cmEvent) bool { return e.member == m })
	}
}

// giveBack ends the membership on the network (destroy_mc); a send-only one has nothing there.
func (m *membership) giveBack() {
	m.over = true
	if m.igmp.IsValid() && !m.id.kernel.deviates.LeaksIGMP {
		m.id.netdev.leaveGroup(m.igmp)
	}
}

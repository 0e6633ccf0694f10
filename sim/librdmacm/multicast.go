package librdmacm

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// JoinMulticast is rdma_join_multicast.
func (l *Library) JoinMulticast(h spec.ID, a spec.Sockaddr, c spec.Context) error {
	err := error(spec.EINVAL)
	if l.addrLen(a) > 0 {
		err = l.join(h, a, spec.FullMember, c)
	}
	return l.minusOne("rdma_join_multicast", err)
}

// JoinMulticastEx is rdma_join_multicast_ex. Both bits of the mask are mandatory, and a bit it does not know is refused
// before all else.
func (l *Library) JoinMulticastEx(h spec.ID, attr *spec.JoinAttr, c spec.Context) error {
	if attr == nil {
		segfault()
	}
	var err error
	switch {
	case l.deviates.LooksAtAddrFirst && l.addrLen(attr.Addr) == 0:
		err = spec.EINVAL
	case attr.CompMask > spec.JoinAttrAddress|spec.JoinAttrFlags:
		err = spec.ENOTSUP
	case attr.CompMask != spec.JoinAttrAddress|spec.JoinAttrFlags || attr.JoinFlags > spec.SendOnlyMember:
		err = spec.EINVAL
	case l.addrLen(attr.Addr) == 0:
		err = spec.EINVAL
	default:
		err = l.join(h, attr.Addr, attr.JoinFlags, c)
	}
	return l.minusOne("rdma_join_multicast_ex", err)
}

// join lists the membership first and takes it off again when the kernel refuses
// (rdma_join_multicast2).
func (l *Library) join(h spec.ID, a spec.Sockaddr, flags spec.JoinFlags, c spec.Context) error {
	addr := firstBytes(a, l.addrLen(a))
	if err := l.allocate(spec.Calloc); err != nil {
		return err
	}
	id := l.ids.deref(h)
	m := l.spare.membership()
	m.id, m.context, m.flags = id, c, flags
	if l.deviates.KeepsCallersAddr {
		m.addr = addr
	} else {
		m.addr = append(m.addr, addr...)
	}
	l.records.add(m, l.next())
	l.list(m)
	if err := l.ask(m, addr); err != nil {
		if !l.deviates.KeepsRefusedJoins {
			unlist(m)
			l.free(m)
		}
		return err
	}
	if l.deviates.AttachesAtJoin && id.qp != nil && flags == spec.FullMember {
		_ = id.qp.device.verbs.AttachMulticast(id.qp.kernelQP, spec.MGIDOf(addr.Addr()), 0)
	}
	if l.deviates.SyncJoinReturnsEarly {
		return nil
	}
	return l.complete(id)
}

// ask has the kernel join. One that does not know AF_IB knows no flags either.
func (l *Library) ask(m *membership, addr spec.Sockaddr) (err error) {
	f := l.file(m.id.channel)
	r := uabi.JoinMulticast{ID: m.id.kernelID, UID: m.uid, Addr: addr, AddrSize: len(addr), Flags: m.flags}
	switch {
	case l.afIB:
		m.handle, err = f.JoinMulticast(r)
	case m.flags == spec.SendOnlyMember && !l.deviates.SendOnlyBecomesFull:
		err = spec.ENOTSUP
	default:
		r.Flags = spec.FullMember
		m.handle, err = f.JoinIPMulticast(r)
	}
	return err
}

// free frees a membership that is on no list any more.
func (l *Library) free(m *membership) {
	if l.deviates.KeepsFreedMemberships {
		return
	}
	l.records.remove(m)
	if m.eventsRead == m.eventsCompleted && !l.deviates.KeepsCallersAddr {
		l.spare.freeMembership(m)
	}
}

// LeaveMulticast is rdma_leave_multicast: it detaches the QP that the id has now, whatever comes of that, and waits
// until every event of the membership that was read is acknowledged.
func (l *Library) LeaveMulticast(h spec.ID, a spec.Sockaddr) error {
	return l.minusOne("rdma_leave_multicast", l.leave(h, a))
}

// LeavesAtOnce tells whether no leave on the id waits for acknowledgements when nothing more is retrieved.
func (l *Library) LeavesAtOnce(h spec.ID) bool {
	id := l.ids.find(h)
	return id == nil || !id.sync && id.eventsRead == id.eventsCompleted
}

func (l *Library) leave(h spec.ID, a spec.Sockaddr) error {
	n := l.addrLen(a)
	if n == 0 {
		return spec.EINVAL
	}
	id := l.ids.deref(h)
	m := l.find(id, firstBytes(a, n))
	switch {
	case m == nil && l.deviates.LeaveAlwaysSucceeds:
		return nil
	case m == nil:
		return spec.EADDRNOTAVAIL
	}
	if !l.deviates.SyncLeaveKeepsEvent {
		l.ackOwn(id)
	}
	l.detach(m)
	// Off the list from here on, though it is freed only when nobody can tell its events any more.
	unlist(m)
	cancelled := m.mgid == spec.GID{}
	l.world.Pause() // another thread may retrieve the event before the kernel hears of the leave
	reported, err := l.file(id.channel).LeaveMulticast(m.handle)
	if err != nil {
		l.free(m)
		return err
	}
	if m.eventsCompleted < reported && !l.deviates.LeaveIgnoresAcks {
		l.world.Sleep(func() bool { return m.eventsCompleted >= reported })
	}
	if cancelled && reported > 0 && !l.deviates.LeaveDetachesEarly {
		l.detach(m) // what that thread has attached
	}
	l.free(m)
	return nil
}

// detach takes the id's QP off the membership's group; a send-only member never attached it. The result does not
// matter: before the event was retrieved the group is all zero, and the kernel refuses that.
func (l *Library) detach(m *membership) {
	q := m.id.qp
	if q == nil || m.flags == spec.SendOnlyMember || l.deviates.LeaveKeepsAttached {
		return
	}
	if !l.deviates.LeaveDetachesShared && m.shared() {
		return
	}
	from := m
	if oldest := m.id.joined.all.First(); l.deviates.LeaveDetachesOldest && oldest != nil {
		from = oldest
	}
	_ = q.device.verbs.DetachMulticast(q.kernelQP, from.mgid, from.mlid)
}

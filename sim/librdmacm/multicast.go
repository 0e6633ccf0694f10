package librdmacm

import (
	"errors"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// JoinMulticast is rdma_join_multicast.
func (l *Library) JoinMulticast(h spec.ID, a spec.Sockaddr, c spec.Context) error {
	err := error(spec.EINVAL)
	switch deviates := &l.deviates; {
	case l.addrLen(a) > 0:
		err = l.join(h, a, spec.FullMember, c)
	case a == nil && deviates.DereferencesNULL:
		segfault()
	case a != nil && deviates.NamesOddFamily:
		err = spec.EAFNOSUPPORT
	}
	return l.minusOne("rdma_join_multicast", err)
}

// JoinMulticastEx is rdma_join_multicast_ex. Both bits of the mask are mandatory, and a bit it does not know is refused
// before all else.
func (l *Library) JoinMulticastEx(h spec.ID, attr *spec.JoinAttr, c spec.Context) error {
	if attr == nil {
		segfault()
	}
	a := l.attrAsRead(*attr)
	var err error
	switch {
	case l.deviates.LooksAtAddrFirst && l.addrLen(a.Addr) == 0:
		err = spec.EINVAL
	case a.CompMask > bothAttrs && !l.deviates.UnknownBitIsEINVAL:
		err = spec.ENOTSUP
	case a.CompMask != bothAttrs || a.JoinFlags > spec.SendOnlyMember:
		err = spec.EINVAL
	case a.Addr == nil && l.deviates.TrustsAddr:
		segfault()
	case l.addrLen(a.Addr) == 0:
		err = spec.EINVAL
	case a.JoinFlags == spec.SendOnlyMember && l.deviates.RefusesSendOnly:
		err = spec.ENOTSUP
	default:
		err = l.join(h, a.Addr, a.JoinFlags, c)
	}
	return l.minusOne("rdma_join_multicast_ex", err)
}

// bothAttrs is the only mask that is taken.
const bothAttrs = spec.JoinAttrAddress | spec.JoinAttrFlags

// attrAsRead is what the library makes of the attributes before it checks them.
func (l *Library) attrAsRead(a spec.JoinAttr) spec.JoinAttr {
	d := &l.deviates
	if d.AddrBitIsOptional && a.CompMask <= bothAttrs {
		a.CompMask |= spec.JoinAttrAddress
	}
	if d.FlagsBitIsOptional && a.CompMask <= bothAttrs {
		a.CompMask |= spec.JoinAttrFlags
	}
	if d.TruncatesFlags {
		a.JoinFlags &= 0xffff
	}
	if d.SwapsFlags && a.JoinFlags <= spec.SendOnlyMember {
		a.JoinFlags ^= spec.FullMember ^ spec.SendOnlyMember
	}
	return a
}

// join lists the membership first and takes it off again when the kernel refuses
// (rdma_join_multicast2).
func (l *Library) join(h spec.ID, a spec.Sockaddr, flags spec.JoinFlags, c spec.Context) error {
	addr := firstBytes(a, l.addrLen(a))
	if err := l.allocate(spec.Calloc); err != nil {
		if l.deviates.IgnoresNoMemory {
			segfault()
		}
		return err
	}
	id := l.ids.deref(h)
	m := l.spareMembers.Take()
	m.id, m.context, m.flags, m.qpAtJoin = id, c, flags, id.qp
	if l.deviates.KeepsCallersAddr {
		m.addr = addr
	} else {
		m.addr = addr.AppendTo(m.addr)
	}
	l.records.add(m, l.next())
	l.list(m)
	if err := l.ask(m, addr); err != nil {
		if !l.deviates.KeepsRefusedJoins {
			unlist(m)
			l.free(m)
		}
		if id.sync && l.deviates.SyncRefusedJoinWaits {
			_ = l.complete(id)
		}
		return err
	}
	id.joins++
	if l.deviates.AttachesAtJoin && id.qp != nil && flags == spec.FullMember {
		_ = id.qp.device.verbs.AttachMulticast(id.qp.kernelQP, spec.MGIDOf(addr.Addr()), 0)
	}
	if !id.sync || l.deviates.SyncJoinReturnsEarly {
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
	case m.flags == spec.SendOnlyMember && l.deviates.PretendsSendOnly:
	case m.flags == spec.SendOnlyMember && !l.deviates.SendOnlyBecomesFull:
		err = spec.ENOTSUP
	default:
		r.Flags = spec.FullMember
		m.handle, err = f.JoinIPMulticast(r)
	}
	if l.deviates.LosesWriteError && errors.Is(err, spec.EBADF) {
		err = spec.ENODATA
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
		*m = membership{addr: m.addr[:0]}
		l.spareMembers.Free(m)
	}
}

// LeaveMulticast is rdma_leave_multicast: it detaches the QP that the id has now, whatever comes of that, and waits
// until every event of the membership that was read is acknowledged.
func (l *Library) LeaveMulticast(h spec.ID, a spec.Sockaddr) error {
	err := l.leave(h, a)
	if l.deviates.LeaveReturnsErrno {
		return positive("rdma_leave_multicast", err)
	}
	return l.minusOne("rdma_leave_multicast", err)
}

// LeavesAtOnce tells whether no leave on the id waits for acknowledgements when nothing more is retrieved.
func (l *Library) LeavesAtOnce(h spec.ID) bool {
	id := l.ids.find(h)
	return id == nil || !id.sync && id.eventsRead == id.eventsCompleted && !l.deviates.LeaveAwaitsRetrieval
}

func (l *Library) leave(h spec.ID, a spec.Sockaddr) error {
	d := &l.deviates
	n := l.addrLen(a)
	switch {
	case n == 0 && d.LeaveOfNullNotFound:
		return spec.EADDRNOTAVAIL
	case n == 0:
		return spec.EINVAL
	}
	id := l.ids.deref(h)
	m := l.find(id, firstBytes(a, n))
	switch {
	case m == nil && d.LeaveAlwaysSucceeds:
		return nil
	case m == nil:
		return spec.EADDRNOTAVAIL
	case id.event != nil && d.SyncLeaveRefused:
		return spec.EBUSY
	case m.attached && id.qp == nil && d.LeaveNeedsQP:
		return spec.EINVAL
	}
	if !d.SyncLeaveKeepsEvent {
		l.ackOwn(id)
	}
	err := l.end(m)
	if err == nil && d.LeavesAllEqual && l.find(id, firstBytes(a, n)) != nil {
		return l.leave(h, a)
	}
	return err
}

// end ends a membership.
func (l *Library) end(m *membership) error {
	d := &l.deviates
	detached := l.detach(m)
	staysListed := d.LeaveKeepsListed || d.LeaveUnlistsLate
	if !staysListed {
		unlist(m) // from here on, though it is freed only when nobody can tell its events any more
	}
	cancelled := m.mgid == spec.GID{}
	if cancelled && d.LeaveAwaitsRetrieval {
		l.world.Sleep(func() bool { return m.eventsRead > 0 })
	}
	l.world.Pause() // another thread may retrieve the event before the kernel hears of the leave
	reported, err := l.file(m.id.channel).LeaveMulticast(m.handle)
	switch {
	case err != nil && staysListed:
		return err
	case err != nil:
		l.free(m)
		return err
	case d.LeaveUnlistsLate:
		unlist(m)
	}
	l.awaitAcks(m, reported)
	if cancelled && reported > 0 && !d.LeaveDetachesEarly {
		_ = l.detach(m) // what that thread has attached
	}
	if !staysListed {
		l.free(m)
	}
	if d.LeaveTellsDetach {
		return detached
	}
	return nil
}

// awaitAcks sleeps until as many events of a membership are acknowledged as the kernel has reported.
func (l *Library) awaitAcks(m *membership, reported uint32) {
	d, id := &l.deviates, m.id
	if m.eventsCompleted < reported && !d.LeaveIgnoresAcks {
		joins := id.joins
		l.world.Sleep(func() bool {
			return m.eventsCompleted >= reported && (id.joins == joins || !d.LeaveMissesWakeUp)
		})
	}
	if d.LeaveAwaitsAllEvents {
		l.world.Sleep(func() bool { return id.eventsCompleted >= id.eventsRead })
	}
}

// detach takes the id's QP off the membership's group; a send-only member never attached it. The result does not
// matter: before the event was retrieved the group is all zero, and the kernel refuses that.
func (l *Library) detach(m *membership) error {
	d, q := &l.deviates, m.id.qp
	switch {
	case q == nil || d.LeaveKeepsAttached || d.LeaveDetachesOwnOnly && !m.attached:
		return nil
	case m.flags == spec.SendOnlyMember && !d.LeaveDetachesSendOnly:
		return nil
	case !d.LeaveDetachesShared && m.shared():
		return nil
	}
	from := m
	if oldest := m.id.joined.all.First(); d.LeaveDetachesOldest && oldest != nil {
		from = oldest
	}
	mgid := from.mgid
	if d.LeaveDetachesByAddr && mgid == (spec.GID{}) {
		mgid = spec.MGIDOf(from.addr.Addr())
	}
	return q.device.verbs.DetachMulticast(q.kernelQP, mgid, from.mlid)
}

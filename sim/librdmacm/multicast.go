package librdmacm

import (
	"bytes"
	"slices"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// membership is one join (struct cma_multicast).
type membership struct {
	id              *cmID
	uid             uint64
	handle          uabi.Multicast
	context         spec.Context
	flags           spec.JoinFlags
	addr            spec.Sockaddr
	mgid            spec.GID // zero until the JOIN event is retrieved
	mlid            uint16
	eventsCompleted uint32
}

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
	if !l.deviates.KeepsCallersAddr {
		addr = addr.Clone()
	}
	if err := l.allocate(spec.Calloc); err != nil {
		return err
	}
	id := deref(l.ids, h)
	m := &membership{id: id, uid: uint64(l.next()), context: c, flags: flags, addr: addr}
	id.memberships = append(id.memberships, m)
	l.memberships[m.uid] = m
	if err := l.ask(m, addr); err != nil {
		if !l.deviates.KeepsRefusedJoins {
			l.forget(m)
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
	r := uabi.JoinMulticast{ID: m.id.kernelID, UID: m.uid, Addr: addr.Clone(), AddrSize: len(addr), Flags: m.flags}
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

// forget takes a membership off the list and frees it.
func (l *Library) forget(m *membership) {
	m.id.memberships = slices.DeleteFunc(m.id.memberships, func(o *membership) bool { return o == m })
	if !l.deviates.KeepsFreedMemberships {
		delete(l.memberships, m.uid)
	}
}

// LeaveMulticast is rdma_leave_multicast: it detaches the QP that the id has now, whatever comes of that, and waits
// until every event of the membership that was read is acknowledged.
func (l *Library) LeaveMulticast(h spec.ID, a spec.Sockaddr) error {
	return l.minusOne("rdma_leave_multicast", l.leave(h, a))
}

func (l *Library) leave(h spec.ID, a spec.Sockaddr) error {
	n := l.addrLen(a)
	if n == 0 {
		return spec.EINVAL
	}
	id := deref(l.ids, h)
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
	id.memberships = slices.DeleteFunc(id.memberships, func(o *membership) bool { return o == m })
	cancelled := m.mgid == spec.GID{}
	l.world.Pause() // another thread may retrieve the event before the kernel hears of the leave
	reported, err := l.file(id.channel).LeaveMulticast(m.handle)
	if err != nil {
		l.forget(m)
		return err
	}
	if !l.deviates.LeaveIgnoresAcks {
		l.world.Sleep(func() bool { return m.eventsCompleted >= reported })
	}
	if cancelled && reported > 0 && !l.deviates.LeaveDetachesEarly {
		l.detach(m) // what that thread has attached
	}
	l.forget(m)
	return nil
}

// find is the newest membership whose sockaddr has the same bytes, padding included; nil when there is none.
func (l *Library) find(id *cmID, a spec.Sockaddr) *membership {
	var found *membership
	for _, m := range slices.Backward(id.memberships) {
		if l.same(m.addr, a) {
			found = m
			if !l.deviates.LeavesOldest {
				break
			}
		}
	}
	return found
}

func (l *Library) same(a, b spec.Sockaddr) bool {
	if l.deviates.LeaveIgnoresPort {
		a, b = a.Clone(), b.Clone()
		clear(a[2:4])
		clear(b[2:4])
	}
	return bytes.Equal(a, b)
}

// detach takes the id's QP off the membership's group; a send-only member never attached it. The result does not
// matter: before the event was retrieved the group is all zero, and the kernel refuses that.
func (l *Library) detach(m *membership) {
	q := m.id.qp
	if q == nil || m.flags == spec.SendOnlyMember || l.deviates.LeaveKeepsAttached {
		return
	}
	if m.shared() && !l.deviates.LeaveDetachesShared {
		return
	}
	from := m
	if l.deviates.LeaveDetachesOldest && len(m.id.memberships) > 0 {
		from = m.id.memberships[0]
	}
	_ = q.device.verbs.DetachMulticast(q.kernelQP, from.mgid, from.mlid)
}

// shared tells whether the QP is a member by another join of the same group too.
func (m *membership) shared() bool {
	return slices.ContainsFunc(m.id.memberships, func(o *membership) bool {
		return o != m && o.mgid == m.mgid && o.flags == spec.FullMember
	})
}

package kernel

import (
	"net/netip"

	"joinmcast/sim/chain"
	"joinmcast/sim/sa"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// membership is one join of one id (struct ucma_multicast with its struct cma_multicast).
type membership struct {
	id             *cmID
	file           *cmFile // of its join
	handle         uabi.Multicast
	uid            uint64
	flags          spec.JoinFlags
	igmp           netip.Addr // on RoCE: the IPv4 group to give back; invalid when none was taken
	member         *sa.Member // on InfiniBand
	over           bool
	eventsReported uint32

	ofID   chain.Links[membership]
	coming int      // events on the rdma_cm workqueue
	unread *cmEvent // the newest of its events that are unread
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
	size := sockaddrSize(r.Addr)
	sizeFits := r.AddrSize == size || f.kernel.deviates.Address.IgnoresSize
	if size == 0 || !sizeFits || len(r.Addr) < size {
		return 0, spec.EINVAL
	}
	if r.Flags > spec.SendOnlyMember {
		return 0, spec.EINVAL
	}
	id, err := f.id(r.ID)
	if err != nil {
		return 0, err
	}
	m := f.kernel.spareMembers.Take()
	m.id, m.file, m.uid, m.flags = id, f, r.UID, r.Flags
	switch {
	case id.device != nil:
		if err := m.join(r.Addr); err != nil {
			return 0, err
		}
	case !f.kernel.deviates.JoinsUnbound:
		if f.kernel.deviates.File.TellsRefusedJoins {
			id.queue(m.errorEvent(spec.EINVAL)) // ahead of what the id does next
		}
		return 0, spec.EINVAL
	}
	m.handle = f.kernel.members.add(m)
	id.members.Add(m, &m.ofID)
	return m.handle, nil
}

// join is rdma_join_multicast up to the port's own part.
func (m *membership) join(a spec.Sockaddr) error {
	deviates := &m.id.kernel.deviates
	if !m.id.isReady() || deviates.Binding.JoinsOwnFamily && a.Family() != m.id.family {
		return spec.EINVAL
	}
	if m.id.qpType != spec.QPTypeUD && !deviates.JoinsTCP {
		switch {
		case deviates.Address.JoinsRCOfPSIB && m.id.ps == spec.PSIB:
		case deviates.Address.RefusesRCOtherwise:
			return spec.EOPNOTSUPP
		default:
			return spec.EINVAL
		}
	}
	if deviates.WarnsAtJoin {
		m.id.kernel.warn("WARNING: at drivers/infiniband/core/cma.c rdma_join_multicast (a simulated deviation)")
	}
	return m.id.device.kind.transport.joinMulticast(m, a)
}

// isReady tells whether the id is in a state to join.
func (id *cmID) isReady() bool {
	deviates := &id.kernel.deviates
	switch id.state {
	case addrBound:
		return !deviates.Binding.NeedsResolution
	case addrResolved:
		return true
	case routeResolved:
		return deviates.JoinsAfterRoute
	case listening:
		return deviates.Binding.JoinsListening
	}
	return false
}

// joinEvent is what a join that succeeded tells (cma_make_mc_event): the group, the way to it and the port's own part
// are filled in here. An id whose source address is gone gets MULTICAST_ERROR with the reason and nothing else.
func (m *membership) joinEvent(group *spec.AHAttr) *cmEvent {
	sgid, ok := m.id.device.kind.transport.sourceGID(m.id.device, m.id.netdev, m.id.src)
	switch {
	case !ok && m.id.kernel.deviates.TellsStatusZero:
		return m.errorEvent(0)
	case !ok:
		return m.errorEvent(spec.ENOENT)
	}
	e := m.newEvent()
	e.AH = *group
	e.Type, e.QPNum, e.QKey = spec.MulticastJoin, spec.MulticastQPN, spec.UDPQKey
	e.AH.IsGlobal, e.AH.PortNum, e.AH.GRH.SGIDIndex = true, portNum, uint8(sgid)
	if m.id.kernel.deviates.TellsItsStack {
		e.AH.GRH.TrafficClass = 0x5a
	}
	if m.id.ps == spec.PSIB && m.id.kernel.deviates.Address.ForgetsQKeyOfPSIB {
		e.QKey = 0
	}
	m.id.kernel.deviates.Event.change(e)
	return e
}

// errorEvent is what a join that failed, or a membership that was lost, tells: the reason and nothing else.
func (m *membership) errorEvent(reason spec.Errno) *cmEvent {
	e := m.newEvent()
	deviates := &m.id.kernel.deviates.Event
	e.Type, e.Status = spec.MulticastError, deviates.status(-int(reason))
	if deviates.FailureIsJoin {
		e.Type = spec.MulticastJoin
	}
	return e
}

// tellSoon tells an event from the rdma_cm workqueue.
func (m *membership) tellSoon(e *cmEvent) {
	k := m.id.kernel
	m.coming++
	k.cmWork.AddWork(e)
	if k.deviates.DuplicatesEvents {
		again := m.newEvent()
		again.Event = e.Event
		m.coming++
		k.cmWork.AddWork(again)
	}
}

// tell queues the event of a membership that still stands.
func (m *membership) tell(e *cmEvent) {
	deviates := &m.id.kernel.deviates
	gone := m.id.state == destroying || m.id.state == deviceRemoval
	if gone || m.over && !deviates.LeaveKeepsEvents || deviates.LosesEvents {
		e.free()
		return
	}
	if deviates.RouteLosesJoins && m.id.state != addrBound && m.id.state != addrResolved {
		e.free()
		return
	}
	m.id.queue(e)
}

// LeaveMulticast ends a membership and takes its unread events back.
func (f *cmFile) LeaveMulticast(h uabi.Multicast) (eventsReported uint32, err error) {
	if err := f.write(); err != nil {
		return 0, err
	}
	m, ok := f.kernel.members.get(h)
	switch {
	case !ok:
		return 0, spec.ENOENT
	case !m.leftBy(f):
		return 0, spec.EINVAL
	case m.id.state == destroying:
		return 0, spec.ENXIO
	}
	f.end(m)
	eventsReported = m.eventsReported
	m.free()
	return eventsReported, nil
}

// leftBy tells whether a file may end the membership: the one that its id is on.
func (m *membership) leftBy(f *cmFile) bool {
	deviates := &f.kernel.deviates
	if deviates.File.MigrateKeepsMembers {
		return m.file == f
	}
	return m.id.file == f || deviates.Leave.TakesAnyFile
}

// free takes the memory of a membership that is over back. One that an event refers to is left to the garbage
// collector, and so is one that was the subnet administration's to tell of.
func (m *membership) free() {
	k := m.id.kernel
	if m.coming > 0 || m.unread != nil || !m.igmp.IsValid() {
		return
	}
	*m = membership{}
	k.spareMembers.Free(m)
}

// end ends a membership and drops its unread events.
func (f *cmFile) end(m *membership) {
	m.giveBack()
	f.kernel.members.remove(m.handle)
	m.id.members.Remove(&m.ofID)
	for m.unread != nil && !f.kernel.deviates.LeaveKeepsEvents {
		e := m.unread
		e.takeBack()
		e.free()
	}
}

// giveBack ends the membership in the fabric (destroy_mc). One that was made without a device has nothing there.
func (m *membership) giveBack() {
	m.over = true
	if m.id.device != nil {
		m.id.device.kind.transport.leaveMulticast(m)
	}
}

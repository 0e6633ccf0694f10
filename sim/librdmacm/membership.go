package librdmacm

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"joinmcast/sim/chain"
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
	attached        bool // by the retrieval
	qpAtJoin        *qp
	eventsRead      uint32
	eventsCompleted uint32

	ofID   chain.Links[membership]
	byAddr chain.Place[membership]
}

// records are the memberships by the uid that the kernel gives back with their events: the place in the table, and
// above it a number that no other membership has had.
type records struct {
	at   []*membership
	free []uint32
}

// uid bits that are the place in the table.
const placeBits = 32

// add lists a membership under a uid that bears the number, which is not 0.
func (r *records) add(m *membership, number uint32) {
	place := uint32(len(r.at))
	if last := len(r.free) - 1; last >= 0 {
		place, r.free = r.free[last], r.free[:last]
		r.at[place] = m
	} else {
		r.at = append(r.at, m)
	}
	m.uid = uint64(number)<<placeBits | uint64(place)
}

// remove takes a membership off the table.
func (r *records) remove(m *membership) {
	place := uint32(m.uid)
	r.at[place] = nil
	r.free = append(r.free, place)
}

// deref is the membership that a uid stands for. A uid of what is gone ends the process.
func (r *records) deref(uid uint64) *membership {
	if place := uid & (1<<placeBits - 1); place < uint64(len(r.at)) {
		if m := r.at[place]; m != nil && m.uid == uid {
			return m
		}
	}
	segfault()
	return nil
}

func (r *records) len() int { return len(r.at) - len(r.free) }

// joined are an id's memberships.
type joined struct {
	all    chain.Chain[membership]
	byAddr chain.Table[membership] // by the keys of their addresses as they were at the join
}

// keySeed is the keys'. Which key an address has shows nowhere.
var keySeed = maphash.MakeSeed()

// mix spreads the bits of a sockaddr_in, whose padding hardly ever says anything.
const mix = 0x9e3779b97f4a7c15

// key is equal for sockaddrs that a leave takes for the same one, and hardly ever for others.
func (l *Library) key(a spec.Sockaddr) uint64 {
	if l.deviates.comparesLess() {
		a = l.compared(a)
	}
	if len(a) == spec.SizeofSockaddrIn {
		return binary.LittleEndian.Uint64(a)*mix ^ binary.LittleEndian.Uint64(a[8:])
	}
	return maphash.Bytes(keySeed, a)
}

// list adds a membership to those of its id.
func (l *Library) list(m *membership) {
	m.id.joined.all.Add(m, &m.ofID)
	m.id.joined.byAddr.Add(m, &m.byAddr, l.key(m.addr))
}

// unlist takes a membership off those of its id.
func unlist(m *membership) {
	m.id.joined.all.Remove(&m.ofID)
	m.id.joined.byAddr.Remove(&m.byAddr)
}

// find is the newest membership whose sockaddr has the same bytes, padding included; nil when there is none.
func (l *Library) find(id *cmID, a spec.Sockaddr) *membership {
	var found *membership
	of := &id.joined.byAddr
	for m := of.First(l.key(a)); m != nil; m = of.Next(&m.byAddr) {
		if l.same(m.addr, a) {
			found = m
			if !l.deviates.LeavesOldest {
				break
			}
		}
	}
	if found == nil && l.deviates.LeaveFindsMGID {
		return id.joinedAs(a)
	}
	return found
}

func (l *Library) same(a, b spec.Sockaddr) bool {
	if l.deviates.comparesLess() {
		a, b = l.compared(a), l.compared(b)
	}
	if len(a) == spec.SizeofSockaddrIn && len(b) == spec.SizeofSockaddrIn { // quicker, and nearly all are
		return [spec.SizeofSockaddrIn]byte(a) == [spec.SizeofSockaddrIn]byte(b)
	}
	return bytes.Equal(a, b)
}

// comparesLess tells whether a leave leaves something of an address out.
func (d *Deviations) comparesLess() bool { return d.LeaveIgnoresPort || d.LeaveIgnoresScope }

// compared is what of an address a leave compares: all of it, but for deviations.
func (l *Library) compared(a spec.Sockaddr) spec.Sockaddr {
	if l.deviates.LeaveIgnoresPort {
		a = a.Clone()
		clear(a[2:4])
	}
	if l.deviates.LeaveIgnoresScope && a.Family() == spec.AFInet6 {
		a = a.Clone()
		clear(a[4:8])   // sin6_flowinfo
		clear(a[24:28]) // sin6_scope_id
	}
	return a
}

// joinedAs is a membership whose MGID the IPv6 address is; nil when there is none.
func (id *cmID) joinedAs(a spec.Sockaddr) *membership {
	for m := range id.joined.all.All() {
		if a.Family() == spec.AFInet6 && m.mgid == spec.MGIDOf(a.Addr()) {
			return m
		}
	}
	return nil
}

// shared tells whether the QP is a member by another join of the same group too.
func (m *membership) shared() bool {
	for o := range m.id.joined.all.All() {
		if o != m && o.mgid == m.mgid && o.flags == spec.FullMember {
			return true
		}
	}
	return false
}

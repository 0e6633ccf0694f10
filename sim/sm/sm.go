// Package sm simulates the subnet manager of an InfiniBand subnet with its administration: it gives ports their LIDs,
// keeps the multicast groups and their members, and knows which ports a multicast datagram goes to. It keeps no time
// and no lock, and asks nobody. The truth is that of the InfiniBand Architecture Specification, volume 1 (the attribute
// MCMemberRecord), and where that leaves a choice that of OpenSM.
package sm

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"joinmcast/spec"
)

// ErrSilent is the answer of a manager that gives none.
var ErrSilent = errors.New("the subnet manager does not answer")

// Policy is what a subnet's administrator has chosen.
type Policy struct {
	PKey     uint16 // of the one partition
	QKey     uint32 // of the partition's IPoIB broadcast group
	Scope    uint8  // of the broadcast group and of the MGIDs that the manager chooses
	MTU      int    // of a group whose creator asks for none, in bytes
	SendOnly bool   // whether ports may be send-only full members
	MLIDs    int    // how many groups there can be at a time
}

// Default is the policy of a subnet that nobody has configured.
func Default() Policy {
	return Policy{PKey: 0xFFFF, QKey: 0x0B1B, Scope: 2, MTU: 2048, SendOnly: true, MLIDs: LastMLID - FirstMLID + 1}
}

// Manager is a subnet manager with its administration.
type Manager struct {
	policy   Policy
	ports    map[spec.GID]port
	lids     map[uint16]spec.GID
	lastLID  uint16
	groups   map[spec.GID]*group
	routes   map[uint16]*group // by MLID
	assigned uint32            // MGIDs chosen
	refusal  Refusal           // of every join; 0: none
	silent   bool
}

type port struct {
	lid uint16
	mtu int
}

// group is a multicast group: what all its members have in common, and how each port is one.
type group struct {
	record    Record
	members   map[spec.GID]JoinState
	permanent bool // there without members
}

// New makes a manager of a subnet without ports, whose only group is the IPoIB broadcast group.
func New(p Policy) *Manager {
	m := &Manager{
		policy: p, ports: map[spec.GID]port{}, lids: map[uint16]spec.GID{},
		groups: map[spec.GID]*group{}, routes: map[uint16]*group{},
	}
	m.addBroadcast()
	return m
}

func (m *Manager) addBroadcast() {
	broadcast := m.add(Record{MGID: m.Broadcast(), QKey: m.policy.QKey, PKey: m.policy.PKey, MTU: m.policy.MTU})
	broadcast.permanent = true
}

// Policy is what the manager goes by.
func (m *Manager) Policy() Policy { return m.policy }

// SetPolicy changes what the manager goes by, as its new start does: all groups are forgotten, and all that the ports
// were in them.
func (m *Manager) SetPolicy(p Policy) {
	m.policy = p
	clear(m.groups)
	clear(m.routes)
	m.addBroadcast()
}

// Broadcast is the MGID of the IPoIB broadcast group (RFC 4391, section 4).
func (m *Manager) Broadcast() spec.GID {
	return spec.GID{
		0xff, 0x10 | m.policy.Scope, 0x40, 0x1b, byte(m.policy.PKey >> 8), byte(m.policy.PKey),
		12: 0xff, 13: 0xff, 14: 0xff, 15: 0xff,
	}
}

// AddPort takes a port with its largest MTU in bytes into the subnet and gives it a LID.
func (m *Manager) AddPort(gid spec.GID, mtu int) {
	m.ports[gid] = port{mtu: mtu}
	m.Relocate(gid)
}

// Relocate gives a port a LID that none has had.
func (m *Manager) Relocate(gid spec.GID) {
	p := m.ports[gid]
	delete(m.lids, p.lid)
	m.lastLID++
	p.lid = m.lastLID
	m.ports[gid], m.lids[p.lid] = p, gid
}

// LID is a port's address within the subnet.
func (m *Manager) LID(gid spec.GID) uint16 { return m.ports[gid].lid }

// Ports are the subnet's ports in the order of their LIDs.
func (m *Manager) Ports() []spec.GID {
	var ports []spec.GID
	for _, lid := range slices.Sorted(maps.Keys(m.lids)) {
		ports = append(ports, m.lids[lid])
	}
	return ports
}

// PortAt is the port with a LID.
func (m *Manager) PortAt(lid uint16) (gid spec.GID, ok bool) {
	gid, ok = m.lids[lid]
	return gid, ok
}

// Refuse makes the manager refuse every join with this status, until it is told 0.
func (m *Manager) Refuse(status Refusal) { m.refusal = status }

// Silence makes the manager leave every join unanswered, or ends that.
func (m *Manager) Silence(on bool) { m.silent = on }

// Join makes a port a member, and creates the group if need be. The answer is the group's record with all ways in which
// the port is a member now. The error is a Refusal, or ErrSilent.
func (m *Manager) Join(request Record, given Components) (Record, error) {
	if m.silent {
		return Record{}, ErrSilent
	}
	if err := m.judge(request, given); err != nil {
		return Record{}, err
	}
	g := m.groups[request.MGID]
	if g == nil {
		if len(m.groups) >= m.policy.MLIDs {
			return Record{}, NoResources
		}
		g = m.create(request, given)
	}
	g.members[request.PortGID] |= request.JoinState
	return g.of(request.PortGID), nil
}

// judge finds what is wrong with a join.
func (m *Manager) judge(request Record, given Components) error {
	p, known := m.ports[request.PortGID]
	g := m.groups[request.MGID]
	assign := request.MGID == spec.GID{}
	mtu := m.policy.MTU
	switch {
	case g != nil:
		mtu = g.record.MTU
	case given&MTU != 0:
		mtu = request.MTU
	}
	switch {
	case m.refusal != 0:
		return m.refusal
	case !known || !assign && request.MGID[0] != 0xff:
		return InvalidGID
	case request.JoinState&SendOnlyFull != 0 && !m.policy.SendOnly:
		return InvalidRequest
	case g == nil && request.JoinState&keepsAlive == 0:
		return InvalidRequest // nobody who joins like this can create a group
	case g == nil && given&ToCreate != ToCreate:
		return InsufficientComponents
	case g == nil && !SamePartition(request.PKey, m.policy.PKey), mtu > p.mtu:
		return InvalidRequest
	case g != nil && g.record.Differs(request, given):
		return InvalidRequest
	}
	return nil
}

// create makes the group that a request describes.
func (m *Manager) create(request Record, given Components) *group {
	if (request.MGID == spec.GID{}) {
		request.MGID = m.assign()
	}
	if given&MTU == 0 {
		request.MTU = m.policy.MTU
	}
	if given&HopLimit == 0 {
		request.HopLimit = 0
	}
	return m.add(request)
}

// add gives a group an MLID. There must be one.
func (m *Manager) add(r Record) *group {
	r.MLID = m.freeMLID()
	g := &group{record: r, members: map[spec.GID]JoinState{}}
	m.groups[r.MGID], m.routes[r.MLID] = g, g
	return g
}

// subnetPrefix is the upper half of every GID of the subnet: the default one.
var subnetPrefix = [8]byte{0xfe, 0x80}

// assign chooses an MGID that no group has: a signature that says so, the subnet's prefix, and a number.
func (m *Manager) assign() spec.GID {
	m.assigned++
	mgid := spec.GID{0xff, 0x10 | m.policy.Scope, 0xa0, 0x1b}
	copy(mgid[4:], subnetPrefix[:])
	for i := range 4 {
		mgid[12+i] = byte(m.assigned >> (24 - 8*i))
	}
	return mgid
}

// of is the group's record for a port.
func (g *group) of(gid spec.GID) Record {
	r := g.record
	r.PortGID, r.JoinState = gid, g.members[gid]
	return r
}

// Leave ends some of the ways in which a port is a member. A group without a full member, send-only or not, is gone.
func (m *Manager) Leave(mgid, gid spec.GID, ways JoinState) {
	g := m.groups[mgid]
	if g == nil {
		return
	}
	g.members[gid] &^= ways
	if g.members[gid] == 0 {
		delete(g.members, gid)
	}
	for _, state := range g.members {
		if state&keepsAlive != 0 {
			return
		}
	}
	if !g.permanent {
		delete(m.groups, mgid)
		delete(m.routes, g.record.MLID)
	}
}

// Forget ends all memberships of a port.
func (m *Manager) Forget(gid spec.GID) {
	for _, mgid := range slices.Collect(maps.Keys(m.groups)) {
		m.Leave(mgid, gid, Full|NonMember|SendOnlyNonMember|SendOnlyFull)
	}
}

// Route tells which ports the switches carry a datagram to that a port has sent to an MLID: the members that receive,
// in the order of their LIDs, but for the sender itself. Those of a port that is no member go nowhere.
func (m *Manager) Route(mlid uint16, from spec.GID) []spec.GID {
	g := m.routes[mlid]
	if g == nil || g.members[from] == 0 {
		return nil
	}
	var to []spec.GID
	for gid, state := range g.members {
		if gid != from && state&receives != 0 {
			to = append(to, gid)
		}
	}
	slices.SortFunc(to, func(a, b spec.GID) int { return cmp.Compare(m.LID(a), m.LID(b)) })
	return to
}

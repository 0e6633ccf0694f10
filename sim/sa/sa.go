// Package sa simulates the part of Linux' ib_sa that joins multicast groups (drivers/infiniband/core/multicast.c, whose
// functions the comments name): all users of a port share one membership of a group at the subnet administration. The
// truth is that of Linux 6.12.
package sa

import (
	"errors"
	"slices"

	"joinmcast/sim/sm"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// Port is one port's memberships.
type Port struct {
	manager *sm.Manager
	gid     spec.GID
	pkeys   []uint16
	groups  []*group    // oldest first; more than one may have the zero MGID, which is still to be assigned
	work    *world.Lane // the mcast workqueue
	mads    *world.Lane // requests under way
}

// NewPort is a port with this GID, which the manager must know, and with one P_Key.
func NewPort(w *world.World, manager *sm.Manager, gid spec.GID, pkey uint16) *Port {
	return &Port{
		manager: manager, gid: gid, pkeys: []uint16{pkey, noPKey}, work: w.NewLane(), mads: w.NewLane(),
	}
}

// noPKey is an entry of the P_Key table that is free.
const noPKey = 0

// Member is one user's membership, from Join to Leave.
type Member struct {
	group *group
	asks  sm.Record
	given sm.Components
	state memberState
	told  func(status spec.Errno, r sm.Record)
}

type memberState int

const (
	joining memberState = iota
	joined
	failed // refused, or lost
)

// group is what a port is in one group (struct mcast_group).
type group struct {
	port    *Port
	record  sm.Record // JoinState: how the administration knows the port
	pkey    int       // index of the record's P_Key in the port's table; -1: it is not there
	members []*Member // all that have not left, oldest first
	pending []*Member // those that have no answer yet
	lost    loss
	busy    bool
}

// loss is what may have become of a membership at the administration.
type loss int

const (
	none loss = iota
	certain
	ifMoved // if the P_Key has another index now
)

// Record is the record of a group that the port is in; ok is false when it is in none of that MGID
// (ib_sa_get_mcmember_rec).
func (p *Port) Record(mgid spec.GID) (r sm.Record, ok bool) {
	g := p.find(mgid)
	if g == nil || g.record.JoinState == 0 {
		return sm.Record{}, false
	}
	return g.record, true
}

func (p *Port) find(mgid spec.GID) *group {
	for _, g := range p.groups {
		if g.record.MGID == mgid {
			return g
		}
	}
	return nil
}

// Join starts a membership; what becomes of it is told later, once as an answer, and once more with ENETRESET if it is
// lost. The zero MGID asks the administration for a group of the port's own.
func (p *Port) Join(asks sm.Record, given sm.Components, told func(status spec.Errno, r sm.Record)) *Member {
	asks.PortGID = p.gid
	g := p.find(asks.MGID)
	if g == nil || asks.MGID == (spec.GID{}) {
		g = &group{port: p, record: sm.Record{MGID: asks.MGID}}
		p.groups = append(p.groups, g)
	}
	m := &Member{group: g, asks: asks, given: given, told: told}
	g.members, g.pending = append(g.members, m), append(g.pending, m)
	g.wake()
	return m
}

// Leave ends the membership. Nothing is told of it any more (ib_sa_free_multicast).
func (m *Member) Leave() {
	is := func(o *Member) bool { return o == m }
	m.group.members = slices.DeleteFunc(m.group.members, is)
	m.group.pending = slices.DeleteFunc(m.group.pending, is)
	m.group.wake()
}

// Settle lets everything happen that the port has under way.
func (p *Port) Settle() { world.Finish(p.work, p.mads) }

// Lose makes the port lose all memberships (PORT_ERR, LID_CHANGE, CLIENT_REREGISTER).
func (p *Port) Lose() { p.lose(certain) }

// MovePKey gives the port's P_Key another place in its table (PKEY_CHANGE), by which memberships are lost.
func (p *Port) MovePKey() {
	slices.Reverse(p.pkeys)
	p.lose(ifMoved)
}

func (p *Port) lose(l loss) {
	for _, g := range p.groups {
		g.lost = l
		g.wake()
	}
}

// wake has the group looked at, unless that is under way.
func (g *group) wake() {
	if !g.busy {
		g.busy = true
		g.port.work.Add(g.handle)
	}
}

// handle does what can be done without asking, and then asks for one thing (mcast_work_handler).
func (g *group) handle() {
	for len(g.pending) > 0 || g.lost != none {
		if g.lost != none {
			g.tellLoss()
			continue
		}
		m := g.pending[0]
		if m.asks.JoinState&^g.record.JoinState != 0 {
			g.sendJoin(m)
			return
		}
		g.pending = g.pending[1:]
		if g.record.Differs(m.asks, m.given) {
			m.state = failed
			m.told(spec.EINVAL, sm.Record{})
			continue
		}
		m.state = joined
		m.told(0, g.record)
	}
	if unused := g.unused(); unused != 0 {
		g.record.JoinState &^= unused
		mgid := g.record.MGID
		g.port.mads.Add(func() {
			g.port.manager.Leave(mgid, g.port.gid, unused)
			g.handle()
		})
		return
	}
	g.busy = false
	if len(g.members) == 0 {
		g.port.groups = slices.DeleteFunc(g.port.groups, func(o *group) bool { return o == g })
	}
}

// sendJoin asks the administration. Its answer stands when it comes, whoever waits for it then (join_handler).
func (g *group) sendJoin(m *Member) {
	g.port.mads.Add(func() {
		r, err := g.port.manager.Join(m.asks, m.given)
		if err == nil {
			g.record, g.pkey = r, slices.Index(g.port.pkeys, r.PKey)
		} else if len(g.pending) > 0 && g.pending[0] == m {
			g.pending = g.pending[1:]
			m.state = failed
			m.told(statusOf(err), sm.Record{})
		}
		g.handle()
	})
}

// statusOf is the errno of an answer that is none (recv_handler): all refusals look alike.
func statusOf(err error) spec.Errno {
	if errors.Is(err, sm.ErrSilent) {
		return spec.ETIMEDOUT
	}
	return spec.EINVAL
}

// tellLoss tells every member that its group is lost, unless only the P_Key might have moved and has not
// (process_group_error).
func (g *group) tellLoss() {
	moved := g.lost == certain || g.pkey != slices.Index(g.port.pkeys, g.record.PKey)
	g.lost = none
	if !moved {
		return
	}
	g.record.JoinState = 0
	for _, m := range slices.Clone(g.members) {
		if m.state == joined {
			m.state = failed
			m.told(spec.ENETRESET, sm.Record{})
		}
	}
}

// unused are the ways in which the port is a member and none of its users is (get_leave_state).
func (g *group) unused() sm.JoinState {
	unused := g.record.JoinState
	for _, m := range g.members {
		if m.state == joined {
			unused &^= m.asks.JoinState
		}
	}
	return unused
}

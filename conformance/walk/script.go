package walk

import (
	"slices"

	"joinmcast/spec"
)

// script is a few calls of one thread, or a race.
func (d *drawer) script() (Step, bool) {
	if s, ok := d.race(); ok {
		return s, true
	}
	name, ok := d.joiner()
	if !ok {
		return unmade, false
	}
	i := d.board.ids[name]
	if c := d.board.channels[i.channel]; c == nil || c.polled || len(c.unread) > 0 {
		return unmade, false
	}
	group := one(d, "group1", "group2", "unicast")
	if slices.ContainsFunc(i.joins, func(m *membership) bool { return m.addr == group }) {
		return unmade, false // the leave might wait for the event of the membership there is
	}
	sequence := []any{
		d.part("rdma_join_multicast", "id", name, "addr", group, "context", d.context()),
		d.part("rdma_leave_multicast", "id", name, "addr", group),
		d.part("rdma_leave_multicast", "id", name, "addr", group),
	}
	return d.step("script", "script", map[string]any{"rounds": one(d, 1, 2, 3), "sequences": []any{sequence}}), true
}

// race is a leave in one thread and the retrieval of the membership's event in another. However it ends, the membership
// is over then and its event is gone.
func (d *drawer) race() (Step, bool) {
	ch, ok := d.channel(func(c *channel) bool {
		return !c.off && !c.blocking && !c.polled && !c.unproved && len(c.unread) == 1 && c.unread[0].join != nil
	})
	if !ok || d.board.procs[d.by].failing > 0 || d.board.procs[d.by].changed {
		return unmade, false
	}
	p := d.board.channels[ch].unread[0]
	i := d.board.ids[p.id]
	if i.joined(p.join.addr) != p.join {
		return unmade, false
	}
	return d.leaveAgainstGet(p.id, p.join.addr, ch), true
}

// leaveAgainstGet is the race for a membership whose event is the only one of its channel.
func (d *drawer) leaveAgainstGet(id, addr, channel string) Step {
	s := d.step("script", "script", map[string]any{"rounds": 1, "sequences": []any{
		[]any{d.part("rdma_leave_multicast", "id", id, "addr", addr)},
		[]any{
			d.part("rdma_get_cm_event", "channel", channel, "nowhere", false),
			d.part("rdma_ack_cm_event", "event", int(spec.FromStep[spec.EventRef](0))),
		},
	}})
	s.Race = true
	return s
}

// part is a call of a script.
func (d *drawer) part(method string, args ...any) any {
	return map[string]any{"method": method, "args": d.step("", args...).Args}
}

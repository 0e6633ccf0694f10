package walk

import "joinmcast/spec"

// A story is steps that go together: what they lead to is worth a look, and chance alone would seldom get there. Those
// that are undefined when their turn comes are left out; there are none where the story has nothing to begin with.
type story func(d *drawer) []Step

// empty is a channel without events; steps make one where the process has none.
func (d *drawer) empty() (steps []Step, name string) {
	name, ok := d.channel(func(c *channel) bool { return !c.off && !c.poisoned && !c.polled && len(c.unread) == 0 })
	if ok {
		return nil, name
	}
	s := d.newChannel()
	return []Step{s}, s.Gives
}

// created is a new id of a channel, or a synchronous one where channel is NULL.
func (d *drawer) created(channel any, ps spec.PortSpace) (s Step, id string) {
	s = d.step("rdma_create_id", "channel", channel, "context", "0x0", "ps", int(ps))
	s.Gives = d.fresh("id")
	return s, s.Gives
}

// madeQP is a new UD QP of an id.
func (d *drawer) madeQP(id string) (s Step, qp string) {
	s = d.step("rdma_create_qp", "id", id, "attr", d.qpAttr(spec.QPTypeUD))
	s.Gives = d.fresh("qp")
	return s, s.Gives
}

// join is a join with a context of its own, by either of the calls that make a full member.
func (d *drawer) join(id string, addr any) Step {
	if d.chance(3) {
		return d.joinEx(id, 3, 0, addr)
	}
	return d.plainJoin(id, addr)
}

// retrieved is an event taken from a channel.
func (d *drawer) retrieved(channel string) (s Step, event string) {
	s = d.step("rdma_get_cm_event", "channel", channel, "nowhere", false)
	s.Gives = d.fresh("ev")
	return s, s.Gives
}

// changed is a change of host 0, until it is undone.
func (d *drawer) changed(what string, args map[string]any) (s Step, change string) {
	s = Step{By: "host0", Call: Configure, Args: map[string]any{what: args}, Gives: d.fresh("change")}
	return s, s.Gives
}

func undone(change string) Step {
	return Step{By: "host0", Call: Undo, Args: map[string]any{"change": change}}
}

var observed = Step{By: "host0", Call: Observe}

// mayChange tells whether the process is on the host whose changes are drawn, and no change waits to be undone.
func (d *drawer) mayChange() bool {
	return hostOf(d.by) == 0 && len(d.board.undoable()) == 0
}

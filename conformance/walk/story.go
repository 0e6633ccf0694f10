package walk

import "joinmcast/spec"

// stories are steps that go together: what they lead to is worth a look, and chance alone would seldom get there. Other
// steps come between them, and those that are undefined by then are left out.
var stories = []func(d *drawer) []Step{
	twice, twice, twice, tooSmall, stranger, joinBeforeRoute, sendOnlyBeside, sourceGone, unicast, connected,
}

// twice joins one group twice, and leaves it once.
func twice(d *drawer) []Step {
	name, ok := d.id(func(i *id) bool { return i.qp != "" && i.ud && i.channel != "" && !d.board.channels[i.channel].off })
	if !ok {
		return nil
	}
	var steps []Step
	for range 2 {
		steps = append(steps, d.step("rdma_join_multicast", "id", name, "addr", "group1", "context", d.context()))
		ev := d.step("rdma_get_cm_event", "channel", d.board.ids[name].channel, "nowhere", false)
		ev.Gives = d.fresh("ev")
		steps = append(steps, ev, d.step("rdma_ack_cm_event", "event", ev.Gives))
	}
	return append(steps, d.step("rdma_leave_multicast", "id", name, "addr", "group1"),
		d.step("ibv_detach_mcast", "qp", d.board.ids[name].qp, "gid", "group1.gid", "mlid", 0))
}

// tooSmall joins where the MTU is too small for InfiniBand.
func tooSmall(d *drawer) []Step {
	name, ok := d.joiner()
	if !ok || len(live(d.board.changes, func(there bool) bool { return there })) > 0 || hostOf(d.by) != 0 {
		return nil
	}
	mtu := map[string]any{"set_mtu": map[string]any{"netdev": "netdev", "mtu": 200}}
	return []Step{
		{By: "host0", Call: Configure, Args: mtu, Gives: d.fresh("change")},
		d.step("rdma_join_multicast", "id", name, "addr", "group1", "context", d.context()),
		{By: "host0", Call: Observe},
	}
}

// stranger binds an id to an address that no RDMA device has, and then to one that has one.
func stranger(d *drawer) []Step {
	if len(live(d.board.changes, func(there bool) bool { return there })) > 0 || hostOf(d.by) != 0 {
		return nil
	}
	dummy := map[string]any{"add_netdev": map[string]any{"netdev": "dummy7", "prefix": "other/24"}}
	create := d.step("rdma_create_id", "channel", nil, "context", "0x0", "ps", int(spec.PSUDP))
	create.Gives = d.fresh("id")
	return []Step{
		{By: "host0", Call: Configure, Args: dummy, Gives: d.fresh("change")},
		create,
		d.step("rdma_bind_addr", "id", create.Gives, "addr", "other"),
		d.step("rdma_bind_addr", "id", create.Gives, "addr", d.here()),
	}
}

// joinBeforeRoute resolves a route while the event of a join is unread.
func joinBeforeRoute(d *drawer) []Step {
	ch, ok := d.channel(func(c *channel) bool { return !c.off && len(c.unread) == 0 })
	if !ok {
		return nil
	}
	get := func() Step {
		s := d.step("rdma_get_cm_event", "channel", ch, "nowhere", false)
		s.Gives = d.fresh("ev")
		return s
	}
	create := d.step("rdma_create_id", "channel", ch, "context", "0x0", "ps", int(spec.PSUDP))
	create.Gives = d.fresh("id")
	return []Step{
		create, d.step("rdma_resolve_addr", "id", create.Gives, "src", nil, "dst", d.here(), "timeout_ms", 1000), get(),
		d.step("rdma_join_multicast", "id", create.Gives, "addr", "group2", "context", d.context()),
		d.step("rdma_resolve_route", "id", create.Gives, "timeout_ms", 1000), get(), get(),
	}
}

// sendOnlyBeside ends a send-only membership beside a full one.
func sendOnlyBeside(d *drawer) []Step {
	name, ok := d.joiner()
	if !ok {
		return nil
	}
	attr := map[string]any{"comp_mask": 3, "join_flags": 1, "addr": "group3"}
	return []Step{
		d.step("rdma_join_multicast", "id", name, "addr", "group3", "context", d.context()),
		d.step("rdma_join_multicast_ex", "id", name, "attr", attr, "context", d.context()),
		d.step("rdma_leave_multicast", "id", name, "addr", "group3"),
		{By: "host0", Call: Observe},
	}
}

// sourceGone joins with an id whose address has gone; the id is synchronous.
func sourceGone(d *drawer) []Step {
	if len(live(d.board.changes, func(there bool) bool { return there })) > 0 || hostOf(d.by) != 0 {
		return nil
	}
	gone := map[string]any{"del_addr": map[string]any{"netdev": "netdev", "prefix": "local/24"}}
	create := d.step("rdma_create_id", "channel", nil, "context", "0x0", "ps", int(spec.PSUDP))
	create.Gives = d.fresh("id")
	return []Step{
		create, d.step("rdma_bind_addr", "id", create.Gives, "addr", "local"),
		{By: "host0", Call: Configure, Args: gone, Gives: d.fresh("change")},
		d.step("rdma_join_multicast", "id", create.Gives, "addr", "group1", "context", d.context()),
	}
}

// unicast joins an address that no QP can be attached to; the id is synchronous.
func unicast(d *drawer) []Step {
	create := d.step("rdma_create_id", "channel", nil, "context", "0x0", "ps", int(spec.PSUDP))
	create.Gives = d.fresh("id")
	qp := d.step("rdma_create_qp", "id", create.Gives, "attr", d.qpAttr(spec.QPTypeUD))
	qp.Gives = d.fresh("qp")
	return []Step{
		create, d.step("rdma_bind_addr", "id", create.Gives, "addr", d.here()), qp,
		d.step("rdma_join_multicast", "id", create.Gives, "addr", d.here(), "context", d.context()),
	}
}

// connected joins with an id that is for connections.
func connected(d *drawer) []Step {
	create := d.step("rdma_create_id", "channel", nil, "context", "0x0", "ps", int(one(d, spec.PSTCP, spec.PSIB)))
	create.Gives = d.fresh("id")
	return []Step{
		create, d.step("rdma_bind_addr", "id", create.Gives, "addr", d.here()),
		d.step("rdma_join_multicast", "id", create.Gives, "addr", "group1", "context", d.context()),
	}
}

// deviceGone takes the device away, and uses an id that was bound to it.
func deviceGone(d *drawer) []Step {
	gone := Step{By: "host0", Call: Configure, Args: map[string]any{"remove_device": map[string]any{"device": "device"}}}
	if d.run.undefined(gone) != "" {
		return nil
	}
	steps := []Step{gone}
	if name, ok := d.id(func(i *id) bool { return i.verbs && hostOf(i.by) == 0 }); ok {
		steps = append(steps,
			d.step("rdma_join_multicast", "id", name, "addr", "group2", "context", d.context()),
			d.step("rdma_leave_multicast", "id", name, "addr", d.left(name)))
		if ch := d.board.ids[name].channel; ch != "" {
			get := d.step("rdma_get_cm_event", "channel", ch, "nowhere", false)
			get.Gives = d.fresh("ev")
			steps = append(steps, get)
		}
	}
	return append(steps, Step{By: "host0", Call: Observe})
}

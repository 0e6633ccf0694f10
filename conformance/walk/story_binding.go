package walk

import "joinmcast/spec"

// attempt goes the whole way of a member with an id of any kind.
func attempt(d *drawer) []Step {
	ps := one(d, spec.PSUDP, spec.PSTCP, spec.PSTCP, spec.PSIB, spec.PSIPoIB)
	steps, channel := d.empty()
	create, name := d.created(channel, ps)
	qt := one(d, spec.QPTypeUD, spec.QPTypeRC)
	if ps == spec.PSTCP {
		qt = spec.QPTypeRC
	}
	makeQP := d.step("rdma_create_qp", "id", name, "attr", d.qpAttr(qt))
	makeQP.Gives = d.fresh("qp")
	get, _ := d.retrieved(channel)
	return append(steps,
		create, d.step("rdma_bind_addr", "id", name, "addr", one(d, d.here(), d.here(), "loopback")),
		makeQP, d.step("ibv_attach_mcast", "qp", makeQP.Gives, "gid", one(d, "group1.gid", "class-e.gid"), "mlid", 0),
		d.join(name, "group1"), get)
}

// joinBeforeRoute resolves a route while the event of a join is unread.
func joinBeforeRoute(d *drawer) []Step {
	channel, ok := d.channel(func(c *channel) bool { return !c.off && len(c.unread) == 0 })
	if !ok {
		return nil
	}
	create, name := d.created(channel, spec.PSUDP)
	var get [3]Step
	for i := range get {
		get[i], _ = d.retrieved(channel)
	}
	return []Step{
		create, d.step("rdma_resolve_addr", "id", name, "src", nil, "dst", d.here(), "timeout_ms", 1000), get[0],
		d.join(name, "group2"), d.step("rdma_resolve_route", "id", name, "timeout_ms", 1000), get[1], get[2],
	}
}

// dummy is a network device that no RDMA device uses.
func (d *drawer) dummy() (s Step, change string) {
	return d.changed("add_netdev", map[string]any{"netdev": "dummy7", "prefix": "other/24"})
}

// stranger binds an id to an address that no RDMA device has, and then to one that has one.
func stranger(d *drawer) []Step {
	if !d.mayChange() {
		return nil
	}
	dummy, change := d.dummy()
	create, name := d.created(nil, spec.PSUDP)
	return []Step{
		dummy, create, d.step("rdma_bind_addr", "id", name, "addr", "other"),
		d.step("rdma_bind_addr", "id", name, "addr", d.here()), undone(change),
	}
}

// routed joins and looks for a group whose route leads through a network device that no RDMA device uses.
func routed(d *drawer) []Step {
	if !d.mayChange() {
		return nil
	}
	dummy, netdev := d.dummy()
	way, route := d.changed("add_route", map[string]any{"netdev": "dummy7", "prefix": "group2/32"})
	steps, channel := d.empty()
	create, bound := d.created(channel, spec.PSUDP)
	another, resolving := d.created(channel, spec.PSUDP)
	var get [2]Step
	for i := range get {
		get[i], _ = d.retrieved(channel)
	}
	return append(steps,
		dummy, way, create, d.step("rdma_bind_addr", "id", bound, "addr", "local"), d.join(bound, "group2"),
		get[0], observed, another,
		d.step("rdma_resolve_addr", "id", resolving, "src", nil, "dst", "group2", "timeout_ms", 1000), get[1],
		undone(route), undone(netdev))
}

// sourceGone joins with an id whose address has gone; now and then the id has a channel, and leaves before the event is
// acknowledged.
func sourceGone(d *drawer) []Step {
	if !d.mayChange() {
		return nil
	}
	gone, _ := d.changed("del_addr", map[string]any{"netdev": "netdev", "prefix": "local/24"})
	if d.chance(2) {
		create, name := d.created(nil, spec.PSUDP)
		return []Step{
			create, d.step("rdma_bind_addr", "id", name, "addr", "local"), gone, d.join(name, "group1"),
		}
	}
	steps, channel := d.empty()
	create, name := d.created(channel, spec.PSUDP)
	get, event := d.retrieved(channel)
	return append(steps,
		create, d.step("rdma_bind_addr", "id", name, "addr", "local"), gone, d.join(name, "group1"), get,
		d.step("rdma_leave_multicast", "id", name, "addr", "group1"), d.step("rdma_ack_cm_event", "event", event))
}

// onVLAN joins on a VLAN of the port.
func onVLAN(d *drawer) []Step {
	if !d.mayChange() || !d.run.ethernet {
		return nil
	}
	vlan, _ := d.changed("add_netdev", map[string]any{
		"netdev": "vlan7", "parent": "netdev", "vlan": 7, "prefix": "other/24",
	})
	steps, channel := d.empty()
	create, name := d.created(channel, spec.PSUDP)
	get, _ := d.retrieved(channel)
	return append(steps,
		vlan, create, d.step("rdma_bind_addr", "id", name, "addr", "other"), d.join(name, "group2"), get, observed,
		d.step("rdma_leave_multicast", "id", name, "addr", "group2"), observed)
}

// linkDown joins while the link is down, and sees what is left of it when it is up again.
func linkDown(d *drawer) []Step {
	name, ok := d.joiner()
	if !ok || !d.mayChange() {
		return nil
	}
	down, change := d.changed("set_link", map[string]any{"netdev": "netdev", "up": false})
	return []Step{d.join(name, "group1"), down, d.join(name, "group2"), observed, undone(change), observed}
}

// tooSmall joins where the MTU is too small for InfiniBand.
func tooSmall(d *drawer) []Step {
	name, ok := d.joiner()
	if !ok || !d.mayChange() {
		return nil
	}
	small, _ := d.changed("set_mtu", map[string]any{"netdev": "netdev", "mtu": 200})
	return []Step{small, d.join(name, "group1"), observed}
}

// deviceGone takes the device away, and uses an id that was bound to it.
func deviceGone(d *drawer) []Step {
	gone := Step{By: "host0", Call: Configure, Args: map[string]any{"remove_device": map[string]any{"device": "device"}}}
	if d.run.undefined(gone) != "" {
		return nil
	}
	steps := []Step{gone}
	if name, ok := d.id(func(i *id) bool { return i.verbs && hostOf(i.by) == 0 }); ok {
		steps = append(steps, d.join(name, "group2"), d.step("rdma_leave_multicast", "id", name, "addr", d.left(name)))
		if channel := d.board.ids[name].channel; channel != "" {
			get, _ := d.retrieved(channel)
			steps = append(steps, get)
		}
	}
	return append(steps, observed)
}

package walk

import "joinmcast/spec"

// twice joins one group twice, and leaves it once.
func twice(d *drawer) []Step {
	var steps []Step
	name, ok := d.id(func(i *id) bool { return i.qp != "" && i.ud && i.channel != "" && !d.board.channels[i.channel].off })
	var channel, qp string
	if ok {
		channel, qp = d.board.ids[name].channel, d.board.ids[name].qp
	} else {
		var create, makeQP Step
		steps, channel = d.empty()
		create, name = d.created(channel, spec.PSUDP)
		makeQP, qp = d.madeQP(name)
		steps = append(steps, create, d.step("rdma_bind_addr", "id", name, "addr", d.here()), makeQP)
	}
	for range 2 {
		get, event := d.retrieved(channel)
		steps = append(steps, d.join(name, "group1"), get, d.step("rdma_ack_cm_event", "event", event))
	}
	return append(steps, d.step("rdma_leave_multicast", "id", name, "addr", "group1"), observed,
		d.step("ibv_detach_mcast", "qp", qp, "gid", "group1.gid", "mlid", 0))
}

// raced leaves a group while another thread takes the event that attaches the QP.
func raced(d *drawer) []Step {
	channel := d.newChannel()
	create, name := d.created(channel.Gives, spec.PSUDP)
	makeQP, qp := d.madeQP(name)
	return []Step{
		channel, d.step("fcntl", "channel", channel.Gives, "nonblock", true), create,
		d.step("rdma_bind_addr", "id", name, "addr", d.here()), makeQP, d.join(name, "group1"),
		d.leaveAgainstGet(name, "group1", channel.Gives),
		d.step("ibv_detach_mcast", "qp", qp, "gid", "group1.gid", "mlid", 0),
	}
}

// byHand attaches the QP of an id that joined before it had one, and leaves.
func byHand(d *drawer) []Step {
	steps, channel := d.empty()
	create, name := d.created(channel, spec.PSUDP)
	get, event := d.retrieved(channel)
	makeQP, qp := d.madeQP(name)
	return append(steps,
		create, d.step("rdma_bind_addr", "id", name, "addr", d.here()), d.join(name, "group1"), get, makeQP,
		d.step("ibv_attach_mcast", "qp", qp, "gid", "group1.gid", "mlid", 0), d.step("rdma_ack_cm_event", "event", event),
		d.step("rdma_leave_multicast", "id", name, "addr", "group1"),
		d.step("ibv_detach_mcast", "qp", qp, "gid", "group1.gid", "mlid", 0))
}

// misspelled leaves a group by an address that leads to it and is not the one of the join.
func misspelled(d *drawer) []Step {
	name, ok := d.joiner()
	if !ok {
		return nil
	}
	joined, left := "group2", one(d, "group2:7000", "group2.ib", "group2+dirt")
	if d.chance(3) {
		joined, left = left, joined
	}
	return []Step{
		d.join(name, joined), d.step("rdma_leave_multicast", "id", name, "addr", left),
		d.step("rdma_leave_multicast", "id", name, "addr", joined),
	}
}

// sendOnlyBeside ends a send-only membership beside a full one.
func sendOnlyBeside(d *drawer) []Step {
	name, ok := d.joiner()
	if !ok {
		return nil
	}
	return []Step{
		d.join(name, "group3"),
		d.joinEx(name, 3, 1, "group3"),
		d.step("rdma_leave_multicast", "id", name, "addr", "group3"), observed,
	}
}

// unicast joins an address that no QP can be attached to; the id is synchronous.
func unicast(d *drawer) []Step {
	create, name := d.created(nil, spec.PSUDP)
	makeQP, _ := d.madeQP(name)
	return []Step{
		create, d.step("rdma_bind_addr", "id", name, "addr", d.here()), makeQP, d.join(name, d.here()),
	}
}

// toASleeper migrates an id, most often one with an unread event, to a channel that somebody sleeps on.
func toASleeper(d *drawer) []Step {
	from, to := d.newChannel(), d.newChannel()
	create, name := d.created(from.Gives, spec.PSUDP)
	get, _ := d.retrieved(to.Gives)
	steps := []Step{from, to, create, d.step("rdma_bind_addr", "id", name, "addr", d.here())}
	if !d.chance(4) {
		steps = append(steps, d.join(name, "group2"))
	}
	return append(steps, d.step("poll", "channel", to.Gives),
		d.step("rdma_migrate_id", "id", name, "channel", to.Gives), get)
}

// takenAlong migrates a member, whose event may wait for its acknowledgement, and leaves.
func takenAlong(d *drawer) []Step {
	from, to := d.newChannel(), d.newChannel()
	create, name := d.created(from.Gives, spec.PSUDP)
	get, event := d.retrieved(from.Gives)
	ack := d.step("rdma_ack_cm_event", "event", event)
	migrate := d.step("rdma_migrate_id", "id", name, "channel", to.Gives)
	leave := d.step("rdma_leave_multicast", "id", name, "addr", "group1")
	if d.chance(2) {
		migrate, ack = ack, migrate
	}
	return []Step{
		from, to, create, d.step("rdma_bind_addr", "id", name, "addr", d.here()), d.join(name, "group1"), get, migrate,
		ack, leave,
	}
}

// toNoChannel makes an id synchronous.
func toNoChannel(d *drawer) []Step {
	steps, channel := d.empty()
	create, name := d.created(channel, spec.PSUDP)
	return append(steps, create, d.step("rdma_bind_addr", "id", name, "addr", d.here()),
		d.step("rdma_migrate_id", "id", name, "channel", nil), d.join(name, "group2"))
}

package walk

import "joinmcast/spec"

// Most calls need others before them. A prelude is what a process begins with, so that a walk of thirty steps gets
// further than that; now and then a step of it is left out.

// newChannel makes an event channel.
func (d *drawer) newChannel() Step {
	s := d.step("rdma_create_event_channel")
	s.Gives = d.fresh("ch")
	return s
}

// newMember are the steps of an id that joins a group, up to the event; the id is synchronous where channel is NULL.
func (d *drawer) newMember(channel any) []Step {
	create := d.step("rdma_create_id", "channel", channel, "context", "0x0", "ps", int(spec.PSUDP))
	create.Gives = d.fresh("id")
	qp := d.step("rdma_create_qp", "id", create.Gives, "attr", d.qpAttr(spec.QPTypeUD))
	qp.Gives = d.fresh("qp")
	steps := []Step{create, d.step("rdma_bind_addr", "id", create.Gives, "addr", d.here()), qp}
	if !d.chance(3) {
		steps = append(steps, d.step("rdma_join_multicast", "id", create.Gives, "addr", "group1", "context", d.context()))
	}
	if channel != nil && !d.chance(3) {
		get := d.step("rdma_get_cm_event", "channel", channel, "nowhere", false)
		get.Gives = d.fresh("ev")
		steps = append(steps, get)
	}
	return steps
}

// member makes a channel, most often, and a member.
func member(d *drawer) []Step {
	if d.chance(8) {
		// The library finds out at its start what the kernel knows, and may be wrong.
		skip := d.rand.IntN(4)
		return append([]Step{d.step("fail_next", "function", string(spec.Write), "skip", skip, "errno", int(spec.EIO))},
			members1(d)...)
	}
	return members1(d)
}

func members1(d *drawer) []Step {
	if d.chance(4) {
		return d.newMember(nil)
	}
	channel := d.newChannel()
	steps := []Step{channel, d.step("fcntl", "channel", channel.Gives, "nonblock", true)}
	steps = append(steps, d.newMember(channel.Gives)...)
	if d.chance(15) {
		k := d.rand.IntN(len(steps))
		steps = append(steps[:k], steps[k+1:]...)
	}
	return steps
}

// sender makes a member with a way to its group.
func sender(d *drawer) []Step {
	steps := member(d)
	last := steps[len(steps)-1]
	if last.Call != "rdma_get_cm_event" {
		return steps
	}
	for _, s := range steps {
		if s.Call == "rdma_create_id" {
			ah := d.step("ibv_create_ah", "id", s.Gives, "attr", last.Gives+".ah")
			ah.Gives = d.fresh("ah")
			return append(steps, ah)
		}
	}
	return steps
}

// bound makes a channel and an id that is bound.
func bound(d *drawer) []Step {
	channel := d.newChannel()
	if d.by != "p1" {
		return []Step{channel}
	}
	create := d.step("rdma_create_id", "channel", channel.Gives, "context", "0x0", "ps", int(spec.PSUDP))
	create.Gives = d.fresh("id")
	return []Step{
		channel, d.step("fcntl", "channel", channel.Gives, "nonblock", true), create,
		d.step("rdma_bind_addr", "id", create.Gives, "addr", d.here()),
	}
}

// nothing is made beforehand.
func nothing(*drawer) []Step { return nil }

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

// newChannels are the steps of an event channel, which blocks or does not.
func (d *drawer) newChannels() (steps []Step, name string) {
	channel := d.newChannel()
	if d.chance(2) {
		return []Step{channel}, channel.Gives
	}
	return []Step{channel, d.step("fcntl", "channel", channel.Gives, "nonblock", true)}, channel.Gives
}

// anyChannel are the steps of an event channel where the process has none that is fit for use.
func (d *drawer) anyChannel() (steps []Step, name string) {
	if name, ok := d.channel(func(c *channel) bool { return !c.off && !c.poisoned && !c.polled }); ok {
		return nil, name
	}
	return d.newChannels()
}

// newBound are the steps of an id that is bound, by itself or as an endpoint; it is synchronous where channel is NULL.
func (d *drawer) newBound(channel any) (steps []Step, id string) {
	if d.chance(3) {
		create, name := d.created(channel, spec.PSUDP)
		return []Step{create, d.step("rdma_bind_addr", "id", name, "addr", d.here())}, name
	}
	return d.newEndpoint(channel, map[string]any{"passive": true, "src": d.here(), "dst": nil, "qp": nil})
}

// newEndpoint are the steps of an endpoint for datagrams.
func (d *drawer) newEndpoint(channel any, attr map[string]any) (steps []Step, id string) {
	attr["ps"], attr["qp_type"] = int(spec.PSUDP), int(spec.QPTypeUD)
	create := d.step("rdma_create_ep", "attr", attr)
	create.Gives = d.fresh("ep")
	steps = []Step{create}
	if channel != nil {
		steps = append(steps, d.step("rdma_migrate_id", "id", create.Gives, "channel", channel))
	}
	return steps, create.Gives
}

// newOwner are the steps of an id that can join, most often with a QP.
func (d *drawer) newOwner(channel any) (steps []Step, id string) {
	if d.chance(3) { // with a route and a QP
		return d.newEndpoint(channel, map[string]any{
			"passive": false, "src": nil, "dst": d.here(), "qp": d.qpAttr(spec.QPTypeUD),
		})
	}
	steps, id = d.newBound(channel)
	if !d.chance(8) {
		makeQP, _ := d.madeQP(id)
		steps = append(steps, makeQP)
	}
	return steps, id
}

// newMember are the steps of an id that joins a group, up to the event; the id is synchronous where channel is NULL.
func (d *drawer) newMember(channel any) []Step {
	steps, id := d.newOwner(channel)
	switch d.rand.IntN(9) {
	case 0, 1: // what is drawn joins
	case 2:
		steps = append(steps, d.anyJoin(id))
	case 3:
		steps = append(steps, d.anyJoinEx(id))
	default:
		steps = append(steps, d.join(id, "group1"))
	}
	if channel, ok := channel.(string); ok && !d.chance(3) {
		get, _ := d.retrieved(channel)
		steps = append(steps, get)
	}
	return steps
}

// member makes a channel, most often, and a member.
func member(d *drawer) []Step { return d.members(3) }

// members makes a member, once in so many times a synchronous one, and leaves out a step now and then.
func (d *drawer) members(synchronousIn int) (steps []Step) {
	if d.chance(8) {
		// The library finds out at its start what the kernel knows, and may be wrong.
		skip := d.rand.IntN(4)
		steps = append(steps, d.step("fail_next", "function", string(spec.Write), "skip", skip, "errno", int(spec.EIO)))
	}
	if d.chance(synchronousIn) {
		return append(steps, d.newMember(nil)...)
	}
	makeChannel, channel := d.anyChannel()
	steps = append(append(steps, makeChannel...), d.newMember(channel)...)
	if d.chance(15) {
		k := d.rand.IntN(len(steps))
		steps = append(steps[:k], steps[k+1:]...)
	}
	return steps
}

// sender makes a member, most often with a channel, and a way to its group.
func sender(d *drawer) []Step {
	steps := d.members(8)
	last := steps[len(steps)-1]
	if last.Call != "rdma_get_cm_event" {
		return steps
	}
	for _, s := range steps {
		if s.Call == "rdma_create_id" || s.Call == "rdma_create_ep" {
			ah := d.step("ibv_create_ah", "id", s.Gives, "attr", last.Gives+".ah")
			ah.Gives = d.fresh("ah")
			return append(steps, ah)
		}
	}
	return steps
}

// bound makes a channel, where the process has none, and an id of the first process that is bound.
func bound(d *drawer) []Step {
	steps, channel := d.anyChannel()
	if d.by != "p1" {
		return steps
	}
	id, _ := d.newBound(channel)
	return append(steps, id...)
}

// unbound makes an id, which is bound now and then, and most often a channel for it.
func unbound(d *drawer) []Step {
	var steps []Step
	var channel any
	if !d.chance(3) {
		made, name := d.anyChannel()
		steps, channel = made, name
	}
	id, _ := d.newBound(channel)
	if d.chance(2) {
		id = id[:1]
	}
	return append(steps, id...)
}

package walk

import "joinmcast/spec"

// received is a receive that somebody waits for.
func (d *drawer) received(qp string) []Step {
	wr := map[string]any{"wr_id": d.rand.IntN(1000), "size": one(d, 2048, 2048, 256, 41)}
	return []Step{d.step("ibv_post_recv", "qp", qp, "wr", wr), d.awaits(qp)}
}

// awaits waits for what a QP receives.
func (d *drawer) awaits(qp string) Step {
	return d.step("ibv_poll_cq", "qp", qp, "queue", int(spec.RecvQueue))
}

// correspondent makes an id that joins a group, most often with a QP, and a way to the group.
func (d *drawer) correspondent(group string, withQP bool) (steps []Step, qp, ah string) {
	steps, channel := d.empty()
	create, name := d.created(channel, spec.PSUDP)
	steps = append(steps, create, d.step("rdma_bind_addr", "id", name, "addr", d.here()))
	if withQP {
		var makeQP Step
		makeQP, qp = d.madeQP(name)
		steps = append(steps, makeQP)
	}
	get, event := d.retrieved(channel)
	way := d.step("ibv_create_ah", "id", name, "attr", event+".ah")
	way.Gives = d.fresh("ah")
	return append(steps, d.join(name, group), get, way), qp, way.Gives
}

// exchange makes a member and lets it hear itself twice.
func exchange(d *drawer) []Step {
	steps, qp, ah := d.correspondent("group1", true)
	if d.chance(2) {
		steps = append(steps, d.step("ibv_attach_mcast", "qp", qp, "gid", "group1.gid", "mlid", 0))
	}
	first, second := d.received(qp), d.received(qp)
	steps = append(steps, first[0], second[0], first[1])
	steps = append(steps, d.said(qp, ah)...)
	steps = append(steps, d.awaits(qp))
	return append(steps, d.said(qp, ah)...)
}

// overheard lets a member hear another QP of the process, which is attached to no group or to the same.
func overheard(d *drawer) []Step {
	steps, hears, _ := d.correspondent("group1", true)
	more, says, ah := d.correspondent("group1", true)
	steps = append(append(steps, more...), d.received(hears)...)
	if d.chance(2) {
		steps = append(steps, d.step("ibv_detach_mcast", "qp", says, "gid", "group1.gid", "mlid", 0))
	}
	return append(steps, d.said(says, ah)...)
}

// twins sends to a group that shares its link-layer address with that of a QP.
func twins(d *drawer) []Step {
	steps, qp, _ := d.correspondent("group1", true)
	more, _, ah := d.correspondent(twin, false)
	steps = append(append(steps, more...), d.received(qp)...)
	return append(steps, d.said(qp, ah)...)
}

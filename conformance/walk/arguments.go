package walk

import (
	"fmt"
	"strings"

	"joinmcast/spec"
)

// What a draw acts on is picked here: handles that are alive, addresses, and attributes.

// step is a step of the process that is drawn, with arguments by name.
func (d *drawer) step(name string, args ...any) Step {
	s := Step{By: d.by, Call: name}
	for k := 0; k+1 < len(args); k += 2 {
		if s.Args == nil {
			s.Args = map[string]any{}
		}
		s.Args[args[k].(string)] = args[k+1]
	}
	return s
}

func (d *drawer) channel(holds func(*channel) bool) (string, bool) {
	return d.any(live(d.board.channels, func(c *channel) bool { return c.by == d.by && !c.gone && holds(c) }))
}

func (d *drawer) id(holds func(*id) bool) (string, bool) {
	return d.any(live(d.board.ids, func(i *id) bool {
		return i.by == d.by && !i.gone && !i.busy && !i.resolving && !i.dangling && holds(i)
	}))
}

func (d *drawer) qp(holds func(*qp) bool) (string, bool) {
	return d.any(live(d.board.qps, func(q *qp) bool { return q.by == d.by && !q.gone && holds(q) }))
}

// any is one of the names, the newest more often.
func (d *drawer) any(names []string) (string, bool) {
	if len(names) == 0 {
		return "", false
	}
	if d.chance(2) {
		return names[len(names)-1], true
	}
	return one(d, names...), true
}

func always[T any](T) bool { return true }

// unmade is what a draw gives that has nothing to act on.
var unmade = Step{}

// joiner is an id to join with, most often one with a device.
func (d *drawer) joiner() (string, bool) {
	if name, ok := d.id(func(i *id) bool { return i.verbs && i.ud && !i.listening }); ok && !d.chance(6) {
		return name, true
	}
	return d.id(always)
}

// plainJoin is a join with a context of its own.
func (d *drawer) plainJoin(id string, addr any) Step {
	return d.step("rdma_join_multicast", "id", id, "addr", addr, "context", d.context())
}

// joinEx is the same with attributes.
func (d *drawer) joinEx(id string, mask, flags int, addr any) Step {
	attr := map[string]any{"comp_mask": mask, "join_flags": flags, "addr": addr}
	return d.step("rdma_join_multicast_ex", "id", id, "attr", attr, "context", d.context())
}

// anyJoin is a join of any address.
func (d *drawer) anyJoin(id string) Step { return d.plainJoin(id, d.group()) }

// anyJoinEx is a join with attributes of any kind.
func (d *drawer) anyJoinEx(id string) Step {
	return d.joinEx(id, one(d, 3, 3, 3, 3, 3, 1, 2, 7, 0), one(d, 0, 1, 1, 1, 2, 0x10001), d.group())
}

// thenMayJoin lets a join follow, now and then.
func (d *drawer) thenMayJoin() {
	if name, ok := d.joiner(); ok && d.chance(8) {
		d.queue = []Step{d.anyJoin(name)}
	}
}

// quiet tells of an id whose next event will be seen to come.
func (d *drawer) quiet(i *id) bool {
	c := d.board.channels[i.channel]
	return c == nil || !c.unproved
}

// group is an address to join, most often a group.
func (d *drawer) group() any {
	if d.chance(4) {
		return one[any](d, "unicast", "unicast", "unicast", "unicast", "any", "loopback", "group6", "ib", "unix", nil,
			d.here(), "any6", "all-systems", "group1:7000", "group2+dirt", "broadcast", "any-ib", "unspec", "group1-mapped")
	}
	return one(d, "group1", "group1", "group1", "group1", "group2", "group3")
}

// context is a join's, of its own, now and then NULL.
func (d *drawer) context() string {
	if d.chance(10) {
		return "0x0"
	}
	return fmt.Sprintf("0x%x", d.rand.Uint64()|1)
}

// left is an address to leave, most often one that was joined.
func (d *drawer) left(name string) any {
	if joins := d.board.ids[name].joins; len(joins) > 0 && !d.chance(5) {
		return one(d, joins...).addr
	}
	return d.group()
}

// newQP makes a QP of an id, most often one that has none.
func (d *drawer) newQP() (Step, bool) {
	name, ok := d.id(func(i *id) bool { return i.verbs && i.qp == "" })
	if d.chance(10) {
		name, ok = d.id(func(i *id) bool { return i.verbs })
	}
	qt := one(d, spec.QPTypeUD, spec.QPTypeUD, spec.QPTypeUD, spec.QPTypeUD, spec.QPTypeUD, spec.QPTypeRC)
	attr := d.qpAttr(qt)
	attr["block_self_mcast_lb"] = d.chance(8)
	s := d.step("rdma_create_qp", "id", name, "attr", attr)
	s.Gives = d.fresh("qp")
	return s, ok
}

func (d *drawer) qpAttr(t spec.QPType) map[string]any {
	return map[string]any{"type": int(t), "max_send_wr": 4, "max_recv_wr": 4, "block_self_mcast_lb": false}
}

// newAH makes an address handle that leads to the group of some event.
func (d *drawer) newAH() (Step, bool) {
	name, ok := d.id(func(i *id) bool { return i.verbs })
	ways := live(d.board.events, func(e *event) bool { return e.way && e.by == d.by })
	if !ok || len(ways) == 0 {
		return unmade, false
	}
	s := d.step("ibv_create_ah", "id", name, "attr", one(d, ways...)+".ah")
	s.Gives = d.fresh("ah")
	return s, true
}

// send are the steps of a datagram: whoever has a buffer for it waits, and so does the sender.
func (d *drawer) send(name, ah string) (steps []Step) {
	for _, r := range live(d.board.qps, func(q *qp) bool { return !q.gone && q.posted > 0 && !q.waits[spec.RecvQueue] }) {
		steps = append(steps, Step{
			By: d.board.qps[r].by, Call: "ibv_poll_cq", Args: map[string]any{"qp": r, "queue": int(spec.RecvQueue)},
		})
	}
	return append(steps, d.said(name, ah)...)
}

// said is a datagram and, most often, the wait for its completion.
func (d *drawer) said(name, ah string) []Step {
	wr := map[string]any{
		"wr_id": d.rand.IntN(1000), "ah": ah, "remote_qpn": spec.MulticastQPN,
		"qkey": one(d, spec.UDPQKey, spec.UDPQKey, spec.UDPQKey, spec.UDPQKey, 7), "imm": one[any](d, nil, nil, 7, 0),
		"data": strings.Repeat("4a", one(d, 8, 8, 8, 9, 100, 0, 1024, 1200)),
	}
	post := d.step("ibv_post_send", "qp", name, "wr", wr)
	if d.chance(3) {
		return []Step{post}
	}
	return []Step{post, d.step("ibv_poll_cq", "qp", name, "queue", int(spec.SendQueue))}
}

// raw is a command that librdmacm would not write; now and then the address for its answer is no memory.
func (d *drawer) raw() map[string]any {
	if d.chance(3) {
		create := strings.Repeat("00", 16) + "11010400" + strings.Repeat("00", 4) // of a UD id
		return map[string]any{
			"cmd": int(spec.RawCreateID), "in": create, "response_at": 8, "room": 4, "unmapped": !d.chance(4),
		}
	}
	command := one(d, spec.RawDestroyID, spec.RawLeaveMulticast, spec.RawBind, spec.RawJoinMulticast, spec.RawGetEvent,
		spec.RawCreateID, 99)
	room := one(d, 336, 336, 4, 0)
	if command == spec.RawGetEvent {
		room = 0 // with room for it, the command would sleep
	}
	return map[string]any{
		"cmd": int(command), "in": strings.Repeat("f0", 152), "response_at": 0, "room": room, "unmapped": d.chance(4),
	}
}

package walk

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"joinmcast/spec"
)

// Length is how many steps a walk draws. What follows them shows how it all ended.
const Length = 30

// Draw draws the walk of a seed on a stack, and tells what it told.
func Draw(ctx context.Context, g *Ground, seed uint64) (w Walk, told []Told, err error) {
	r, err := g.begin(ctx, seed, int64(seed))
	if err != nil {
		return w, nil, err
	}
	w.Seed = seed
	d := &drawer{
		rand: rand.New(rand.NewPCG(seed, 0)), run: r, board: r.board, counts: map[string]int{}, made: map[string]int{},
		prepared: map[string]bool{},
	}
	d.theme = one(d, themes...)
	if len(d.theme.others) > 0 && d.chance(6) {
		d.other = one(d, d.theme.others...)
	}
	play := func(s Step) error {
		t, err := r.play(ctx, len(w.Steps)+1, s, nil)
		if err != nil {
			return fmt.Errorf("walk %d, step %d, %s: %w", seed, len(w.Steps)+1, s, err)
		}
		w.Steps, told = append(w.Steps, s), append(told, t)
		return nil
	}
	for len(w.Steps) < Length && err == nil {
		s := d.next()
		d.made[s.Call]++
		err = play(s)
	}
	for _, s := range d.closing() {
		if err == nil && r.undefined(s) == "" {
			err = play(s)
		}
	}
	if err != nil {
		return w, told, errors.Join(err, r.end(ctx), g.Leave(ctx))
	}
	_, err = g.finish(ctx, r)
	return w, told, err
}

// drawer draws the steps of one walk, with the board of the run that plays them.
type drawer struct {
	rand   *rand.Rand
	run    *run
	board  *board
	theme  theme
	queue  []Step // steps that go together and are not yet made
	counts map[string]int
	by     string // the process of this step
	other  string // a process beside p1; empty: none

	made     map[string]int  // calls by name
	prepared map[string]bool // processes that have made their theme's first steps
}

// next is the next step that is defined.
func (d *drawer) next() Step {
	story := d.chance(storyIn)
	race := d.chance(raceIn)
	for tries := 0; ; tries++ {
		for len(d.queue) > 0 {
			s := d.queue[0]
			d.queue = d.queue[1:]
			if d.run.undefined(s) == "" {
				return s
			}
		}
		if tries == 0 {
			d.by = d.process()
		}
		switch {
		case !d.prepared[d.by] || tries == patience: // one that has nothing left to act on begins anew
			d.prepared[d.by] = true
			d.queue = d.theme.prelude(d)
			continue
		case story:
			story = false
			d.queue = one(d, stories...)(d)
			continue
		case race:
			race = false
			if s, ok := d.race(); ok {
				return s
			}
		}
		name := d.theme.pick(d.rand, d.made)
		if s, ok := draws[name](d); ok && d.run.undefined(s) == "" {
			if s.By == "" {
				s.By = d.by
			}
			return s
		}
		d.queue = nil
	}
}

const (
	storyIn  = 80  // steps to a story
	raceIn   = 8   // steps to a race, where one can be run
	patience = 300 // draws that find nothing to act on
)

// process is who makes the next step: most often the first one.
func (d *drawer) process() string {
	if d.other != "" && d.chance(6) {
		return d.other
	}
	return "p1"
}

// here is the address of the process's host.
func (d *drawer) here() string {
	if hostOf(d.by) == 1 {
		return "peer"
	}
	return "local"
}

// fresh is a symbol that nothing has had.
func (d *drawer) fresh(kind string) string {
	d.counts[kind]++
	return fmt.Sprintf("%s%d", kind, d.counts[kind])
}

// one of some.
func one[T any](d *drawer, some ...T) T { return some[d.rand.IntN(len(some))] }

// chance is true once in n.
func (d *drawer) chance(n int) bool { return d.rand.IntN(n) == 0 }

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

// group is an address to join, most often a group.
func (d *drawer) group() any {
	if d.chance(4) {
		return one[any](d, "unicast", "unicast", "unicast", "unicast", "any", "loopback", "group6", "ib", "unix", nil,
			d.here(), "any6", "all-systems", "group1:7000", "group2+dirt", "broadcast", "any-ib", "unspec")
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

// draws make a step of each call; ok is false where there is nothing to make it on.
var draws = map[string]func(d *drawer) (s Step, ok bool){
	"rdma_create_event_channel": func(d *drawer) (Step, bool) {
		steps, _ := d.newChannels()
		d.queue = steps[1:]
		return steps[0], true
	},
	"rdma_destroy_event_channel": func(d *drawer) (Step, bool) {
		ch, ok := d.any(live(d.board.channels, func(c *channel) bool { return c.by == d.by && !c.gone && !c.polled }))
		if ok && len(d.board.idsOn(ch)) == 0 {
			return d.step("rdma_destroy_event_channel", "channel", ch), true
		}
		if name, ok := d.id(func(i *id) bool { return i.channel != "" && len(d.board.idsOn(i.channel)) == 1 }); ok {
			d.queue = []Step{d.step("rdma_destroy_event_channel", "channel", d.board.ids[name].channel)}
			return d.step("rdma_destroy_id", "id", name), true
		}
		if !d.chance(200) {
			return unmade, false
		}
		s := d.newChannel()
		d.queue = []Step{d.step("rdma_destroy_event_channel", "channel", s.Gives)}
		return s, true
	},
	"fcntl": func(d *drawer) (Step, bool) {
		ch, ok := d.channel(always)
		return d.step("fcntl", "channel", ch, "nonblock", !d.chance(4)), ok
	},
	"rdma_create_id": func(d *drawer) (Step, bool) {
		ps := one(d, spec.PSUDP, spec.PSUDP, spec.PSUDP, spec.PSUDP, spec.PSUDP, spec.PSTCP, spec.PSIB, spec.PSIPoIB, 0x999)
		var ch any
		if name, ok := d.channel(always); ok && !d.chance(4) {
			ch = name
		}
		s := d.step("rdma_create_id", "channel", ch, "context", d.context(), "ps", int(ps))
		s.Gives = d.fresh("id")
		return s, true
	},
	"read_id":         onID("read_id"),
	"rdma_destroy_id": onID("rdma_destroy_id"),
	"rdma_destroy_ep": func(d *drawer) (Step, bool) {
		name, ok := d.id(func(i *id) bool { return i.ep })
		if !ok || d.chance(4) {
			name, ok = d.id(always)
		}
		return d.step("rdma_destroy_ep", "id", name), ok
	},
	"rdma_bind_addr": func(d *drawer) (Step, bool) {
		name, ok := d.id(func(i *id) bool { return !i.verbs })
		if !ok || d.chance(5) {
			name, ok = d.id(always)
		}
		a := one[any](d, d.here(), d.here(), d.here(), d.here(), d.here(), d.here()+":7000", "any", "loopback", "nowhere",
			"other", "group2", "any6", nil, "unix", "any-ib")
		return d.step("rdma_bind_addr", "id", name, "addr", a), ok
	},
	"rdma_resolve_addr": func(d *drawer) (Step, bool) {
		name, ok := d.id(d.quiet)
		src := one[any](d, d.here(), nil, nil, "any", "nowhere", "unix")
		dst := one[any](d, d.here(), d.here(), "group1", "group2", "loopback", "any", nil, "unix", "group6", "any6")
		return d.step("rdma_resolve_addr", "id", name, "src", src, "dst", dst, "timeout_ms", 1000), ok
	},
	"rdma_resolve_route": func(d *drawer) (Step, bool) {
		name, ok := d.id(func(i *id) bool { return i.verbs && d.quiet(i) })
		return d.step("rdma_resolve_route", "id", name, "timeout_ms", 1000), ok
	},
	"rdma_create_ep": func(d *drawer) (Step, bool) {
		qt := one(d, spec.QPTypeUD, spec.QPTypeUD, spec.QPTypeUD, spec.QPTypeRC)
		attr := map[string]any{
			"passive": d.chance(2), "ps": int(one(d, spec.PSUDP, spec.PSUDP, spec.PSUDP, spec.PSIB)), "qp_type": int(qt),
			"src": one[any](d, d.here(), d.here(), "any", "loopback", "nowhere", nil), "dst": nil, "qp": nil,
		}
		if attr["passive"] == false {
			attr["src"] = one[any](d, d.here(), d.here(), nil)
			attr["dst"] = one[any](d, d.here(), d.here(), "group1", "loopback", "group6") // rdma_getaddrinfo gives one
		} else if attr["src"] == nil {
			attr["src"] = d.here()
		}
		if !d.chance(3) {
			attr["qp"] = d.qpAttr(qt)
		}
		s := d.step("rdma_create_ep", "attr", attr)
		s.Gives = d.fresh("ep")
		return s, true
	},
	"rdma_listen": func(d *drawer) (Step, bool) {
		name, ok := d.id(func(i *id) bool { return len(i.joins) == 0 })
		if d.chance(4) {
			name, ok = d.id(always)
		}
		return d.step("rdma_listen", "id", name, "backlog", 3), ok
	},
	"rdma_migrate_id": func(d *drawer) (Step, bool) {
		name, ok := d.id(always)
		var to any
		if ch, ok := d.channel(always); ok && !d.chance(4) {
			to = ch
		}
		return d.step("rdma_migrate_id", "id", name, "channel", to), ok
	},
	"rdma_create_qp": (*drawer).newQP,
	"rdma_destroy_qp": func(d *drawer) (Step, bool) {
		if name, ok := d.id(func(i *id) bool { return i.qp != "" }); ok {
			return d.step("rdma_destroy_qp", "id", name), true
		}
		s, ok := d.newQP()
		d.queue = []Step{d.step("rdma_destroy_qp", "id", s.symbol("id"))}
		return s, ok
	},
	"rdma_join_multicast": func(d *drawer) (Step, bool) {
		name, ok := d.joiner()
		return d.step("rdma_join_multicast", "id", name, "addr", d.group(), "context", d.context()), ok
	},
	"rdma_join_multicast_ex": func(d *drawer) (Step, bool) {
		name, ok := d.joiner()
		attr := map[string]any{
			"comp_mask": one(d, 3, 3, 3, 3, 3, 1, 2, 7, 0), "join_flags": one(d, 0, 1, 1, 1, 2), "addr": d.group(),
		}
		return d.step("rdma_join_multicast_ex", "id", name, "attr", attr, "context", d.context()), ok
	},
	"rdma_leave_multicast": func(d *drawer) (Step, bool) {
		name, ok := d.id(func(i *id) bool { return len(i.joins) > 0 })
		if !ok || d.chance(8) {
			name, ok = d.id(always)
		}
		if !ok {
			return unmade, false
		}
		return d.step("rdma_leave_multicast", "id", name, "addr", d.left(name)), true
	},
	"poll": func(d *drawer) (Step, bool) {
		ch, ok := d.channel(func(c *channel) bool { return len(c.unread) > 0 || d.chance(4) })
		return d.step("poll", "channel", ch), ok
	},
	"rdma_get_cm_event": func(d *drawer) (Step, bool) {
		ch, ok := d.channel(func(c *channel) bool { return len(c.unread) > 0 })
		if !ok && d.chance(3) {
			ch, ok = d.channel(always)
		}
		s := d.step("rdma_get_cm_event", "channel", ch, "nowhere", d.chance(12))
		s.Gives = d.fresh("ev")
		return s, ok
	},
	"rdma_ack_cm_event": func(d *drawer) (Step, bool) {
		ev, ok := d.any(live(d.board.events, func(e *event) bool { return !e.dead && e.by == d.by }))
		if !ok && d.chance(6) {
			return d.step("rdma_ack_cm_event", "event", 0), true
		}
		return d.step("rdma_ack_cm_event", "event", ev), ok
	},
	"ibv_query_device": func(d *drawer) (Step, bool) {
		name, ok := d.id(func(i *id) bool { return i.verbs })
		return d.step("ibv_query_device", "id", name), ok
	},
	"ibv_attach_mcast": attachment("ibv_attach_mcast"),
	"ibv_detach_mcast": attachment("ibv_detach_mcast"),
	"ibv_destroy_qp": func(d *drawer) (Step, bool) {
		name, ok := d.qp(func(q *qp) bool { return q.id == "" })
		if !ok || d.chance(3) {
			name, ok = d.qp(func(q *qp) bool {
				i := d.board.ids[q.id]
				return i != nil && i.channel != ""
			})
		}
		if !ok {
			s, ok := d.newQP()
			if i := d.board.ids[s.symbol("id")]; !ok || i == nil || i.channel == "" {
				return unmade, false // the QP of a synchronous id must stay
			}
			d.queue = []Step{d.step("ibv_destroy_qp", "qp", s.Gives)}
			return s, ok
		}
		return d.step("ibv_destroy_qp", "qp", name), ok
	},
	"ibv_create_ah": func(d *drawer) (Step, bool) {
		s, ok := d.newAH()
		if name, there := d.qp(func(q *qp) bool { return q.id != "" && q.ud }); ok && there && d.chance(2) {
			d.queue = d.send(name, s.Gives)
		}
		return s, ok
	},
	"ibv_destroy_ah": func(d *drawer) (Step, bool) {
		name, ok := d.any(live(d.board.ways, func(a *ah) bool { return a.by == d.by && !a.gone }))
		if !ok {
			s, ok := d.newAH()
			d.queue = []Step{d.step("ibv_destroy_ah", "ah", s.Gives)}
			return s, ok
		}
		return d.step("ibv_destroy_ah", "ah", name), ok
	},
	"ibv_post_recv": func(d *drawer) (Step, bool) {
		name, ok := d.qp(func(q *qp) bool { return q.id != "" && q.ud })
		if ok && d.chance(2) && !d.board.qps[name].waits[spec.RecvQueue] {
			d.queue = append(d.queue, Step{By: d.by, Call: "ibv_poll_cq", Args: map[string]any{"qp": name, "queue": 1}})
		}
		wr := map[string]any{"wr_id": d.rand.IntN(1000), "size": one(d, 256, 256, 256, 256, 256, 2048, 41, 0)}
		return d.step("ibv_post_recv", "qp", name, "wr", wr), ok
	},
	"ibv_post_send": func(d *drawer) (Step, bool) {
		name, ok := d.qp(func(q *qp) bool { return q.id != "" && q.ud })
		ah, there := d.any(live(d.board.ways, func(a *ah) bool { return a.by == d.by && !a.gone }))
		if !ok || !there {
			return unmade, false
		}
		d.queue = d.send(name, ah)
		first := d.queue[0]
		d.queue = d.queue[1:]
		return first, true
	},
	"ibv_poll_cq": func(d *drawer) (Step, bool) {
		name, ok := d.qp(func(q *qp) bool { return q.id != "" })
		return d.step("ibv_poll_cq", "qp", name, "queue", d.rand.IntN(2)), ok
	},
	"set_fd": func(d *drawer) (Step, bool) {
		if off, ok := d.channel(func(c *channel) bool { return c.off }); ok && !d.chance(3) {
			return d.step("set_fd", "channel", off, "fd", strings.Replace(off, "ch", "fd", 1)), true
		}
		ch, ok := d.channel(func(c *channel) bool { return !c.off })
		s := d.step("set_fd", "channel", ch, "fd", -1)
		s.Gives = strings.Replace(ch, "ch", "fd", 1)
		return s, ok
	},
	"seteuid": func(d *drawer) (Step, bool) {
		if d.by == "p1" {
			d.by = "p3"
		}
		return d.step("seteuid", "uid", one(d, 65534, 65534, 0)), true
	},
	"fork": func(d *drawer) (Step, bool) {
		name, ok := d.joiner()
		return d.step("fork", "id", name, "addr", d.group()), ok
	},
	"fail_next": func(d *drawer) (Step, bool) {
		f, errno := one(d, spec.Calloc, spec.Malloc, spec.Write), spec.ENOMEM
		if f == spec.Write {
			errno = one(d, spec.EIO, spec.ENOMEM, spec.EINTR)
		}
		skip := one(d, 0, 0, 0, 1, 2)
		return d.step("fail_next", "function", string(f), "skip", skip, "errno", int(errno)), true
	},
	"allocations": func(d *drawer) (Step, bool) { return d.step("allocations"), true },
	"open": func(d *drawer) (Step, bool) {
		s := d.step("open")
		s.Gives = d.fresh("file")
		return s, true
	},
	"write": func(d *drawer) (Step, bool) {
		name, ok := d.any(live(d.board.files, func(f *file) bool { return f.by == d.by }))
		return d.step("write", "file", name, "command", d.raw()), ok
	},
	"script": func(d *drawer) (Step, bool) { return d.script() },
	Observe:  func(*drawer) (Step, bool) { return Step{By: "host0", Call: Observe}, true },
	Configure: func(d *drawer) (Step, bool) {
		for _, c := range d.board.channels {
			if c.unproved {
				return unmade, false
			}
		}
		if undone := live(d.board.changes, func(there bool) bool { return there }); len(undone) > 0 {
			return Step{By: "host0", Call: Undo, Args: map[string]any{"change": undone[0]}}, true
		}
		change := one(d,
			map[string]any{"del_addr": map[string]any{"netdev": "netdev", "prefix": "local/24"}},
			map[string]any{"add_addr": map[string]any{"netdev": "netdev", "prefix": "other/24"}},
			map[string]any{"set_mtu": map[string]any{"netdev": "netdev", "mtu": one(d, 200, 200, 1000, 4096)}})
		return Step{By: "host0", Call: Configure, Args: change, Gives: d.fresh("change")}, true
	},
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

// send are the steps of a datagram: whoever has a buffer for it waits, and so does the sender.
func (d *drawer) send(name, ah string) (steps []Step) {
	for _, r := range live(d.board.qps, func(q *qp) bool { return !q.gone && q.posted > 0 && !q.waits[spec.RecvQueue] }) {
		steps = append(steps, Step{
			By: d.board.qps[r].by, Call: "ibv_poll_cq", Args: map[string]any{"qp": r, "queue": int(spec.RecvQueue)},
		})
	}
	wr := map[string]any{
		"wr_id": d.rand.IntN(1000), "ah": ah, "remote_qpn": spec.MulticastQPN,
		"qkey": one(d, spec.UDPQKey, spec.UDPQKey, spec.UDPQKey, spec.UDPQKey, 7), "imm": one[any](d, nil, 7),
		"data": strings.Repeat("4a", one(d, 8, 8, 100, 0, 1200)),
	}
	return append(steps, d.step("ibv_post_send", "qp", name, "wr", wr),
		Step{By: d.by, Call: "ibv_poll_cq", Args: map[string]any{"qp": name, "queue": int(spec.SendQueue)}})
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

func onID(name string) func(d *drawer) (Step, bool) {
	return func(d *drawer) (Step, bool) {
		id, ok := d.id(always)
		return d.step(name, "id", id), ok
	}
}

func attachment(name string) func(d *drawer) (Step, bool) {
	return func(d *drawer) (Step, bool) {
		qp, ok := d.qp(always)
		mlid := 0
		if name == "ibv_detach_mcast" && d.chance(5) {
			// Attaching with two MLIDs leaves a QP behind that no kernel gets rid of, with a warning (JM-CLEAN-01).
			mlid = 1
		}
		group := one(d, "group1.gid", "group1.gid", "group2.gid", "unicast.gid", "zero-gid", "group6.gid")
		return d.step(name, "qp", qp, "gid", group, "mlid", mlid), ok
	}
}

// quiet tells of an id whose next event will be seen to come.
func (d *drawer) quiet(i *id) bool {
	c := d.board.channels[i.channel]
	return c == nil || !c.unproved
}

// joiner is an id to join with, most often one with a device.
func (d *drawer) joiner() (string, bool) {
	if name, ok := d.id(func(i *id) bool { return i.verbs && i.ud && !i.listening }); ok && !d.chance(6) {
		return name, true
	}
	return d.id(always)
}

func (d *drawer) qpAttr(t spec.QPType) map[string]any {
	return map[string]any{"type": int(t), "max_send_wr": 4, "max_recv_wr": 4, "block_self_mcast_lb": false}
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
	call := func(method string, args ...any) any {
		return map[string]any{"method": method, "args": d.step("", args...).Args}
	}
	sequence := []any{
		call("rdma_join_multicast", "id", name, "addr", group, "context", d.context()),
		call("rdma_leave_multicast", "id", name, "addr", group),
		call("rdma_leave_multicast", "id", name, "addr", group),
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
	call := func(method string, args ...any) any {
		return map[string]any{"method": method, "args": d.step("", args...).Args}
	}
	s := d.step("script", "script", map[string]any{"rounds": 1, "sequences": []any{
		[]any{call("rdma_leave_multicast", "id", p.id, "addr", p.join.addr)},
		[]any{
			call("rdma_get_cm_event", "channel", ch, "nowhere", false),
			call("rdma_ack_cm_event", "event", int(spec.FromStep[spec.EventRef](0))),
		},
	}})
	s.Race = true
	return s, true
}

// closing are the steps that show how a walk has ended; those that are undefined by then are left out.
func (d *drawer) closing() []Step {
	var steps []Step
	b := d.board
	for _, name := range live(b.changes, func(there bool) bool { return there }) {
		steps = append(steps, Step{By: "host0", Call: Undo, Args: map[string]any{"change": name}})
	}
	for _, name := range live(b.channels, func(c *channel) bool { return !c.gone && !c.off && !c.blocking }) {
		c := b.channels[name]
		for range len(c.unread) + 1 {
			steps = append(steps, Step{
				By: c.by, Call: "rdma_get_cm_event", Args: map[string]any{"channel": name, "nowhere": false}, Gives: d.fresh("ev"),
			})
		}
	}
	for _, name := range live(b.qps, func(q *qp) bool { return !q.gone }) {
		for _, group := range []string{"group1.gid", "group2.gid", "group3.gid"} {
			steps = append(steps, Step{
				By: b.qps[name].by, Call: "ibv_detach_mcast", Args: map[string]any{"qp": name, "gid": group, "mlid": 0},
			})
		}
	}
	for _, name := range live(b.procs, func(p *proc) bool { return !p.ended }) {
		steps = append(steps, Step{By: name, Call: "allocations"})
	}
	steps = append(steps, Step{By: "host0", Call: Observe})
	for _, name := range live(b.procs, func(p *proc) bool { return !p.ended }) {
		steps = append(steps, Step{By: name, Call: Kill})
	}
	return append(steps, Step{By: "host0", Call: Observe})
}

package walk

import (
	"strings"

	"joinmcast/spec"
)

// draws make a step of each call; ok is false where there is nothing to make it on.
var draws = map[string]func(d *drawer) (s Step, ok bool){
	anew: (*drawer).beginAnew,
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
			if d.board.ids[name].ep {
				return d.step("rdma_destroy_ep", "id", name), true
			}
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
		return d.anyJoin(name), ok
	},
	"rdma_join_multicast_ex": func(d *drawer) (Step, bool) {
		name, ok := d.joiner()
		return d.anyJoinEx(name), ok
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
		quiet := d.chance(4) // nothing is drawn by channel: the map has them in any order
		ch, ok := d.channel(func(c *channel) bool { return quiet || len(c.unread) > 0 })
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
		if !ok {
			return unmade, false
		}
		ah, there := d.any(live(d.board.ways, func(a *ah) bool { return a.by == d.by && !a.gone }))
		if !there {
			way, ok := d.newAH()
			d.queue = d.send(name, way.Gives)
			return way, ok
		}
		d.queue = d.send(name, ah)
		if hears, ok := d.qp(func(q *qp) bool { return q.id != "" && q.ud && q.posted == 0 }); ok && d.chance(2) {
			d.queue = append(d.received(hears), d.queue...)
		}
		first := d.queue[0]
		d.queue = d.queue[1:]
		return first, true
	},
	"ibv_poll_cq": func(d *drawer) (Step, bool) {
		name, ok := d.qp(func(q *qp) bool { return q.id != "" })
		return d.step("ibv_poll_cq", "qp", name, "queue", d.rand.IntN(2)), ok
	},
	"set_fd": func(d *drawer) (Step, bool) {
		back := func(ch string) Step {
			return d.step("set_fd", "channel", ch, "fd", strings.Replace(ch, "ch", "fd", 1))
		}
		if off, ok := d.channel(func(c *channel) bool { return c.off }); ok && !d.chance(3) {
			return back(off), true
		}
		ch, ok := d.channel(func(c *channel) bool { return !c.off })
		s := d.step("set_fd", "channel", ch, "fd", -1)
		s.Gives = strings.Replace(ch, "ch", "fd", 1)
		d.thenMayJoin()
		if d.chance(2) {
			d.queue = append(d.queue, back(ch))
		}
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
		d.thenMayJoin()
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
	Observe:  func(*drawer) (Step, bool) { return observed, true },
	Configure: func(d *drawer) (Step, bool) {
		for _, c := range d.board.channels {
			if c.unproved {
				return unmade, false
			}
		}
		if changes := d.board.undoable(); len(changes) > 0 {
			return undone(changes[0]), true
		}
		change := one(d,
			map[string]any{"del_addr": map[string]any{"netdev": "netdev", "prefix": "local/24"}},
			map[string]any{"add_addr": map[string]any{"netdev": "netdev", "prefix": "other/24"}},
			map[string]any{"set_mtu": map[string]any{"netdev": "netdev", "mtu": one(d, 200, 200, 1000, 4096)}})
		return Step{By: "host0", Call: Configure, Args: change, Gives: d.fresh("change")}, true
	},
}

// anew is no call: the process makes what its theme begins with once more.
const anew = "anew"

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
		group := one(d, "group1.gid", "group1.gid", "group2.gid", "unicast.gid", "zero-gid", "group6.gid",
			"broadcast.gid", "class-e.gid")
		return d.step(name, "qp", qp, "gid", group, "mlid", mlid), ok
	}
}

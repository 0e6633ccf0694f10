package walk

import (
	"strings"

	"joinmcast/spec"
)

// A Walk makes no undefined use: no call on NULL where C follows the pointer, none on what is gone, none that only a
// person could end. Undefined says why a step would be one, or what it lacks; empty: it is defined.
func (r *run) undefined(s Step) string {
	b := r.board
	if p := b.procs[s.By]; p != nil && p.ended {
		return "the process has ended"
	}
	if p := b.procs[s.By]; b.unplugged && isProcess(s.By) && hostOf(s.By) == 0 && (p == nil || !p.started) {
		return "the library would start without a device" // the kernel hides it from new processes a little later
	}
	for _, symbol := range mentioned(s.Args) {
		if why := r.unusable(s, symbol); why != "" {
			return why
		}
	}
	if rule := rules[s.Call]; rule != nil {
		return rule(b, s)
	}
	return ""
}

// unusable says why an object must not be used now.
func (r *run) unusable(s Step, symbol string) string {
	b := r.board
	kind, ok := r.symbols.isHandle(symbol)
	if !ok {
		return ""
	}
	if _, ok := r.symbols.values[symbol]; !ok {
		return symbol + " is nothing"
	}
	switch kind {
	case "ch":
		if c := b.channels[symbol]; c == nil || c.gone || c.by != s.By {
			return symbol + " is gone"
		}
	case "id", "ep":
		switch i := b.ids[symbol]; {
		case i == nil || i.gone || i.by != s.By:
			return symbol + " is gone"
		case i.busy:
			return symbol + " is in use"
		case i.resolving && s.Call != "read_id":
			return symbol + " is resolving"
		case i.dangling && s.Call != "rdma_destroy_id":
			return symbol + " has a QP that is gone"
		}
	case "qp":
		if q := b.qps[symbol]; q == nil || q.gone || q.by != s.By {
			return symbol + " is gone"
		}
	case "ev", "event":
		if e := b.events[symbol]; e == nil || e.dead || e.by != s.By {
			return symbol + " is gone"
		}
	case "ah":
		if a := b.ways[symbol]; a == nil || a.gone || a.by != s.By {
			return symbol + " is gone"
		}
	case "file":
		if f := b.files[symbol]; f == nil || f.by != s.By {
			return symbol + " is not open"
		}
	case "change":
		if !b.changes[symbol] {
			return symbol + " is undone"
		}
	}
	return ""
}

// rules are what calls need beside living objects.
var rules = map[string]func(b *board, s Step) string{
	"rdma_destroy_event_channel": func(b *board, s Step) string {
		c := b.channels[s.symbol("channel")]
		switch {
		case c.polled:
			return "it is polled"
		case len(b.idsOn(s.symbol("channel"))) > 0:
			return "an id uses it"
		}
		return ""
	},
	"rdma_resolve_route": needsDevice, "rdma_create_qp": needsDevice, "ibv_query_device": needsDevice,
	"ibv_create_ah":          needsDevice,
	"rdma_resolve_addr":      func(b *board, s Step) string { return b.mustComplete(s) },
	"rdma_join_multicast":    func(b *board, s Step) string { return b.mustComplete(s) },
	"rdma_join_multicast_ex": func(b *board, s Step) string { return b.mustComplete(s) },
	"rdma_destroy_qp": func(b *board, s Step) string {
		i := b.ids[s.symbol("id")]
		if i.qp == "" {
			return "there is no QP"
		}
		return b.awaited(i.qp)
	},
	"rdma_destroy_ep": func(b *board, s Step) string {
		name := b.ids[s.symbol("id")].qp
		if q := b.qps[name]; q != nil && q.posted+q.sending > 0 {
			return "the memory of its work requests is registered in the protection domain that may go with it"
		}
		return b.awaited(name)
	},
	"rdma_destroy_id": func(b *board, s Step) string { return b.awaited(b.ids[s.symbol("id")].qp) },
	"rdma_leave_multicast": func(b *board, s Step) string {
		i := b.ids[s.symbol("id")]
		if i.channel == "" && i.poisoned {
			return "its channel is poisoned"
		}
		return ""
	},
	"rdma_migrate_id": func(b *board, s Step) string {
		i := b.ids[s.symbol("id")]
		if i.poisoned || i.channel != "" && b.channels[i.channel].poisoned {
			return "its channel is poisoned"
		}
		return ""
	},
	"poll": func(b *board, s Step) string {
		c := b.channels[s.symbol("channel")]
		if c.off || c.polled {
			return "it is polled, or has no descriptor"
		}
		return ""
	},
	"rdma_get_cm_event": func(b *board, s Step) string {
		if s.Args["nowhere"] == true {
			return ""
		}
		c := b.channels[s.symbol("channel")]
		if c == nil {
			return "no channel"
		}
		if c.poisoned {
			return "it is poisoned"
		}
		if c.blocking && !c.off && (len(c.unread) == 0 || b.procs[s.By].failing > 0 || b.procs[s.By].changed) {
			return "it would sleep in read(2)"
		}
		for _, p := range c.unread {
			if i := b.ids[p.id]; i == nil || i.gone && p.join != nil || i.dangling {
				return "an event's QP is gone"
			}
		}
		return ""
	},
	"set_fd": func(b *board, s Step) string {
		name := s.symbol("channel")
		c := b.channels[name]
		for _, i := range b.idsOn(name) {
			if i.busy {
				return "a call on it is open"
			}
		}
		if c.polled {
			return "it is polled"
		}
		if c.off == (s.Args["fd"] == -1) {
			return "it is so already"
		}
		return ""
	},
	"ibv_destroy_qp": func(b *board, s Step) string {
		q := b.qps[s.symbol("qp")]
		if why := b.awaited(s.symbol("qp")); why != "" {
			return why
		}
		if i := b.ids[q.id]; i != nil && i.channel == "" {
			return "the id of the QP is synchronous"
		} else if i != nil {
			for _, p := range b.channels[i.channel].unread {
				if p.id == q.id {
					return "an event would attach the QP"
				}
			}
		}
		return ""
	},
	"ibv_post_recv": func(b *board, s Step) string { return b.ownedUD(s) },
	"ibv_post_send": func(b *board, s Step) string {
		if why := b.ownedUD(s); why != "" {
			return why
		}
		for _, name := range live(b.qps, func(q *qp) bool { return !q.gone && q.posted > 0 && !q.waits[spec.RecvQueue] }) {
			return "nobody waits for what " + name + " may receive"
		}
		return ""
	},
	"ibv_poll_cq": func(b *board, s Step) string {
		q := b.qps[s.symbol("qp")]
		switch queue := s.Args["queue"]; {
		case q.id == "":
			return "its queues are gone"
		case q.waits[queue.(int)]:
			return "somebody waits for it already"
		case queue == int(spec.SendQueue) && q.sending == 0:
			return "nothing is being sent"
		}
		return ""
	},
	"script": func(b *board, s Step) string {
		if p := b.procs[s.By]; p != nil && p.failing > 0 {
			return "a call of it may fail" // and a leave that fails makes its event one that must not be read
		}
		return ""
	},
	"fail_next": func(b *board, s Step) string {
		if p := b.procs[s.By]; s.Args["function"] != string(spec.Write) && (p == nil || !p.started) {
			return "the library has not started" // it does not survive a lack of memory there
		}
		return ""
	},
	Configure: func(b *board, s Step) string {
		if _, ok := s.Args["remove_device"]; ok || b.unplugged {
			return b.removable()
		}
		return ""
	},
	Kill: func(b *board, s Step) string {
		if b.procs[s.By] == nil {
			return "no such process"
		}
		return ""
	},
}

// symbol is an argument that is a symbol.
func (s Step) symbol(name string) string {
	text, _ := s.Args[name].(string)
	return text
}

func needsDevice(b *board, s Step) string {
	if !b.ids[s.symbol("id")].verbs {
		return "the id has no device"
	}
	return ""
}

// mustComplete is for calls that wait for an event when the id is synchronous.
func (b *board) mustComplete(s Step) string {
	if i := b.ids[s.symbol("id")]; i.poisoned {
		return "its channel is poisoned"
	}
	return ""
}

// awaited tells of a QP whose completions somebody waits for.
func (b *board) awaited(name string) string {
	if q := b.qps[name]; q != nil && (q.waits[0] || q.waits[1]) {
		return "somebody waits for its completions"
	}
	return ""
}

// ownedUD is for work requests.
func (b *board) ownedUD(s Step) string {
	if q := b.qps[s.symbol("qp")]; q.id == "" || !q.ud {
		return "it is no UD QP of an id"
	}
	return ""
}

// isProcess tells the names of processes from those of hosts.
func isProcess(by string) bool { return by != "" && !strings.HasPrefix(by, "host") }

// hostOf is the number of the host that a process or a host's name stands for.
func hostOf(by string) int {
	if strings.HasPrefix(by, "q") || by == "host1" {
		return 1
	}
	return 0
}

package walk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// account keeps what a call's answer changes of the board, and gives the answer's text.
func (r *run) account(a *agent, s Step, f *flight) string {
	b, answer, err := r.board, f.answer, f.err
	var refused *spec.CallError
	if errors.As(err, &refused) {
		r.failed(s, refused.Errno)
		return fmt.Sprintf("%d %s", refused.Ret, refused.Errno.Name())
	}
	if err != nil {
		b.procs[s.By].ended, r.crashed = true, true
		if o := spec.Outcome(err); o != "harness" {
			return o
		}
		return "harness: " + err.Error()
	}
	switch answer.(type) {
	case *call.CreateEventChannelAnswer, *call.CreateIDAnswer, *call.CreateEPAnswer:
		b.procs[s.By].started = true
	}
	switch got := answer.(type) {
	case *call.CreateEventChannelAnswer:
		r.give(s, "channel", uint64(got.Channel))
		b.channels[s.Gives] = &channel{by: s.By, blocking: true}
	case *call.CreateIDAnswer:
		r.give(s, "id", uint64(got.ID))
		b.ids[s.Gives] = &id{by: s.By, channel: s.symbol("channel"), ud: s.Args["ps"] == int(spec.PSUDP)}
	case *call.CreateEPAnswer:
		r.give(s, "id", uint64(got.ID))
		b.ids[s.Gives] = &id{by: s.By, ep: true, ud: true}
	case *call.CreateQPAnswer:
		r.give(s, "qp", uint64(got.QP))
		ud := s.Args["attr"].(map[string]any)["type"] == int(spec.QPTypeUD) && b.ids[s.symbol("id")].ud
		b.qps[s.Gives] = &qp{by: s.By, id: s.symbol("id"), ud: ud}
		b.ids[s.symbol("id")].qp = s.Gives
	case *call.CreateAHAnswer:
		r.give(s, "ah", uint64(got.AH))
		b.ways[s.Gives] = &ah{by: s.By}
	case *call.OpenRawAnswer:
		r.give(s, "file", uint64(got.File))
		b.files[s.Gives] = &file{by: s.By}
	case *call.GetEventAnswer:
		return r.event(s, got.Event)
	case *call.ReadIDAnswer:
		return r.state(a, s.symbol("id"), got.State)
	case *call.QueryDeviceAnswer:
		return fmt.Sprintf("0 %d groups, %d each, %d in all", got.Attr.MaxMcastGrp, got.Attr.MaxMcastQPAttach,
			got.Attr.MaxTotalMcastQPAttach)
	case *call.WaitCompletionAnswer:
		return r.completion(s, got.Completion)
	case *call.ScriptAnswer:
		if s.Race {
			script := s.Args["script"].(map[string]any)
			leave := script["sequences"].([]any)[0].([]any)[0].(map[string]any)
			r.left(Step{Args: leave["args"].(map[string]any)})
		}
		return tallies(got.Tallies)
	case *call.SetFDAnswer:
		if s.Gives != "" {
			r.symbols.values[s.Gives] = got.Old
		}
		b.channels[s.symbol("channel")].off = s.Args["fd"] == -1
		return "0"
	case *call.AllocationsAnswer:
		return fmt.Sprintf("0 %d blocks", got.Blocks)
	case *call.WriteRawAnswer:
		return fmt.Sprintf("0 %d bytes", len(got.Answer.Out))
	default:
		r.succeeded(a, s, f.slept)
	}
	return "0"
}

func (r *run) give(s Step, kind string, number uint64) {
	if s.Gives != "" {
		r.symbols.give(s.Gives, handle{s.By, kind, number})
	}
}

// succeeded accounts for calls without an answer of their own; of one that has slept, slept has done so in part.
func (r *run) succeeded(a *agent, s Step, slept bool) {
	b := r.board
	i := b.ids[s.symbol("id")]
	if !slept {
		r.begun(s)
	}
	switch s.Call {
	case "rdma_destroy_event_channel":
		b.channels[s.symbol("channel")].gone = true
	case "fcntl":
		if c := b.channels[s.symbol("channel")]; !c.off {
			c.blocking = s.Args["nonblock"] != true
		}
	case "rdma_destroy_id":
		b.destroyed(s.symbol("id"))
		b.lose(i)
	case "rdma_destroy_ep":
		b.destroyed(s.symbol("id"))
	case "rdma_resolve_addr", "rdma_resolve_route":
		if i.channel != "" {
			b.expect(i.channel, &pending{id: s.symbol("id")})
			i.resolving = true
		}
	case "rdma_join_multicast", "rdma_join_multicast_ex":
		m := memberOf(s)
		i.joins = append(i.joins, m)
		if i.channel != "" {
			b.expect(i.channel, &pending{id: s.symbol("id"), join: m})
		} else {
			m.event = s.symbol("id") + ".event"
		}
	case "rdma_leave_multicast", "rdma_migrate_id":
		i.busy = false
	case "rdma_destroy_qp":
		b.qps[i.qp].gone = true
		i.qp = ""
	case "ibv_destroy_qp":
		q := b.qps[s.symbol("qp")]
		q.gone = true
		if i := b.ids[q.id]; i != nil && i.qp == s.symbol("qp") {
			i.dangling = true
		}
	case "poll":
		b.channels[s.symbol("channel")].polled = false
	case "rdma_ack_cm_event":
		if e := b.events[s.symbol("event")]; e != nil {
			e.dead = true
		}
	case "ibv_destroy_ah":
		b.ways[s.symbol("ah")].gone = true
	case "ibv_post_recv":
		b.qps[s.symbol("qp")].posted++
	case "ibv_post_send":
		b.qps[s.symbol("qp")].sending++
	case "seteuid":
		b.procs[a.name].changed = true
	case "fail_next":
		b.procs[a.name].failing++
	}
}

// slept accounts for a call that sleeps: what it has done before it fell asleep.
func (r *run) slept(s Step) {
	b := r.board
	if i := b.ids[s.symbol("id")]; i != nil {
		i.busy = true
	}
	r.begun(s)
	switch s.Call {
	case "poll":
		b.channels[s.symbol("channel")].polled = true
	case "ibv_poll_cq":
		b.qps[s.symbol("qp")].waits[s.Args["queue"].(int)] = true
	}
}

// begun accounts for what a call has done before it can sleep.
func (r *run) begun(s Step) {
	switch s.Call {
	case "rdma_destroy_ep":
		r.unlisted(s)
		if q := r.board.qps[r.board.ids[s.symbol("id")].qp]; q != nil {
			q.gone = true // it goes first
		}
	case "rdma_destroy_id":
		r.unlisted(s)
	case "rdma_leave_multicast":
		r.left(s)
	case "rdma_migrate_id":
		r.moved(s)
	}
}

// failed accounts for a call that was refused.
func (r *run) failed(s Step, _ spec.Errno) {
	b := r.board
	i := b.ids[s.symbol("id")]
	if i != nil {
		i.busy = false
	}
	switch s.Call {
	case "rdma_leave_multicast":
		m := i.joined(s.symbol("addr"))
		if m == nil {
			return
		}
		// The library has freed the membership all the same.
		i.joins = slices.DeleteFunc(i.joins, func(o *membership) bool { return o == m })
		switch {
		case i.channel == "":
			b.destroyed(s.symbol("id"))
		case m.event == "":
			b.channels[i.channel].poisoned = true
		default:
			b.events[m.event].dead = true
		}
	case "rdma_join_multicast", "rdma_join_multicast_ex":
		if i.channel == "" && b.procs[s.By].failing > 0 {
			b.destroyed(s.symbol("id")) // whether there is a membership, and an event of it, is not known
		}
	case "poll":
		b.channels[s.symbol("channel")].polled = false
	case "rdma_resolve_addr", "rdma_resolve_route", "rdma_create_ep", "rdma_migrate_id":
		if i != nil && b.procs[s.By].failing > 0 {
			b.destroyed(s.symbol("id"))
		}
	}
}

// memberOf is the membership that a join makes.
func memberOf(s Step) *membership {
	m := &membership{addr: s.symbol("addr"), context: s.symbol("context")}
	if attr, ok := s.Args["attr"].(map[string]any); ok {
		m.addr, _ = attr["addr"].(string)
		m.sendOnly = attr["join_flags"] == 1
	}
	return m
}

// left accounts for a leave that the kernel has heard of.
func (r *run) left(s Step) {
	i := r.board.ids[s.symbol("id")]
	m := i.joined(s.symbol("addr"))
	if m == nil {
		return
	}
	i.joins = slices.DeleteFunc(i.joins, func(o *membership) bool { return o == m })
	if c := r.board.channels[i.channel]; c != nil {
		c.forget(func(p *pending) bool { return p.join == m })
	}
}

// unlisted accounts for an id whose unread events are gone.
func (r *run) unlisted(s Step) {
	if c := r.board.channels[r.board.ids[s.symbol("id")].channel]; c != nil {
		c.forget(func(p *pending) bool { return p.id == s.symbol("id") })
	}
}

// destroyed accounts for an id that is gone, with the event that it held.
func (b *board) destroyed(name string) {
	b.ids[name].gone, b.ids[name].busy = true, false
	if e := b.events[name+".event"]; e != nil {
		e.dead = true
	}
}

// lose parts a QP from its id.
func (b *board) lose(i *id) {
	if q := b.qps[i.qp]; q != nil {
		q.id = ""
	}
}

// moved accounts for an id that has another channel now, with its unread events.
func (r *run) moved(s Step) {
	i, to := r.board.ids[s.symbol("id")], s.symbol("channel")
	if i.channel == to {
		return
	}
	var moving []*pending
	unproved := false
	if c := r.board.channels[i.channel]; c != nil {
		unproved = c.unproved
		for _, p := range c.unread {
			if p.id == s.symbol("id") {
				moving = append(moving, p)
			}
		}
		c.forget(func(p *pending) bool { return p.id == s.symbol("id") })
	}
	if c := r.board.channels[to]; c != nil {
		c.unread = append(c.unread, moving...)
		c.unproved = c.unproved || unproved && len(moving) > 0
	}
	i.channel = to
}

// event is the text of an event.
func (r *run) event(s Step, e spec.Event) string {
	symbol := r.symbols.name(handle{s.By, "id", uint64(e.ID)})
	r.give(s, "event", uint64(e.Ref))
	r.board.took(s.symbol("channel"), s.Gives, e, symbol)
	r.way(s.Gives, e)
	return "0 " + r.eventText(s.By, e)
}

// isWay tells of an event whose address handle attributes lead to a group. Those that lead to a host make the kernel
// ask the wire for it, which may take seconds.
func isWay(e spec.Event) bool {
	return e.Type == spec.MulticastJoin && netip.AddrFrom16(e.UD.AH.GRH.DGID).Unmap().IsMulticast()
}

// way makes a symbol of the address handle attributes of an event.
func (r *run) way(symbol string, e spec.Event) {
	text, err := json.Marshal(e.UD.AH)
	var attr map[string]any
	if err == nil && json.Unmarshal(text, &attr) == nil {
		r.symbols.values[symbol+".ah"] = attr
	}
}

func (r *run) eventText(by string, e spec.Event) string {
	text := fmt.Sprintf("%s of %s", e.Type, r.symbols.name(handle{by, "id", uint64(e.ID)}))
	add := func(name string, value any) {
		if v := fmt.Sprint(value); v != "0" && v != "0x0" && v != "false" && v != "::" {
			text += " " + name + " " + v
		}
	}
	if e.ListenID != 0 {
		add("listen_id", r.symbols.name(handle{by, "id", uint64(e.ListenID)}))
	}
	add("status", e.Status)
	add("errno", e.Errno.Name())
	add("context", e.UD.PrivateData)
	add("private_data_len", e.UD.PrivateDataLen)
	add("qp_num", fmt.Sprintf("%#x", e.UD.QPNum))
	add("qkey", fmt.Sprintf("%#x", e.UD.QKey))
	a := e.UD.AH
	add("global", a.IsGlobal)
	if a.GRH.DGID != (spec.GID{}) {
		add("dgid", r.symbols.gid(a.GRH.DGID))
	}
	add("flow_label", a.GRH.FlowLabel)
	add("sgid_index", a.GRH.SGIDIndex)
	add("hop_limit", a.GRH.HopLimit)
	add("traffic_class", a.GRH.TrafficClass)
	add("dlid", a.DLID)
	add("sl", a.SL)
	add("static_rate", a.StaticRate)
	add("port", a.PortNum)
	return text
}

// state is the text of what an id shows.
func (r *run) state(a *agent, name string, st spec.IDState) string {
	i := r.board.ids[name]
	i.verbs = st.HasVerbs
	qpSymbol := r.symbols.name(handle{a.name, "qp", uint64(st.QP)})
	if st.QP != 0 && qpSymbol == "qp?" {
		qpSymbol = name + ".qp"
		r.symbols.give(qpSymbol, handle{a.name, "qp", uint64(st.QP)})
		r.board.qps[qpSymbol] = &qp{by: a.name, id: name, ud: true}
		i.qp = qpSymbol
	}
	text := fmt.Sprintf("%s has device %t port %d QP %s", name, st.HasVerbs, st.PortNum, qpSymbol)
	if st.Event == nil {
		if e := r.board.events[name+".event"]; e != nil {
			e.dead = true
		}
		return text
	}
	symbol := name + ".event"
	r.symbols.give(symbol, handle{a.name, "event", uint64(st.Event.Ref)})
	r.board.events[symbol] = &event{by: a.name, id: name, way: isWay(*st.Event)}
	r.way(symbol, *st.Event)
	return text + " event " + r.eventText(a.name, *st.Event)
}

// show reads the ids that a step speaks of.
func (r *run) show(ctx context.Context, a *agent, s Step) ([]string, error) {
	if s.Call == "read_id" || r.board.procs[a.name].ended {
		return nil, nil
	}
	var texts []string
	for _, name := range append(mentioned(s.Args), s.Gives) {
		i := r.board.ids[name]
		if i == nil || i.gone || i.busy || i.by != a.name {
			continue
		}
		number, _ := r.symbols.values[name].(uint64)
		st, err := a.ReadID(ctx, spec.ID(number))
		if err != nil {
			return nil, err
		}
		texts = append(texts, r.state(a, name, st))
	}
	return texts, nil
}

// completion is the text of a completion.
func (r *run) completion(s Step, c spec.Completion) string {
	q, queue := r.board.qps[s.symbol("qp")], s.Args["queue"].(int)
	q.waits[queue] = false
	if queue == int(spec.SendQueue) {
		q.sending--
	} else {
		q.posted--
	}
	text := fmt.Sprintf("0 %s wr_id %d", c.Status, c.WRID)
	if c.Status != spec.WCSuccess {
		return text
	}
	text += fmt.Sprintf(" byte_len %d", c.ByteLen)
	if queue == int(spec.SendQueue) {
		return text
	}
	if c.Imm != nil {
		text += fmt.Sprintf(" imm %d", *c.Imm)
	}
	from, to := endpoints(c.GRH)
	return text + fmt.Sprintf(" by sender %d grh %t %s to %s %x", r.symbols.sender(c.SrcQP), c.HasGRH,
		r.symbols.addrName(from), r.symbols.addrName(to), c.Data)
}

// tallies is the text of a script's answers.
func tallies(all [][]spec.Tally) string {
	var texts []string
	for _, sequence := range all {
		var steps []string
		for _, t := range sequence {
			text := counts(t.Outcomes)
			if len(t.Events) > 0 {
				text += " " + counts(t.Events)
			}
			steps = append(steps, text)
		}
		texts = append(texts, strings.Join(steps, ", "))
	}
	return "0 " + strings.Join(texts, " | ")
}

func counts(n map[string]int) string {
	var parts []string
	for key, count := range n {
		parts = append(parts, fmt.Sprintf("%s×%d", key, count))
	}
	slices.Sort(parts)
	return strings.Join(parts, "+")
}

package cprogram

import (
	"cmp"
	"fmt"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/trace"
)

// Names of variables by handle; 0 is NULL.

func channel(h spec.Channel) string { return variable("channel", uint32(h)) }
func id(h spec.ID) string           { return variable("id", uint32(h)) }
func qp(h spec.QP) string           { return variable("qp", uint32(h)) }
func ah(h spec.AH) string           { return variable("ah", uint32(h)) }
func event(h spec.EventRef) string  { return variable("event", uint32(h)) }

func variable(kind string, handle uint32) string {
	if handle == 0 {
		return "NULL"
	}
	if step, ok := spec.StepOf(handle); ok {
		return fmt.Sprintf("%s_of_step_%d", kind, step)
	}
	return fmt.Sprintf("%s_%d", kind, handle)
}

// made is the variable of what a call made, or one that nobody reads when it made nothing.
func (p *program) made(kind, name string, row int) string {
	if name == "NULL" {
		name = fmt.Sprintf("nothing_%d", row)
	}
	p.declare(kind, name)
	return name
}

// c is a call in C: lines before it, an expression that is its return value, and lines after it.
func (p *program) c(r trace.Row) (before []string, expression string, after []string) {
	switch a := r.Args.(type) {
	case *call.DestroyEventChannelArgs:
		return nil, fmt.Sprintf("(rdma_destroy_event_channel(%s), 0)", channel(a.Channel)), nil
	case *call.SetNonblockArgs:
		return nil, fmt.Sprintf("fcntl(%s->fd, F_SETFL, %s)", channel(a.Channel), flag(a.On)), nil
	case *call.CreateIDArgs:
		made := p.made("struct rdma_cm_id *", id(r.Answer.(*call.CreateIDAnswer).ID), r.Begin)
		return nil, fmt.Sprintf("rdma_create_id(%s, &%s, %s, %#x)", channel(a.Channel), made, context(a.Context),
			uint16(a.PS)), nil
	case *call.DestroyIDArgs:
		return nil, fmt.Sprintf("rdma_destroy_id(%s)", id(a.ID)), nil
	case *call.ReadIDArgs:
		return nil, "0", p.readID(a, r.Answer.(*call.ReadIDAnswer).State)
	case *call.BindAddrArgs:
		return nil, fmt.Sprintf("rdma_bind_addr(%s, %s)", id(a.ID), p.addr(a.Addr)), nil
	case *call.ResolveAddrArgs:
		return nil, fmt.Sprintf("rdma_resolve_addr(%s, %s, %s, %d)", id(a.ID), p.addr(a.Src), p.addr(a.Dst), a.MS), nil
	case *call.ResolveRouteArgs:
		return nil, fmt.Sprintf("rdma_resolve_route(%s, %d)", id(a.ID), a.MS), nil
	case *call.CreateEPArgs:
		return p.createEP(r, a)
	case *call.DestroyEPArgs:
		return nil, fmt.Sprintf("(rdma_destroy_ep(%s), 0)", id(a.ID)), nil
	case *call.ListenArgs:
		return nil, fmt.Sprintf("rdma_listen(%s, %d)", id(a.ID), a.Backlog), nil
	case *call.MigrateIDArgs:
		return nil, fmt.Sprintf("rdma_migrate_id(%s, %s)", id(a.ID), channel(a.Channel)), nil
	case *call.JoinMulticastArgs:
		return nil, fmt.Sprintf("rdma_join_multicast(%s, %s, %s)", id(a.ID), p.addr(a.Addr), context(a.Context)), nil
	case *call.JoinMulticastExArgs:
		return p.joinEx(a)
	case *call.LeaveMulticastArgs:
		return nil, fmt.Sprintf("rdma_leave_multicast(%s, %s)", id(a.ID), p.addr(a.Addr)), nil
	case *call.PollChannelArgs:
		return []string{fmt.Sprintf("struct pollfd fd = {.fd = %s->fd, .events = POLLIN};", channel(a.Channel))},
			"poll(&fd, 1, -1) == 1 ? 0 : -1", nil
	case *call.GetEventArgs:
		if a.Nowhere {
			return nil, fmt.Sprintf("rdma_get_cm_event(%s, NULL)", channel(a.Channel)), nil
		}
		made := p.made("struct rdma_cm_event *", event(r.Answer.(*call.GetEventAnswer).Event.Ref), r.Begin)
		return nil, fmt.Sprintf("rdma_get_cm_event(%s, &%s)", channel(a.Channel), made),
			[]string{fmt.Sprintf("if (ret == 0)\n\t\t\tshow_event(%s);", made)}
	case *call.AckEventArgs:
		return p.letGo(a.Event), fmt.Sprintf("rdma_ack_cm_event(%s)", event(a.Event)), nil
	}
	return p.verbs(r)
}

// readID shows an id's fields, and keeps what the calls that follow know by them alone: an endpoint's QP, and the event
// that a synchronous id holds.
func (p *program) readID(a *call.ReadIDArgs, s spec.IDState) (after []string) {
	name := id(a.ID)
	after = append(after, fmt.Sprintf(
		`printf("       verbs %%p, port_num %%d, qp %%p\n", (void *)%[1]s->verbs, %[1]s->port_num, (void *)%[1]s->qp);`,
		name))
	if s.QP != 0 {
		p.declare("struct ibv_qp *", qp(s.QP))
		after = append(after, fmt.Sprintf("%s = %s->qp;", qp(s.QP), name))
	}
	if s.Event != nil {
		p.declare("struct rdma_cm_event *", event(s.Event.Ref))
		after = append(after, fmt.Sprintf("%s = %s->event;", event(s.Event.Ref), name))
		p.held[s.Event.Ref] = name
	}
	return after
}

// letGo takes an event from the id that holds it, which would acknowledge it again.
func (p *program) letGo(e spec.EventRef) (before []string) {
	if holder, ok := p.held[e]; ok {
		return []string{holder + "->event = NULL;"}
	}
	return nil
}

func (p *program) createEP(r trace.Row, a *call.CreateEPArgs) (before []string, expression string, after []string) {
	made := p.made("struct rdma_cm_id *", id(r.Answer.(*call.CreateEPAnswer).ID), r.Begin)
	flags, family, attr := "0", "AF_INET", "NULL"
	if a.Attr.Passive {
		flags = "RAI_PASSIVE"
	}
	if addr := cmp.Or(a.Attr.Dst.Addr(), a.Attr.Src.Addr()); addr.Is6() {
		family = "AF_INET6"
	}
	if a.Attr.QP != nil {
		before, attr = qpInitAttr("NULL", *a.Attr.QP), "&attr"
	}
	return append(before,
			fmt.Sprintf("struct rdma_addrinfo info = {.ai_flags = %s, .ai_family = %s, .ai_port_space = %#x, .ai_qp_type = %d,",
				flags, family, uint16(a.Attr.PS), a.Attr.QPType),
			fmt.Sprintf("\t.ai_src_addr = %s, .ai_src_len = %d,", p.addr(a.Attr.Src), len(a.Attr.Src)),
			fmt.Sprintf("\t.ai_dst_addr = %s, .ai_dst_len = %d};", p.addr(a.Attr.Dst), len(a.Attr.Dst))),
		fmt.Sprintf("rdma_create_ep(&%s, &info, NULL, %s)", made, attr), nil
}

func (p *program) joinEx(a *call.JoinMulticastExArgs) (before []string, expression string, after []string) {
	if a.Attr == nil {
		return nil, fmt.Sprintf("rdma_join_multicast_ex(%s, NULL, %s)", id(a.ID), context(a.Context)), nil
	}
	return []string{fmt.Sprintf(
			"struct rdma_cm_join_mc_attr_ex attr = {.comp_mask = %#x, .join_flags = %#x, .addr = %s};",
			a.Attr.CompMask, uint32(a.Attr.JoinFlags), p.addr(a.Attr.Addr))},
		fmt.Sprintf("rdma_join_multicast_ex(%s, &attr, %s)", id(a.ID), context(a.Context)), nil
}

func flag(on bool) string {
	if on {
		return "O_NONBLOCK"
	}
	return "0"
}

package sim

import (
	"context"

	"joinmcast/spec"
)

// CreateEventChannel is rdma_create_event_channel.
func (p *process) CreateEventChannel(_ context.Context) (spec.Channel, error) {
	return learn(p, "rdma_create_event_channel", p.lib.CreateEventChannel)
}

// DestroyEventChannel is rdma_destroy_event_channel.
func (p *process) DestroyEventChannel(_ context.Context, ch spec.Channel) error {
	return p.brief("rdma_destroy_event_channel", func() error { return p.lib.DestroyEventChannel(ch) })
}

// SetNonblock is fcntl(2) on the channel's file descriptor.
func (p *process) SetNonblock(_ context.Context, ch spec.Channel, on bool) error {
	return p.brief("fcntl", func() error { return p.lib.SetNonblock(ch, on) })
}

// CreateID is rdma_create_id.
func (p *process) CreateID(_ context.Context, ch spec.Channel, c spec.Context, ps spec.PortSpace) (spec.ID, error) {
	return learn(p, "rdma_create_id", func() (spec.ID, error) { return p.lib.CreateID(ch, c, ps) })
}

// DestroyID is rdma_destroy_id.
func (p *process) DestroyID(ctx context.Context, id spec.ID) error {
	return p.call(ctx, "rdma_destroy_id", func() error { return p.lib.DestroyID(id) })
}

// ReadID shows the id's public fields.
func (p *process) ReadID(_ context.Context, id spec.ID) (spec.IDState, error) {
	return learn(p, "read_id", func() (spec.IDState, error) { return p.lib.ReadID(id) })
}

// BindAddr is rdma_bind_addr.
func (p *process) BindAddr(_ context.Context, id spec.ID, a spec.Sockaddr) error {
	return p.brief("rdma_bind_addr", func() error {
		own := p.lent.lend(a)
		err := p.lib.BindAddr(id, own)
		p.lent.takeBack(own)
		return err
	})
}

// ResolveAddr is rdma_resolve_addr.
func (p *process) ResolveAddr(ctx context.Context, id spec.ID, src, dst spec.Sockaddr, ms int) error {
	return p.call(ctx, "rdma_resolve_addr", func() error {
		ownSrc, ownDst := p.lent.lend(src), p.lent.lend(dst)
		err := p.lib.ResolveAddr(id, ownSrc, ownDst, ms)
		p.lent.takeBack(ownDst)
		p.lent.takeBack(ownSrc)
		return err
	})
}

// ResolveRoute is rdma_resolve_route.
func (p *process) ResolveRoute(ctx context.Context, id spec.ID, ms int) error {
	return p.call(ctx, "rdma_resolve_route", func() error { return p.lib.ResolveRoute(id, ms) })
}

// CreateQP is rdma_create_qp.
func (p *process) CreateQP(_ context.Context, id spec.ID, a spec.QPInitAttr) (spec.QP, error) {
	return learn(p, "rdma_create_qp", func() (spec.QP, error) { return p.lib.CreateQP(id, a) })
}

// DestroyQP is rdma_destroy_qp.
func (p *process) DestroyQP(_ context.Context, id spec.ID) error {
	return p.brief("rdma_destroy_qp", func() error { return p.lib.DestroyQP(id) })
}

// CreateEP is rdma_create_ep.
func (p *process) CreateEP(ctx context.Context, a spec.EPAttr) (spec.ID, error) {
	return ask(ctx, p, "rdma_create_ep", func() (spec.ID, error) {
		own := a
		own.Src, own.Dst = p.lent.lend(a.Src), p.lent.lend(a.Dst)
		id, err := p.lib.CreateEP(own)
		p.lent.takeBack(own.Dst)
		p.lent.takeBack(own.Src)
		return id, err
	})
}

// DestroyEP is rdma_destroy_ep.
func (p *process) DestroyEP(ctx context.Context, id spec.ID) error {
	return p.call(ctx, "rdma_destroy_ep", func() error { return p.lib.DestroyEP(id) })
}

// Listen is rdma_listen.
func (p *process) Listen(_ context.Context, id spec.ID, backlog int) error {
	return p.brief("rdma_listen", func() error { return p.lib.Listen(id, backlog) })
}

// MigrateID is rdma_migrate_id.
func (p *process) MigrateID(ctx context.Context, id spec.ID, ch spec.Channel) error {
	return p.call(ctx, "rdma_migrate_id", func() error { return p.lib.MigrateID(id, ch) })
}

// JoinMulticast is rdma_join_multicast.
func (p *process) JoinMulticast(ctx context.Context, id spec.ID, a spec.Sockaddr, c spec.Context) error {
	const method = "rdma_join_multicast"
	if p.swift {
		done, err := p.run.Quickly(method, func() (bool, error) {
			if !p.lib.AnswersAtOnce(id) {
				return false, nil
			}
			return true, p.join(id, a, c)
		})
		if done {
			return err
		}
	}
	return p.call(ctx, method, func() error { return p.join(id, a, c) })
}

func (p *process) join(id spec.ID, a spec.Sockaddr, c spec.Context) error {
	own := p.lent.lend(a)
	err := p.lib.JoinMulticast(id, own, c)
	p.lent.takeBack(own)
	return err
}

// JoinMulticastEx is rdma_join_multicast_ex.
func (p *process) JoinMulticastEx(ctx context.Context, id spec.ID, a *spec.JoinAttr, c spec.Context) error {
	return p.call(ctx, "rdma_join_multicast_ex", func() error {
		if a == nil {
			return p.lib.JoinMulticastEx(id, nil, c)
		}
		own := *a
		own.Addr = p.lent.lend(a.Addr)
		err := p.lib.JoinMulticastEx(id, &own, c)
		p.lent.takeBack(own.Addr)
		return err
	})
}

// LeaveMulticast is rdma_leave_multicast. Nothing but a call of the same process can make it wait for an
// acknowledgement that is not missing yet.
func (p *process) LeaveMulticast(ctx context.Context, id spec.ID, a spec.Sockaddr) error {
	const method = "rdma_leave_multicast"
	if p.swift {
		done, err := p.run.Quickly(method, func() (bool, error) {
			if !p.run.Alone() || !p.lib.LeavesAtOnce(id) {
				return false, nil
			}
			return true, p.leave(id, a)
		})
		if done {
			return err
		}
	}
	return p.call(ctx, method, func() error { return p.leave(id, a) })
}

func (p *process) leave(id spec.ID, a spec.Sockaddr) error {
	own := p.lent.lend(a)
	err := p.lib.LeaveMulticast(id, own)
	p.lent.takeBack(own)
	return err
}

// PollChannel is poll(2) on the channel's file descriptor.
func (p *process) PollChannel(ctx context.Context, ch spec.Channel) error {
	return p.call(ctx, "poll", func() error { return p.lib.PollChannel(ch) })
}

// GetEvent is rdma_get_cm_event.
func (p *process) GetEvent(ctx context.Context, ch spec.Channel) (spec.Event, error) {
	const method = "rdma_get_cm_event"
	if p.swift {
		var e spec.Event
		done, err := p.run.QuicklyWait(method, func() (bool, error) {
			if !p.lib.EventComes(ch) || p.run.Ended() {
				return false, nil
			}
			return true, p.getEvent(ch, &e)
		})
		if done {
			return e, err
		}
	}
	return ask(ctx, p, method, func() (e spec.Event, err error) {
		err = p.getEvent(ch, &e)
		return e, err
	})
}

// getEvent copies an event out of the library's memory.
func (p *process) getEvent(ch spec.Channel, to *spec.Event) error {
	e, err := p.lib.GetEvent(ch)
	if err == nil {
		*to = *e
	}
	return err
}

// GetNoEvent is rdma_get_cm_event with NULL in the event's place.
func (p *process) GetNoEvent(_ context.Context, ch spec.Channel) error {
	return p.brief("rdma_get_cm_event", func() error { return p.lib.GetNoEvent(ch) })
}

// AckEvent is rdma_ack_cm_event.
func (p *process) AckEvent(_ context.Context, e spec.EventRef) error {
	return p.brief("rdma_ack_cm_event", func() error { return p.lib.AckEvent(e) })
}

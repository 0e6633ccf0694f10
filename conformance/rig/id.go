package rig

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/conformance/match"
	"joinmcast/spec"
)

// Requirements that arranging steps lean on: when one fails, the spec says which of these is not met.
const (
	leansOnUDPIds     = "JM-PS-01"
	leansOnBind       = "JM-BIND-04"
	leansOnResolve    = "JM-BIND-05"
	leansOnEvent      = "JM-EVT-01"
	leansOnAttach     = "JM-ATT-03"
	leansOnLeave      = "JM-LV-01"
	leansOnAutoAttach = "JM-ATT-02"
	leansOnCleanOrder = "JM-DST-06"
)

// ID is a struct rdma_cm_id with its event channel. It steps down by itself at the end of the spec in the order the
// pages ask for: acknowledge, leave, detach, destroy the QP, destroy the id, destroy the channel.
type ID struct {
	*Process
	Handle  spec.ID
	Channel spec.Channel // 0 for a synchronous id
	qp      *QP
	members []spec.Sockaddr // joined and not left, oldest first
	gone    bool
}

// UnboundID makes a RDMA_PS_UDP id in a new process and leaves it unbound.
func UnboundID(ctx context.Context) *ID {
	ginkgo.GinkgoHelper()
	return Start(ctx).UnboundID(ctx, spec.PSUDP)
}

// BoundID makes a RDMA_PS_UDP id in a new process, bound to the address of the host under test.
func BoundID(ctx context.Context) *ID {
	ginkgo.GinkgoHelper()
	return Start(ctx).BoundID(ctx)
}

// SyncID makes a synchronous RDMA_PS_UDP id (no event channel of its own), bound to the address under test.
func SyncID(ctx context.Context) *ID {
	ginkgo.GinkgoHelper()
	id := UnboundSyncID(ctx)
	id.MustBind(ctx, id.Addr(ctx))
	return id
}

// UnboundSyncID makes a synchronous RDMA_PS_UDP id in a new process and leaves it unbound.
func UnboundSyncID(ctx context.Context) *ID {
	ginkgo.GinkgoHelper()
	return Start(ctx).newID(ctx, 0, spec.PSUDP)
}

// UnboundID makes an id of this port space, with a channel of its own.
func (p *Process) UnboundID(ctx context.Context, ps spec.PortSpace) *ID {
	ginkgo.GinkgoHelper()
	return p.newID(ctx, p.MustCreateChannel(ctx), ps)
}

// BoundID makes a RDMA_PS_UDP id with a channel of its own, bound to the address of the process's host.
func (p *Process) BoundID(ctx context.Context) *ID {
	ginkgo.GinkgoHelper()
	id := p.UnboundID(ctx, spec.PSUDP)
	id.MustBind(ctx, p.Addr(ctx))
	return id
}

func (p *Process) newID(ctx context.Context, ch spec.Channel, ps spec.PortSpace) *ID {
	ginkgo.GinkgoHelper()
	handle, err := p.CreateID(ctx, ch, 0, ps)
	must(err, leansOnUDPIds)
	id := &ID{Process: p, Handle: handle, Channel: ch}
	p.cleanup(id.stepDown)
	return id
}

// stepDown takes down what the spec left standing.
func (id *ID) stepDown(ctx context.Context) {
	if id.gone {
		return
	}
	for _, ref := range slices.Sorted(maps.Keys(id.unacked)) {
		id.MustAck(ctx, spec.Event{Ref: ref})
	}
	if id.Channel != 0 {
		id.MustLeaveAll(ctx)
	}
	if id.qp != nil {
		id.MustDestroyQP(ctx)
	}
	id.MustDestroy(ctx)
}

// MustBind binds the id with rdma_bind_addr.
func (id *ID) MustBind(ctx context.Context, a spec.Sockaddr) {
	ginkgo.GinkgoHelper()
	must(id.BindAddr(ctx, id.Handle, a), leansOnBind)
}

// Read is the id's public fields.
func (id *ID) Read(ctx context.Context) spec.IDState {
	ginkgo.GinkgoHelper()
	state, err := id.ReadID(ctx, id.Handle)
	must(err, leansOnBind)
	if state.Event != nil {
		id.host.world.learn(*state.Event)
	}
	return state
}

// Resolve starts to resolve a group's address with rdma_resolve_addr; src nil is NULL.
func (id *ID) Resolve(ctx context.Context, src spec.Sockaddr, group Group) error {
	return id.ResolveAddr(ctx, id.Handle, src, group.Sockaddr(), resolveTimeout)
}

// MustResolve resolves a group's address and waits for the event; src nil is NULL.
func (id *ID) MustResolve(ctx context.Context, src spec.Sockaddr, group Group) {
	ginkgo.GinkgoHelper()
	must(id.Resolve(ctx, src, group), leansOnResolve)
	id.MustTakeEvent(ctx, spec.AddrResolved)
}

// MustTakeEvent gets an event of this type with status 0 and acknowledges it.
func (id *ID) MustTakeEvent(ctx context.Context, t spec.EventType) {
	ginkgo.GinkgoHelper()
	event := id.MustGetEvent(ctx)
	if event.Type != t {
		world.record.block(leansOnResolve)
	}
	gomega.Expect(event).To(match.BeEvent(t))
	id.MustAck(ctx, event)
}

// resolveTimeout bounds rdma_resolve_addr and rdma_resolve_route, in milliseconds.
const resolveTimeout = 2000

// StartRoute starts to resolve the route with rdma_resolve_route.
func (id *ID) StartRoute(ctx context.Context) error {
	return id.ResolveRoute(ctx, id.Handle, resolveTimeout)
}

// MustResolveRoute resolves the route and waits for the event.
func (id *ID) MustResolveRoute(ctx context.Context) {
	ginkgo.GinkgoHelper()
	must(id.StartRoute(ctx), leansOnResolve)
	id.MustTakeEvent(ctx, spec.RouteResolved)
}

// Join joins as a full member, with a context of no meaning.
func (id *ID) Join(ctx context.Context, group Group) error {
	return id.JoinAddr(ctx, group.Sockaddr(), NewContext())
}

// JoinAddr joins as a full member.
func (id *ID) JoinAddr(ctx context.Context, a spec.Sockaddr, c spec.Context) error {
	return id.joined(a, id.JoinMulticast(ctx, id.Handle, a, c))
}

// JoinEx joins with rdma_join_multicast_ex.
func (id *ID) JoinEx(ctx context.Context, attr *spec.JoinAttr) error {
	return id.joined(attr.Addr, id.JoinMulticastEx(ctx, id.Handle, attr, NewContext()))
}

func (id *ID) joined(a spec.Sockaddr, err error) error {
	if err == nil {
		id.members = append(id.members, a.Clone())
		if a.Addr().IsValid() {
			world.groups[a.Addr()] = true
		}
	}
	return err
}

// MustJoin joins as a full member.
func (id *ID) MustJoin(ctx context.Context, group Group) {
	ginkgo.GinkgoHelper()
	must(id.Join(ctx, group), leansOnBind)
}

// MustJoinAs joins as a full member with this context.
func (id *ID) MustJoinAs(ctx context.Context, group Group, c spec.Context) {
	ginkgo.GinkgoHelper()
	must(id.JoinAddr(ctx, group.Sockaddr(), c), leansOnBind)
}

// MustJoinEx joins with both fields of the attributes set.
func (id *ID) MustJoinEx(ctx context.Context, group Group, flags spec.JoinFlags) {
	ginkgo.GinkgoHelper()
	attr := &spec.JoinAttr{
		CompMask: spec.JoinAttrAddress | spec.JoinAttrFlags, JoinFlags: flags, Addr: group.Sockaddr(),
	}
	must(id.JoinEx(ctx, attr), leansOnBind)
}

// MustGetJoin joins and gets the JOIN event; the id acknowledges it when it steps down.
func (id *ID) MustGetJoin(ctx context.Context, group Group) spec.Event {
	ginkgo.GinkgoHelper()
	id.MustJoin(ctx, group)
	return id.MustGetEvent(ctx)
}

// MustBeMember joins and takes the JOIN event, acknowledged.
func (id *ID) MustBeMember(ctx context.Context, group Group) spec.Event {
	ginkgo.GinkgoHelper()
	id.MustJoin(ctx, group)
	return id.MustTakeJoin(ctx, group)
}

// MustTakeJoin gets the JOIN event of a group and acknowledges it.
func (id *ID) MustTakeJoin(ctx context.Context, group Group) spec.Event {
	ginkgo.GinkgoHelper()
	event := id.MustGetEvent(ctx)
	if event.Type != spec.MulticastJoin {
		world.record.block(leansOnEvent)
	}
	gomega.Expect(event).To(match.BeJoin(group.GID()))
	id.MustAck(ctx, event)
	return event
}

// Leave leaves a group joined with port 0.
func (id *ID) Leave(ctx context.Context, group Group) error {
	return id.LeaveAddr(ctx, group.Sockaddr())
}

// LeaveAddr leaves the newest membership of exactly this address.
func (id *ID) LeaveAddr(ctx context.Context, a spec.Sockaddr) error {
	err := id.LeaveMulticast(ctx, id.Handle, a)
	if err == nil {
		for i := len(id.members) - 1; i >= 0; i-- {
			if bytes.Equal(id.members[i], a) {
				id.members = slices.Delete(id.members, i, i+1)
				break
			}
		}
	}
	return err
}

// MustLeave leaves a group joined with port 0.
func (id *ID) MustLeave(ctx context.Context, group Group) {
	ginkgo.GinkgoHelper()
	must(id.Leave(ctx, group), leansOnLeave)
}

// MustLeaveAll leaves every group that the id has joined, newest first.
func (id *ID) MustLeaveAll(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for len(id.members) > 0 {
		must(id.LeaveAddr(ctx, id.members[len(id.members)-1]), leansOnLeave)
	}
}

// AwaitEvent returns when the id's channel has an event to read, and leaves it there.
func (id *ID) AwaitEvent(ctx context.Context) {
	ginkgo.GinkgoHelper()
	must(id.PollChannel(ctx, id.Channel), leansOnEvent)
}

// GetEvent waits for the next event of the id's channel.
func (id *ID) GetEvent(ctx context.Context) (spec.Event, error) {
	return id.GetEventOf(ctx, id.Channel)
}

// GetEventOf waits for the next event of a channel.
func (p *Process) GetEventOf(ctx context.Context, ch spec.Channel) (spec.Event, error) {
	event, err := p.GetEvent(ctx, ch)
	if err == nil {
		p.unacked[event.Ref] = true
		p.host.world.learn(event)
	}
	return event, err
}

// MustGetEvent waits for the next event of the id's channel.
func (id *ID) MustGetEvent(ctx context.Context) spec.Event {
	ginkgo.GinkgoHelper()
	event, err := id.GetEvent(ctx)
	must(err, leansOnEvent)
	return event
}

// GetEvents waits for n events of different types, which come in any order, or for the first call that gets none.
func (id *ID) GetEvents(ctx context.Context, n int) (map[spec.EventType]spec.Event, error) {
	events := map[spec.EventType]spec.Event{}
	for range n {
		event, err := id.GetEvent(ctx)
		if err != nil {
			return events, err
		}
		events[event.Type] = event
	}
	return events, nil
}

// TryGetEvent asks for an event without waiting: EAGAIN when there is none. It proves that nothing is there only after
// a call that settles what could still come, such as a leave that has returned.
func (id *ID) TryGetEvent(ctx context.Context) (spec.Event, error) {
	ginkgo.GinkgoHelper()
	return id.TryGetEventOf(ctx, id.Channel)
}

// TryGetEventOf is TryGetEvent of a channel that the id has left, or of none of its own.
func (p *Process) TryGetEventOf(ctx context.Context, ch spec.Channel) (spec.Event, error) {
	ginkgo.GinkgoHelper()
	must(p.SetNonblock(ctx, ch, true), leansOnEvent)
	event, err := p.GetEventOf(ctx, ch)
	must(p.SetNonblock(ctx, ch, false), leansOnEvent)
	return event, err
}

// Ack acknowledges an event.
func (id *ID) Ack(ctx context.Context, e spec.Event) error {
	delete(id.unacked, e.Ref)
	return id.AckEvent(ctx, e.Ref)
}

// MustAck acknowledges an event.
func (id *ID) MustAck(ctx context.Context, e spec.Event) {
	ginkgo.GinkgoHelper()
	must(id.Ack(ctx, e), leansOnCleanOrder)
}

// MustAckOwn acknowledges the event that a synchronous id keeps, and clears id->event, as whoever does it by himself
// must.
func (id *ID) MustAckOwn(ctx context.Context) {
	ginkgo.GinkgoHelper()
	event := id.Read(ctx).Event
	gomega.Expect(event).NotTo(gomega.BeNil(), "id->event of a synchronous id")
	id.MustAck(ctx, *event)
}

// Destroy destroys the id.
func (id *ID) Destroy(ctx context.Context) error {
	err := id.DestroyID(ctx, id.Handle)
	id.gone = err == nil
	return err
}

// MustDestroy destroys the id.
func (id *ID) MustDestroy(ctx context.Context) {
	ginkgo.GinkgoHelper()
	must(id.Destroy(ctx), leansOnCleanOrder)
}

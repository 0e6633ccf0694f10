package conformance

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("MIG: migrating an id to another channel", func() {
	It("moves the event that is not read yet", Label("JM-MIG-01"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		to := p.MustCreateChannel(ctx)
		id := p.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group, context := rig.NewGroup(), rig.NewContext()
		id.MustJoinAs(ctx, group, context)
		id.AwaitEvent(ctx)
		from := id.Channel

		migrate := id.Migrate(ctx, to)

		event, get := id.GetEvent(ctx)
		rig.ObserveCall("migrate", migrate)
		rig.Observe("event", event.Type.String())
		Expect(migrate).To(ReturnZero())
		Expect(get).To(ReturnZero(), "the new channel has the event")
		probe := qp.Probe(ctx, group)
		_, old := id.TryGetEventOf(ctx, from)
		id.MustAck(ctx, event)
		leave := id.Leave(ctx, group)
		rig.Observe("context", rig.NameContext(event.UD.PrivateData, context))
		rig.ObserveCall("probe", probe)
		rig.ObserveCall("old_channel", old)
		rig.ObserveCall("leave", leave)
		Expect(event).To(BeJoin(group.GID()))
		Expect(event).To(CarryContext(context))
		Expect(probe).To(ReturnZero(), "the QP is attached")
		Expect(old).To(FailWith(spec.EAGAIN), "the old channel has no event")
		Expect(leave).To(ReturnZero())
	})

	It("brings the events of later joins to the new channel", Label("JM-MIG-01"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		to := p.MustCreateChannel(ctx)
		id := p.BoundID(ctx)
		group, context := rig.NewGroup(), rig.NewContext()

		migrate := id.Migrate(ctx, to)

		rig.ObserveCall("migrate", migrate)
		Expect(migrate).To(ReturnZero())
		id.MustJoinAs(ctx, group, context)
		event, get := id.GetEvent(ctx)
		rig.Observe("event", event.Type.String())
		rig.Observe("context", rig.NameContext(event.UD.PrivateData, context))
		Expect(get).To(ReturnZero(), "the new channel has the event")
		Expect(event).To(BeJoin(group.GID()))
		Expect(event).To(CarryContext(context))
	})

	It("waits until the events read from the old channel are acknowledged", Label("JM-MIG-02"),
		func(ctx SpecContext) {
			p := rig.Start(ctx)
			to := p.MustCreateChannel(ctx)
			id := p.BoundID(ctx)
			event := id.MustGetJoin(ctx, rig.NewGroup())

			migrating := id.Begin(ctx, "rdma_migrate_id", func(ctx context.Context) error {
				return id.Migrate(ctx, to)
			})
			unacked := migrating.Settle(ctx)
			id.MustAck(ctx, event)
			migrate := migrating.Result(ctx)

			rig.Observe("unacked", unacked)
			rig.ObserveCall("migrate", migrate)
			Expect(unacked).To(Equal("blocked"), "nothing but the acknowledgement can wake it")
			Expect(migrate).To(ReturnZero())
		})

	It("wakes who sleeps on the new channel for an unread event, and for nothing else", Label("JM-MIG-04"),
		func(ctx SpecContext) {
			p := rig.Start(ctx)
			to := p.MustCreateChannel(ctx)
			idle, id := p.BoundID(ctx), p.BoundID(ctx)
			id.MustJoin(ctx, rig.NewGroup())
			id.AwaitEvent(ctx)
			polling := p.Begin(ctx, "poll", func(ctx context.Context) error { return p.PollChannel(ctx, to) })
			Expect(polling.Settle(ctx)).To(Equal("blocked"), "control: the new channel has nothing")

			migrateIdle := idle.Migrate(ctx, to)
			withNothing := polling.Settle(ctx)
			migrate := id.Migrate(ctx, to)
			withEvent := polling.Settle(ctx)
			id.MustJoin(ctx, rig.NewGroup())
			poll := polling.Result(ctx)

			rig.ObserveCall("migrate", migrate)
			rig.Observe("with_nothing", withNothing)
			rig.Observe("with_event", withEvent)
			Expect(migrateIdle).To(ReturnZero())
			Expect(migrate).To(ReturnZero())
			Expect(withNothing).To(Equal("blocked"), "the id has brought nothing")
			Expect(poll).To(ReturnZero(), "control: an event that comes later wakes everybody")
			Expect(withEvent).To(Equal("returned"), "the event that came with the id is there to be read")
		})

	It("makes the id synchronous when there is no channel to migrate to", Label("JM-MIG-03"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, context := rig.NewGroup(), rig.NewContext()

		migrate := id.Migrate(ctx, 0)

		rig.ObserveCall("migrate", migrate)
		Expect(migrate).To(ReturnZero())
		join := id.JoinAddr(ctx, group.Sockaddr(), context)
		event := id.Read(ctx).Event
		rig.ObserveCall("join", join)
		rig.Observe("event", rig.NameOwnEvent(event))
		Expect(join).To(ReturnZero())
		Expect(event).NotTo(BeNil(), "id->event is there when the join returns")
		Expect(*event).To(BeJoin(group.GID()))
		Expect(*event).To(CarryContext(context))
	})
})

package conformance

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("SYN: synchronous ids", func() {
	It("returns from the join with the event in hand", Label("JM-SYN-01"), func(ctx SpecContext) {
		id := rig.SyncID(ctx)
		group, context := rig.NewGroup(), rig.NewContext()

		join := id.JoinAddr(ctx, group.Sockaddr(), context)

		rig.ObserveCall("join", join)
		Expect(join).To(ReturnZero())
		event := id.Read(ctx).Event
		Expect(event).NotTo(BeNil(), "id->event is there when the join returns")
		rig.Observe("event", event.Type.String())
		rig.Observe("context", rig.NameContext(event.UD.PrivateData, context))
		Expect(*event).To(BeJoin(group.GID()))
		Expect(*event).To(CarryContext(context))
	})

	It("fails the join with the reason of a failed attach", Label("JM-SYN-02"), func(ctx SpecContext) {
		id := rig.SyncID(ctx)
		id.MustCreateQP(ctx)

		join := id.Join(ctx, id.Unattachable(ctx))

		rig.ObserveCall("join", join)
		Expect(join).To(FailWith(spec.EINVAL), "what ibv_attach_mcast answers to this address")
	})

	It("leaves a group right after its join", Label("JM-SYN-03"), func(ctx SpecContext) {
		id := rig.SyncID(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)

		leave := id.Leave(ctx, group)

		rig.ObserveCall("leave", leave)
		Expect(leave).To(ReturnZero())
	})

	It("fails the join when the kernel fails it", Label("JM-SYN-04"), func(ctx SpecContext) {
		id := rig.SyncID(ctx)
		rig.HostAt(0).MustLoseAddr(ctx)

		join := id.Join(ctx, rig.NewGroup())

		event := id.Read(ctx).Event
		Expect(event).NotTo(BeNil(), "id->event is there when the join returns")
		rig.ObserveCall("join", join)
		rig.Observe("event", event.Type.String())
		Expect(*event).To(BeMulticastError(), "control: the join ended in an error")
		Expect(join).To(FailByConvention())
	})

	It("may keep the membership of a join that failed at the attach", Label("JM-SYN-05"), func(ctx SpecContext) {
		id := rig.SyncID(ctx)
		id.MustCreateQP(ctx)
		group := id.Unattachable(ctx)
		Expect(id.Join(ctx, group)).To(FailByConvention(), "control: the attach fails the join")
		id.MustAckOwn(ctx)

		first := id.Leave(ctx, group)
		second := id.Leave(ctx, group)

		rig.ObserveCall("first", first)
		rig.ObserveCall("second", second)
		Expect(spec.Outcome(first)).To(BeElementOf("0", "EADDRNOTAVAIL"))
		Expect(second).To(FailWith(spec.EADDRNOTAVAIL), "control: after a leave there is no membership in any case")
	})

	It("fails a join that is refused at once with its errno, and no event", Label("JM-SYN-06"),
		func(ctx SpecContext) {
			id := rig.UnboundSyncID(ctx)

			join := id.Join(ctx, rig.NewGroup())

			event := id.Read(ctx).Event
			rig.ObserveCall("join", join)
			rig.Observe("event", rig.NameOwnEvent(event))
			Expect(join).To(FailWith(spec.EINVAL))
			Expect(event).To(BeNil(), "id->event")
		})

	It("leaves a group whose event the caller has acknowledged and cleared", Label("JM-SYN-07"),
		func(ctx SpecContext) {
			id := rig.SyncID(ctx)
			group := rig.NewGroup()
			id.MustJoin(ctx, group)
			id.MustAckOwn(ctx)

			first := id.Leave(ctx, group)
			second := id.Leave(ctx, group)

			rig.ObserveCall("first", first)
			rig.ObserveCall("second", second)
			Expect(first).To(ReturnZero())
			Expect(second).To(FailWith(spec.EADDRNOTAVAIL))
		})

	It("destroys an id whose event nobody has acknowledged", Label("JM-SYN-08"), func(ctx SpecContext) {
		id := rig.SyncID(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)
		host := rig.HostAt(0)
		before := host.IGMPUsers(ctx, group)

		destroy := id.Destroy(ctx)

		after := host.IGMPUsers(ctx, group)
		rig.ObserveCall("destroy", destroy)
		rig.Observe("before", fmt.Sprint(before))
		rig.Observe("after", fmt.Sprint(after))
		Expect(destroy).To(ReturnZero())
		Expect(before).To(Equal([]int{1}), "control: the host was a member")
		Expect(after).To(Equal([]int{0}))
	})
})

package conformance

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("DST: destroying", func() {
	It("leaves all groups of a destroyed id", Label("JM-DST-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		groups := []rig.Group{rig.NewGroup(), rig.NewGroup()}
		for _, group := range groups {
			id.MustBeMember(ctx, group)
		}
		host := rig.HostAt(0)
		before := host.IGMPUsers(ctx, groups...)

		destroy := id.Destroy(ctx)

		after := host.IGMPUsers(ctx, groups...)
		rig.ObserveCall("destroy", destroy)
		rig.Observe("before", fmt.Sprint(before))
		rig.Observe("after", fmt.Sprint(after))
		Expect(destroy).To(ReturnZero())
		Expect(before).To(Equal([]int{1, 1}), "control: the host was a member of both groups")
		Expect(after).To(Equal([]int{0, 0}))
	})

	It("waits until the id's multicast events are acknowledged", Label("JM-DST-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustJoin(ctx, rig.NewGroup())
		event := id.MustGetEvent(ctx)

		destroying := id.Begin(ctx, "rdma_destroy_id", id.Destroy)
		unacked := destroying.Settle(ctx)
		id.MustAck(ctx, event)
		destroy := destroying.Result(ctx)

		rig.Observe("unacked", unacked)
		rig.ObserveCall("destroy", destroy)
		Expect(unacked).To(Equal("blocked"), "nothing but the acknowledgement can wake it")
		Expect(destroy).To(ReturnZero())
	})

	It("is clean in the order acknowledge, leave, destroy the QP, destroy the id", Label("JM-DST-06"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)
			group := rig.NewGroup()
			id.MustJoin(ctx, group)
			event := id.MustGetEvent(ctx)
			Expect(event).To(BeJoin(group.GID()))

			ack := id.Ack(ctx, event)
			leave := id.Leave(ctx, group)
			destroyQP := id.DestroyOwnQP(ctx)
			state := id.Read(ctx)
			destroyID := id.Destroy(ctx)

			rig.ObserveCall("ack", ack)
			rig.ObserveCall("leave", leave)
			rig.ObserveCall("destroy_qp", destroyQP)
			rig.ObserveCall("destroy_id", destroyID)
			Expect(ack).To(ReturnZero())
			Expect(leave).To(ReturnZero())
			Expect(destroyQP).To(ReturnZero())
			Expect(state.QP).To(Be("id->qp", spec.QP(0)))
			Expect(destroyID).To(ReturnZero())
		})
})

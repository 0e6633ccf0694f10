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

	It("ends the memberships of a process that is killed", Label("JM-DST-07"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		id := p.BoundID(ctx)
		read, unread := rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, read)
		id.MustJoin(ctx, unread)
		host := rig.HostAt(0)
		before := host.IGMPUsers(ctx, read, unread)

		p.MustKill(ctx)

		after := host.IGMPUsers(ctx, read, unread)
		rig.Observe("before", fmt.Sprint(before))
		rig.Observe("after", fmt.Sprint(after))
		Expect(before).To(Equal([]int{1, 1}), "control: the host was a member of both groups")
		Expect(after).To(Equal([]int{0, 0}))
	})

	It("destroys a QP that has received a hundred multicast datagrams", Label("JM-DST-14"), func(ctx SpecContext) {
		group := rig.NewGroup()
		host := rig.HostAt(0)
		before := host.MustObserve(ctx).Resources["qp"]
		member := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		const datagrams = 100
		for n := range uint32(datagrams) {
			sender.MustSend(ctx, group, "datagram", n)
			Expect(member.MustReceive(ctx)).To(BeDatagram("datagram", n), "control: the QP receives")
			member.MustPostRecv(ctx, uint64(n), len("datagram"))
		}
		member.ID().MustLeave(ctx, group)

		destroy := member.ID().DestroyOwnQP(ctx)

		left := host.MustObserve(ctx).Resources["qp"] - before
		rig.ObserveCall("destroy", destroy)
		rig.Observe("qps_left", fmt.Sprint(left))
		Expect(destroy).To(ReturnZero())
		Expect(left).To(BeZero(), "the QP is gone")
	})

	It("ends what was never left, whatever was left before", Label("JM-DST-15"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		kept, left, unread := rig.NewGroup(), rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, kept)
		id.MustBeMember(ctx, left)
		id.MustLeave(ctx, left)
		id.MustJoin(ctx, unread)
		host := rig.HostAt(0)
		before := host.IGMPUsers(ctx, kept, left, unread)

		destroy := id.Destroy(ctx)

		after := host.IGMPUsers(ctx, kept, left, unread)
		rig.ObserveCall("destroy", destroy)
		rig.Observe("before", fmt.Sprint(before))
		rig.Observe("after", fmt.Sprint(after))
		Expect(destroy).To(ReturnZero())
		Expect(before).To(Equal([]int{1, 0, 1}), "a membership lasts until it is left or its id destroyed")
		Expect(after).To(Equal([]int{0, 0, 0}))
	})
})

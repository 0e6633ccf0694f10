package conformance

import (
	"context"
	"fmt"
	"net/netip"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("LV: leaving a group", func() {
	It("detaches the id's QP", Label("JM-LV-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		before := qp.Probe(ctx, group)

		leave := id.Leave(ctx, group)

		after := qp.Probe(ctx, group)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("before", before)
		rig.ObserveCall("after", after)
		rig.Control("JM-ATT-02", before, "the QP is attached before")
		Expect(leave).To(ReturnZero())
		Expect(after).To(ReturnErrno(spec.EINVAL), "the QP is not attached any more")
	})

	It("cancels the join when the event has not been retrieved", Label("JM-LV-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx) // the event is queued, so that its removal is what is seen

		leave := id.Leave(ctx, group)

		_, event := id.TryGetEvent(ctx)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("event", event)
		Expect(leave).To(ReturnZero())
		Expect(event).To(FailWith(spec.EAGAIN), "no event of the group is left")
	})

	It("cancels a join that may still be under way", Label("JM-LV-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, sentinel := rig.NewGroup(), rig.NewGroup()
		id.MustJoin(ctx, group)

		leave := id.Leave(ctx, group)

		rig.ObserveCall("leave", leave)
		Expect(leave).To(ReturnZero())
		id.MustJoin(ctx, sentinel)
		Expect(id.MustGetEvent(ctx)).To(BeJoin(sentinel.GID()), "the next event is the next join's")
	})

	It("waits until the membership's event is acknowledged", Label("JM-LV-07"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)
		event := id.MustGetEvent(ctx)

		expectLeaveAwaitsAck(ctx, id, group, event)
	})

	It("does not wait for the events of other groups", Label("JM-LV-09"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, other := rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, group)
		unacked := id.MustGetJoin(ctx, other)
		Expect(unacked).To(BeJoin(other.GID()), "control: an event of the other group is held")

		leave := id.Leave(ctx, group)

		rig.ObserveCall("leave", leave)
		Expect(leave).To(ReturnZero())
		id.MustAck(ctx, unacked)
		Expect(id.Leave(ctx, group)).To(FailWith(spec.EADDRNOTAVAIL), "control: the membership is over")
	})

	It("keeps the QP attached until the last of two memberships is left", Label("JM-LV-11"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		id.MustBeMember(ctx, group)
		rig.Control("JM-ATT-02", qp.Probe(ctx, group), "the QP is attached before")

		first := id.Leave(ctx, group)
		between := qp.Probe(ctx, group)
		last := id.Leave(ctx, group)
		after := qp.Probe(ctx, group)

		rig.ObserveCall("first", first)
		rig.ObserveCall("between", between)
		rig.ObserveCall("last", last)
		rig.ObserveCall("after", after)
		Expect(first).To(ReturnZero())
		Expect(last).To(ReturnZero())
		Expect(after).To(ReturnErrno(spec.EINVAL), "the QP is not attached any more")
		Expect(between).To(ReturnZero(), "one membership is left, and the QP still attached")
	})

	It("leaves a QP alone whose user has detached it", Label("JM-LV-13"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		event := id.MustBeMember(ctx, group)
		detach := id.DetachMulticast(ctx, qp.Handle, group.GID(), event.UD.AH.DLID)

		leave := id.Leave(ctx, group)

		again := id.Leave(ctx, group)
		rig.ObserveCall("detach", detach)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("again", again)
		rig.Control("JM-ATT-02", detach, "the QP was attached")
		Expect(leave).To(ReturnZero())
		Expect(again).To(FailWith(spec.EADDRNOTAVAIL), "the membership is over")
	})

	It("leaves for an id whose QP has been detached and destroyed", Label("JM-LV-12"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		event := id.MustBeMember(ctx, group)
		rig.Control("JM-ATT-02", id.DetachMulticast(ctx, qp.Handle, group.GID(), event.UD.AH.DLID), "the QP was attached")
		id.MustDestroyQP(ctx)

		leave := id.Leave(ctx, group)

		again := id.Leave(ctx, group)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("again", again)
		Expect(leave).To(ReturnZero())
		Expect(again).To(FailWith(spec.EADDRNOTAVAIL), "the membership is over")
	})

	It("leaves a send-only membership and does not touch what was attached by hand", Label("JM-LV-14"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			qp := id.MustCreateQP(ctx)
			group, full := rig.NewGroup(), rig.NewGroup()
			id.MustJoinEx(ctx, group, spec.SendOnlyMember)
			event := id.MustTakeJoin(ctx, group)
			rig.Control("JM-ATT-03", qp.Attach(ctx, group.GID(), event.UD.AH.DLID), "the QP is attached by hand")
			id.MustBeMember(ctx, full)

			leave := id.Leave(ctx, group)

			probe := qp.Probe(ctx, group)
			rig.ObserveCall("leave", leave)
			rig.ObserveCall("probe", probe)
			Expect(leave).To(ReturnZero())
			Expect(probe).To(ReturnZero(), "the QP is still attached")
			id.MustLeave(ctx, full)
			Expect(qp.Probe(ctx, full)).To(ReturnErrno(spec.EINVAL), "control: the same probe after a full member's leave")
		})

	It("lets the group be joined again, time after time", Label("JM-LV-16"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		const cycles = 3
		for range cycles {
			id.MustBeMember(ctx, group)
			Expect(id.Leave(ctx, group)).To(ReturnZero())
		}

		join := id.Join(ctx, group)

		rig.ObserveCall("join", join)
		Expect(join).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
	})

	It("leaves the same group of another id alone", Label("JM-LV-17"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		id, other := p.BoundID(ctx), p.BoundID(ctx)
		qp := other.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		other.MustBeMember(ctx, group)
		rig.Control("JM-ATT-02", qp.Probe(ctx, group), "the other id's QP is attached before")

		id.MustLeave(ctx, group)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("other_id", probe)
		Expect(probe).To(ReturnZero(), "the other id's QP is still attached")
		other.MustLeave(ctx, group)
		Expect(qp.Probe(ctx, group)).To(ReturnErrno(spec.EINVAL), "control: the same probe after its own leave")
	})

	It("leaves the other groups of the same id alone", Label("JM-LV-17"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		older, group, newer := rig.NewGroup(), rig.NewGroup(), rig.NewGroup()
		for _, joined := range []rig.Group{older, group, newer} {
			id.MustBeMember(ctx, joined)
			rig.Control("JM-ATT-02", qp.Probe(ctx, joined), "the QP is attached before")
		}

		id.MustLeave(ctx, group)

		for _, other := range []rig.Group{older, newer} {
			probe := qp.Probe(ctx, other)
			rig.ObserveCall("other_group", probe)
			Expect(probe).To(ReturnZero(), "the QP is still attached to the other groups")
		}
		Expect(qp.Probe(ctx, group)).To(ReturnErrno(spec.EINVAL), "control: the same probe on the group left")
	})

	It("gives back one IGMP user a leave, and the last leave ends the host's membership", Label("JM-LV-18"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()
			host := rig.HostAt(0)
			id.MustBeMember(ctx, group)
			id.MustBeMember(ctx, group)
			joined := host.IGMPUsers(ctx, group)

			id.MustLeave(ctx, group)
			between := host.IGMPUsers(ctx, group)
			id.MustLeave(ctx, group)
			left := host.IGMPUsers(ctx, group)

			rig.Observe("joined", fmt.Sprint(joined))
			rig.Observe("between", fmt.Sprint(between))
			rig.Observe("left", fmt.Sprint(left))
			Expect(joined).To(Equal([]int{2}), "one user a join")
			Expect(between).To(Equal([]int{1}))
			Expect(left).To(Equal([]int{0}))
		})

	It("lets a datagram that is already received complete or not", Label("JM-LV-19"), func(ctx SpecContext) {
		group, other := rig.NewGroup(), rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group, other)
		witness := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, other)
		sender.MustSend(ctx, group, "received", 1)
		Expect(witness.MustReceive(ctx)).To(BeDatagram("received", 1), "control: the datagram has reached the host")

		leave := member.ID().Leave(ctx, group)

		sender.MustSend(ctx, other, "sentinel", 2)
		completed := rig.NamePayloads(member.MustReceiveUntil(ctx, "sentinel"), "received")
		rig.ObserveCall("leave", leave)
		rig.Observe("completed", completed)
		Expect(leave).To(ReturnZero())
		Expect(completed).To(BeElementOf("none", "received"))
	})

	It("delivers nothing that is sent after it", Label("JM-LV-20"), func(ctx SpecContext) {
		group, other := rig.NewGroup(), rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group, other)
		witness := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, other)
		sender.MustSend(ctx, group, "before", 1)
		Expect(member.MustReceive(ctx)).To(BeDatagram("before", 1), "control: the member receives before it leaves")
		Expect(witness.MustReceive(ctx)).To(BeDatagram("before", 1))

		leave := member.ID().Leave(ctx, group)

		sender.MustSend(ctx, group, "after", 2)
		sender.MustSend(ctx, other, "sentinel", 3)
		received := rig.NamePayloads(member.MustReceiveUntil(ctx, "sentinel"), "after")
		rig.ObserveCall("leave", leave)
		rig.Observe("received", received)
		Expect(witness.MustReceive(ctx)).To(BeDatagram("after", 2), "control: another member of the host receives it")
		Expect(leave).To(ReturnZero())
		Expect(received).To(Equal("none"))
	})

	It("detaches nothing before the event is retrieved", Label("JM-LV-21"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group, other, control := rig.NewGroup(), rig.NewGroup(), rig.NewGroup()
		for _, attached := range []rig.Group{group, other} {
			rig.Control("JM-VRB-01", qp.AttachTo(ctx, attached), "the QP is attached by hand")
		}
		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx)

		leave := id.Leave(ctx, group)

		same, another := qp.Probe(ctx, group), qp.Probe(ctx, other)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("group", same)
		rig.ObserveCall("other_group", another)
		Expect(leave).To(ReturnZero())
		Expect(same).To(ReturnZero(), "the QP is still attached to the group")
		Expect(another).To(ReturnZero(), "the QP is still attached to the other group")
		Expect(qp.Probe(ctx, control)).To(ReturnErrno(spec.EINVAL), "control: the same probe on a group never attached")
	})

	It("waits until a MULTICAST_ERROR is acknowledged, too", Label("JM-LV-22"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)
		unicast := rig.Group{Addr: id.Addr(ctx).Addr()} // ibv_attach_mcast refuses it, rdma_join_multicast does not
		event := id.MustGetJoin(ctx, unicast)
		Expect(event).To(BeMulticastError(), "control: the event is an error")

		expectLeaveAwaitsAck(ctx, id, unicast, event)
	})

	It("is woken by its acknowledgement whatever is joined meanwhile", Label("JM-LV-25"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, other := rig.NewGroup(), rig.NewGroup()
		held := id.MustGetJoin(ctx, group)
		leaving := id.Begin(ctx, "rdma_leave_multicast", func(ctx context.Context) error {
			return id.Leave(ctx, group)
		})
		unacked := leaving.Settle(ctx)

		join := id.Join(ctx, other)
		event := id.MustGetEvent(ctx)
		id.MustAck(ctx, event)
		id.MustAck(ctx, held)

		leave := leaving.Result(ctx)
		rig.Observe("unacked", unacked)
		rig.ObserveCall("join", join)
		rig.ObserveCall("leave", leave)
		Expect(unacked).To(Equal("blocked"), "control: the leave waits while the other group is joined")
		Expect(join).To(ReturnZero())
		Expect(event).To(BeJoin(other.GID()))
		Expect(leave).To(ReturnZero())
	})

	It("takes one IGMP user off the group that is left, and changes no other", Label("JM-LV-27"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		id, other := p.BoundID(ctx), p.BoundID(ctx)
		group, neighbour := rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, group)
		id.MustBeMember(ctx, neighbour)
		other.MustBeMember(ctx, group)
		host := rig.HostAt(0)
		before := host.MustObserve(ctx)

		leave := id.Leave(ctx, group)

		change := rig.NameIGMPChange(before, host.MustObserve(ctx), group)
		rig.ObserveCall("leave", leave)
		rig.Observe("change", change)
		Expect(leave).To(ReturnZero())
		Expect(change).To(Equal("group -1"))
	})

	It("takes no membership by IGMP away on RoCEv1, where its join has made none", Label("JM-LV-30"),
		func(ctx SpecContext) {
			host, id := rig.HostAt(0), rig.BoundID(ctx)
			everyHost := rig.Group{Addr: netip.MustParseAddr("224.0.0.1")}
			id.MustBeMember(ctx, everyHost)
			before := host.MustObserve(ctx)
			Expect(host.IGMPUsers(ctx, everyHost)).To(Equal([]int{1}), "control: every host is a member by itself")

			leave := id.Leave(ctx, everyHost)

			change := rig.NameIGMPChange(before, host.MustObserve(ctx), everyHost)
			rig.ObserveCall("leave", leave)
			rig.Observe("change", change)
			Expect(leave).To(ReturnZero())
			Expect(change).To(Be("the change of IGMP memberships", "none"))
		})
})

// expectLeaveAwaitsAck expects that leaving a group whose event is retrieved and not acknowledged blocks until it is.
func expectLeaveAwaitsAck(ctx SpecContext, id *rig.ID, group rig.Group, event spec.Event) {
	GinkgoHelper()
	leaving := id.Begin(ctx, "rdma_leave_multicast", func(ctx context.Context) error {
		return id.Leave(ctx, group)
	})
	unacked := leaving.Settle(ctx)
	id.MustAck(ctx, event)
	leave := leaving.Result(ctx)

	rig.Observe("unacked", unacked)
	rig.ObserveCall("leave", leave)
	Expect(unacked).To(Equal("blocked"), "nothing but the acknowledgement can wake it")
	Expect(leave).To(ReturnZero())
}

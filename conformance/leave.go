package conformance

import (
	"context"

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

	It("refuses to leave a group that was never joined", Label("JM-LV-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.Leave(ctx, rig.NewGroup())

		rig.ObserveCall("leave", err)
		Expect(err).To(FailWith(spec.EADDRNOTAVAIL))
	})

	It("refuses to leave a group twice", Label("JM-LV-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		id.MustLeave(ctx, group)

		err := id.Leave(ctx, group)

		rig.ObserveCall("leave", err)
		Expect(err).To(FailWith(spec.EADDRNOTAVAIL))
	})

	It("refuses to leave a group whose join was refused", Label("JM-LV-02"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		group := rig.NewGroup()
		Expect(id.Join(ctx, group)).To(FailWith(spec.EINVAL), "control: an unbound id cannot join")

		err := id.Leave(ctx, group)

		rig.ObserveCall("leave", err)
		Expect(err).To(FailWith(spec.EADDRNOTAVAIL))
	})

	It("refuses a NULL address and one of any other family", Label("JM-LV-03"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		null := id.LeaveAddr(ctx, nil)

		rig.ObserveCall("null", null)
		Expect(null).To(FailWith(spec.EINVAL), "NULL")
		for _, family := range []spec.Family{spec.AFUnspec, spec.AFUnix, spec.AFPacket} {
			err := id.LeaveAddr(ctx, spec.EmptySockaddr(family))

			rig.ObserveCall(rig.NameFamily(family), err)
			Expect(err).To(FailWith(spec.EINVAL), family.String())
		}
	})

	It("dereferences a NULL id once the address is good", Label("JM-LV-04"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)
		id.MustBeMember(ctx, rig.NewGroup()) // if the process dies, the kernel has something to clean up
		Expect(id.LeaveMulticast(ctx, 0, nil)).To(FailWith(spec.EINVAL), "control: the address is looked at first")

		err := id.Undefined().LeaveMulticast(ctx, 0, rig.NewGroup().Sockaddr())

		rig.ObserveCall("leave", err)
		Expect(spec.Outcome(err)).To(BeElementOf("SIGSEGV", "SIGBUS", "EINVAL"))
	})

	It("takes another port for another membership", Label("JM-LV-05"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)

		other := id.LeaveAddr(ctx, group.WithPort(7777))
		exact := id.Leave(ctx, group)

		rig.ObserveCall("port", other)
		rig.ObserveCall("exact", exact)
		Expect(other).To(FailWith(spec.EADDRNOTAVAIL))
		Expect(exact).To(ReturnZero(), "control: the same bytes leave")
	})

	It("takes dirty padding for another membership", Label("JM-LV-05"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		dirty := group.Sockaddr()
		dirty[spec.SizeofSockaddrIn-1] = 1 // the last byte of sin_zero

		other := id.LeaveAddr(ctx, dirty)
		exact := id.Leave(ctx, group)

		rig.ObserveCall("padding", other)
		rig.ObserveCall("exact", exact)
		Expect(other).To(FailWith(spec.EADDRNOTAVAIL))
		Expect(exact).To(ReturnZero(), "control: the same bytes leave")
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
	})

	It("leaves the newest of two memberships of one address", Label("JM-LV-10"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		older, newer := rig.NewContext(), rig.NewContext()
		id.MustJoinAs(ctx, group, older)
		id.MustJoinAs(ctx, group, newer)

		first := id.Leave(ctx, group)
		remaining := id.MustGetEvent(ctx)
		id.MustAck(ctx, remaining)
		second, third := id.Leave(ctx, group), id.Leave(ctx, group)

		rig.ObserveCall("first", first)
		rig.Observe("remaining", rig.NameContext(remaining.UD.PrivateData, older))
		rig.ObserveCall("second", second)
		rig.ObserveCall("third", third)
		Expect(first).To(ReturnZero())
		Expect(remaining).To(CarryContext(older))
		Expect(second).To(ReturnZero())
		Expect(third).To(FailWith(spec.EADDRNOTAVAIL))
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
})

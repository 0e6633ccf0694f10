package conformance

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("ATT: when a QP is attached", func() {
	It("attaches nothing before the event is retrieved", Label("JM-ATT-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()

		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx) // the kernel has answered and nobody has read it: an early attach would show by now
		before := qp.Probe(ctx, group)

		id.MustTakeJoin(ctx, group)
		after := qp.Probe(ctx, group)
		rig.ObserveCall("before", before)
		rig.ObserveCall("after", after)
		Expect(before).To(ReturnErrno(spec.EINVAL), "the QP is not attached before the event is read")
		rig.Control("JM-ATT-02", after, "the same probe once the event has been read")
	})

	It("has attached the id's QP when the event is retrieved", Label("JM-ATT-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()

		id.MustJoin(ctx, group)
		event := id.MustGetEvent(ctx)

		probe, never := qp.Probe(ctx, group), qp.Probe(ctx, control)
		rig.ObserveCall("probe", probe)
		Expect(event).To(BeJoin(group.GID()))
		Expect(probe).To(ReturnZero(), "the QP is attached")
		Expect(never).To(ReturnErrno(spec.EINVAL), "control: the same probe on a group never joined")
	})

	It("leaves an id without a QP to the caller, who attaches with the event's GID and LID", Label("JM-ATT-03"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()
			event := id.MustBeMember(ctx, group)
			qp := id.MustCreateQP(ctx)
			before := qp.Probe(ctx, group)

			attach := qp.Attach(ctx, event.UD.AH.GRH.DGID, event.UD.AH.DLID)

			after := qp.Probe(ctx, group)
			rig.ObserveCall("before", before)
			rig.ObserveCall("attach", attach)
			rig.ObserveCall("after", after)
			Expect(before).To(ReturnErrno(spec.EINVAL), "nothing is attached by itself")
			Expect(attach).To(ReturnZero())
			Expect(after).To(ReturnZero(), "the QP is attached")
		})

	It("attaches a QP created between the join and the retrieval", Label("JM-ATT-04"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()
		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx)
		qp := id.MustCreateQP(ctx)

		event := id.MustGetEvent(ctx)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("probe", probe)
		Expect(event).To(BeJoin(group.GID()))
		Expect(probe).To(ReturnZero(), "the QP is attached")
		Expect(qp.Probe(ctx, control)).To(ReturnErrno(spec.EINVAL), "control: the same probe on a group never joined")
	})

	It("never attaches a QP created after the retrieval", Label("JM-ATT-05"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, group)

		qp := id.MustCreateQP(ctx)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("probe", probe)
		id.MustBeMember(ctx, control)
		Expect(probe).To(ReturnErrno(spec.EINVAL), "the QP is not attached")
		rig.Control("JM-ATT-02", qp.Probe(ctx, control), "the same probe on a group joined afterwards")
	})

	It("delivers the event of an id whose QP is gone, and attaches nothing", Label("JM-ATT-06"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)
			group := rig.NewGroup()
			id.MustJoin(ctx, group)
			id.AwaitEvent(ctx)
			id.MustDestroyQP(ctx)

			event := id.MustGetEvent(ctx)

			rig.Observe("event", event.Type.String())
			Expect(event).To(BeJoin(group.GID()))
			id.MustAck(ctx, event)
			leave := id.Leave(ctx, group)
			rig.ObserveCall("leave", leave)
			Expect(leave).To(ReturnZero())
		})

	It("keeps the membership when the attach fails, until it is left", Label("JM-ATT-07"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)
		unicast := rig.Group{Addr: id.Addr(ctx).Addr()} // ibv_attach_mcast refuses it, rdma_join_multicast does not
		id.MustJoin(ctx, unicast)
		event := id.MustGetEvent(ctx)
		id.MustAck(ctx, event)

		first, second := id.Leave(ctx, unicast), id.Leave(ctx, unicast)

		rig.Observe("event", event.Type.String())
		rig.ObserveCall("leave", first)
		rig.ObserveCall("second", second)
		Expect(event).To(BeMulticastError())
		Expect(first).To(ReturnZero())
		Expect(second).To(FailWith(spec.EADDRNOTAVAIL))
	})
})

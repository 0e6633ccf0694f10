package conformance

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

// both is the comp_mask that rdma_join_multicast_ex asks for: an address and flags.
const both = spec.JoinAttrAddress | spec.JoinAttrFlags

var _ = Describe("EX: rdma_join_multicast_ex", func() {
	It("refuses a comp_mask with a bit nobody knows", Label("JM-EX-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		for _, mask := range []uint32{4, 5, 6, both | 4, 8, 0xffffffff} {
			err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: mask, Addr: rig.NewGroup().Sockaddr()})

			rig.ObserveCall(fmt.Sprintf("mask_%#x", mask), err)
			Expect(err).To(FailWith(spec.ENOTSUP), "comp_mask %#x", mask)
		}
	})

	It("refuses a comp_mask that lacks the address", Label("JM-EX-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		for _, mask := range []uint32{0, spec.JoinAttrFlags} {
			err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: mask, Addr: rig.NewGroup().Sockaddr()})

			rig.ObserveCall(fmt.Sprintf("mask_%#x", mask), err)
			Expect(err).To(FailWith(spec.EINVAL), "comp_mask %#x", mask)
		}
	})

	It("refuses a comp_mask that lacks the join flags", Label("JM-EX-03"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: spec.JoinAttrAddress, Addr: rig.NewGroup().Sockaddr()})

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses join_flags of 2 and more, all 32 bits of it", Label("JM-EX-04"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		for _, flags := range []spec.JoinFlags{2, 3, 0x10000, 0x10001, 0xffffffff} {
			err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: flags, Addr: rig.NewGroup().Sockaddr()})

			rig.ObserveCall(fmt.Sprintf("flags_%#x", uint32(flags)), err)
			Expect(err).To(FailWith(spec.EINVAL), "join_flags %#x", uint32(flags))
		}
	})

	It("refuses a NULL address", Label("JM-EX-05"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: spec.FullMember})

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("joins and attaches as rdma_join_multicast does for a full member", Label("JM-EX-08"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: spec.FullMember, Addr: group.Sockaddr()})

		Expect(err).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
		probe := qp.Probe(ctx, group)
		rig.ObserveCall("probe", probe)
		Expect(probe).To(ReturnZero(), "the QP is attached")
	})

	It("attaches nothing for a send-only full member", Label("JM-EX-09"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: spec.SendOnlyMember, Addr: group.Sockaddr()})

		Expect(err).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
		probe := qp.Probe(ctx, group)
		rig.ObserveCall("probe", probe)
		Expect(probe).To(ReturnErrno(spec.EINVAL), "the QP is not attached")
		id.MustBeMember(ctx, control)
		rig.Control("JM-ATT-02", qp.Probe(ctx, control), "the same probe on a full membership")
	})
})

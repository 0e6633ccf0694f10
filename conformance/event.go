package conformance

import (
	"fmt"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("EVT: the event of a join", func() {
	It("comes exactly once for every join", Label("JM-EVT-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, sentinel := rig.NewGroup(), rig.NewGroup()

		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx) // whatever answers the first join is queued before the second join begins
		id.MustJoin(ctx, sentinel)

		first, second := id.MustGetEvent(ctx), id.MustGetEvent(ctx)
		rig.Observe("first", first.Type.String())
		rig.Observe("second", second.Type.String())
		Expect(first).To(BeJoin(group.GID()))
		Expect(second).To(BeJoin(sentinel.GID()), "no second event of the first join stands before it")
	})

	It("names the id, no listening id, and status 0", Label("JM-EVT-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)

		event := id.MustGetEvent(ctx)

		rig.Observe("id", rig.NameID(event.ID, id))
		rig.Observe("listen_id", rig.NameID(event.ListenID, id))
		rig.Observe("status", strconv.Itoa(event.Status))
		Expect(event).To(BeJoin(group.GID()))
		Expect(event.ID).To(Be("id", id.Handle))
		Expect(event.ListenID).To(Be("listen_id", spec.ID(0)))
	})

	It("brings each join its own context back, a NULL one too", Label("JM-EVT-03"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		context := rig.NewContext()
		id.MustJoinAs(ctx, rig.NewGroup(), context)
		id.MustJoinAs(ctx, rig.NewGroup(), 0)

		first, second := id.MustGetEvent(ctx), id.MustGetEvent(ctx)

		rig.Observe("context", rig.NameContext(first.UD.PrivateData, context))
		rig.Observe("null_context", rig.NameContext(second.UD.PrivateData, context))
		Expect(first).To(CarryContext(context))
		Expect(second).To(CarryContext(0))
	})

	It("gives the context no length", Label("JM-EVT-04"), func(ctx SpecContext) {
		event := rig.BoundID(ctx).MustGetJoin(ctx, rig.NewGroup())

		rig.Observe("private_data_len", strconv.Itoa(int(event.UD.PrivateDataLen)))
		Expect(event.UD.PrivateDataLen).To(Be("private_data_len", uint8(0)))
	})

	It("gives the multicast QP number to send to", Label("JM-EVT-05"), func(ctx SpecContext) {
		event := rig.BoundID(ctx).MustGetJoin(ctx, rig.NewGroup())

		rig.Observe("qp_num", fmt.Sprintf("%#x", event.UD.QPNum))
		Expect(event.UD.QPNum).To(Be("qp_num", uint32(spec.MulticastQPN)))
	})

	It("gives the queue key of RDMA_PS_UDP", Label("JM-EVT-06"), func(ctx SpecContext) {
		event := rig.BoundID(ctx).MustGetJoin(ctx, rig.NewGroup())

		rig.Observe("qkey", fmt.Sprintf("%#x", event.UD.QKey))
		Expect(event.UD.QKey).To(Be("qkey", uint32(spec.UDPQKey)))
	})

	It("gives the address to send to: global, the group's GID, the id's port", Label("JM-EVT-07"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()

			event := id.MustGetJoin(ctx, group)

			port := id.Read(ctx).PortNum
			rig.Observe("is_global", fmt.Sprint(event.UD.AH.IsGlobal))
			rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
			rig.Observe("port_num", rig.NamePort(event.UD.AH.PortNum, port))
			Expect(event.UD.AH.IsGlobal).To(Be("is_global", true))
			Expect(event.UD.AH.GRH.DGID).To(Be("dgid", group.GID()))
			Expect(event.UD.AH.PortNum).To(Be("port_num", port))
		})

	It("gives an address that ibv_create_ah takes", Label("JM-EVT-08"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		event := id.MustGetJoin(ctx, rig.NewGroup())

		ah, err := id.CreateAH(ctx, id.Handle, event.UD.AH)

		rig.ObserveCall("create_ah", err)
		Expect(err).To(ReturnZero())
		Expect(ah).NotTo(BeZero())
		Expect(id.DestroyAH(ctx, ah)).To(ReturnZero())
	})
})

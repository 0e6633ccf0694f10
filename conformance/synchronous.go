package conformance

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
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
})

package conformance

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("ENV: the device, the process and its files", func() {
	It("leaves neither membership nor event behind when it refuses", Label("JM-ENV-03"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		group := rig.NewGroup()

		join := id.Join(ctx, group)

		leave := id.Leave(ctx, group)
		rig.Control("JM-BIND-05", id.Resolve(ctx, id.Addr(ctx), group), "the same id goes on")
		next := id.MustGetEvent(ctx)
		rig.ObserveCall("join", join)
		rig.ObserveCall("leave", leave)
		rig.Observe("next", next.Type.String())
		Expect(join).To(FailWith(spec.EINVAL))
		Expect(leave).To(FailWith(spec.EADDRNOTAVAIL))
		Expect(next).To(BeEvent(spec.AddrResolved), "the id's first event is of the call after the join")
	})
})

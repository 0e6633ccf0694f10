package conformance

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("MAP: from the address to the group's GID", func() {
	It("maps an IPv4 group to its v4-mapped GID on RoCEv2", Label("JM-MAP-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()

		event := id.MustGetJoin(ctx, group)

		rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
		Expect(event.UD.AH.GRH.DGID).To(Be("dgid", spec.MGIDOf(group.Addr)))
	})
})

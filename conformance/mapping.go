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

	It("lets the group's link-layer address in for as long as there is a member", Label("JM-MAP-04"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group, host := rig.NewGroup(), rig.HostAt(0)
			before := host.HasFilter(ctx, group)

			id.MustBeMember(ctx, group)
			joined := host.HasFilter(ctx, group)
			id.MustLeave(ctx, group)
			left := host.HasFilter(ctx, group)

			rig.Observe("before", before)
			rig.Observe("joined", joined)
			rig.Observe("left", left)
			Expect(before).To(Equal("out"), "control: nobody else has joined")
			Expect(joined).To(Equal("in"))
			Expect(left).To(Equal("out"))
		})

	It("gives groups that share a link-layer address an MGID each", Label("JM-MAP-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, twin := rig.NewTwins()

		first, second := id.MustGetJoin(ctx, group), id.MustGetJoin(ctx, twin)

		rig.Observe("group", rig.NameGID(first.UD.AH.GRH.DGID, group))
		rig.Observe("twin", rig.NameGID(second.UD.AH.GRH.DGID, twin))
		Expect(first.UD.AH.GRH.DGID).To(Be("dgid", group.GID()))
		Expect(second.UD.AH.GRH.DGID).To(Be("dgid", twin.GID()))
	})
})

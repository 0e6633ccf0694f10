package conformance

import (
	"fmt"

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

	It("maps an IPv4 group behind a multicast prefix on RoCEv1", Label("JM-MAP-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()

		event := id.MustGetJoin(ctx, group)

		rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
		Expect(event.UD.AH.GRH.DGID).To(Be("dgid", group.GIDOn(spec.RoCEv1)))
	})

	It("takes a group of IPv6 for its own GID on RoCEv1", Label("JM-MAP-07"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.Group{Addr: groupOfIPv6}

		event := id.MustGetJoin(ctx, group)

		rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
		Expect(event.UD.AH.GRH.DGID).To(Be("dgid", spec.GID(groupOfIPv6.As16())))
	})

	It("may follow the port's new RoCE mode on an id that was bound in the old one", Label("JM-MAP-11"),
		func(ctx SpecContext) {
			before := rig.BoundID(ctx)
			rig.HostAt(0).MustSetRoCEMode(ctx, spec.RoCEv2Mode)
			after := rig.BoundID(ctx)
			group := rig.NewGroup()

			old, recent := before.MustGetJoin(ctx, group), after.MustGetJoin(ctx, group)

			boundBefore := rig.NameVersion(old.UD.AH.GRH.DGID, group)
			boundAfter := rig.NameVersion(recent.UD.AH.GRH.DGID, group)
			rig.Observe("bound_before", boundBefore)
			rig.Observe("bound_after", boundAfter)
			Expect(boundBefore).To(BeElementOf("rocev1", "rocev2"))
			Expect(boundAfter).To(Be("control: the MGID of an id bound in the new mode", "rocev2"))
		})

	It("keeps nothing on the network of a group left in another RoCE mode", Label("JM-MAP-12"),
		func(ctx SpecContext) {
			host, group := rig.HostAt(0), rig.NewGroup()
			back := host.MustSetRoCEMode(ctx, spec.RoCEv2Mode)
			id := rig.BoundID(ctx)
			id.MustAck(ctx, id.MustGetJoin(ctx, group))
			joined := fmt.Sprint(host.IGMPUsers(ctx, group))
			back(ctx)

			id.MustLeave(ctx, group)

			left := fmt.Sprint(host.IGMPUsers(ctx, group))
			rig.Observe("joined", joined)
			rig.Observe("left", left)
			Expect(joined).To(Equal("[1]"), "control: on RoCEv2 the host is a member by IGMP")
			Expect(left).To(Be("users of the group", "[0]"))
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

package conformance

import (
	"fmt"
	"net/netip"

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

	It("maps an IPv4 group to the port space's signature and its low bits on InfiniBand", Label("JM-MAP-03"),
		func(ctx SpecContext) {
			expectSigned(ctx, rig.NewGroup(), rig.UDPOfIPv4, rig.IPoIBOfIPv4)
		})

	It("maps an IPv6 group to the port space's signature and its low bits on InfiniBand", Label("JM-MAP-08"),
		func(ctx SpecContext) {
			group := rig.Group{Addr: netip.MustParseAddr("ff1e:1:2:3:4:5:6:7")}
			expectSigned(ctx, group, rig.UDPOfIPv6, rig.IPoIBOfIPv6)
		})

	It("takes an address that is an assigned MGID for exactly that group", Label("JM-MAP-09"), func(ctx SpecContext) {
		first, other := rig.BoundID(ctx), rig.BoundID(ctx)
		_, assigned := first.JoinToItsEnd(ctx, spec.NewSockaddr(netip.IPv6Unspecified(), 0))
		Expect(assigned).To(BeEvent(spec.MulticastJoin), "control: a group is assigned")
		mgid := assigned.UD.AH.GRH.DGID

		_, joined := other.JoinToItsEnd(ctx, spec.NewSockaddr(netip.AddrFrom16(mgid), 0))

		rig.Observe("dgid", rig.NameSignature(joined.UD.AH.GRH.DGID, rig.Group{}))
		Expect(joined).To(BeJoin(mgid))
		Expect(joined.UD.AH.DLID).To(Be("dlid", assigned.UD.AH.DLID), "it is one group")
	})

	It("takes an AF_IB address for the MGID itself on InfiniBand", Label("JM-MAP-10"), func(ctx SpecContext) {
		group := rig.NewGroup()
		id := rig.BoundID(ctx)

		_, event := id.JoinToItsEnd(ctx, spec.NewSockaddrIB(group.GIDSigned(rig.IPoIBOfIPv4)))

		rig.Observe("dgid", rig.NameSignature(event.UD.AH.GRH.DGID, group))
		Expect(event).To(BeJoin(group.GIDSigned(rig.IPoIBOfIPv4)))
	})
})

// expectSigned expects a group to get an MGID with a signature of its own in each of two port spaces.
func expectSigned(ctx SpecContext, group rig.Group, udp, ipoib rig.Signature) {
	GinkgoHelper()
	p := rig.Start(ctx)

	one := p.BoundIDOf(ctx, spec.PSUDP).MustGetJoin(ctx, group)
	other := p.BoundIDOf(ctx, spec.PSIPoIB).MustGetJoin(ctx, group)

	rig.Observe("udp", rig.NameSignature(one.UD.AH.GRH.DGID, group))
	rig.Observe("ipoib", rig.NameSignature(other.UD.AH.GRH.DGID, group))
	Expect(one).To(BeJoin(group.GIDSigned(udp)))
	Expect(other).To(BeJoin(group.GIDSigned(ipoib)))
}

package conformance

import (
	"net/netip"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("LV: which membership a leave finds", func() {
	It("refuses to leave a group that was never joined", Label("JM-LV-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.Leave(ctx, rig.NewGroup())

		rig.ObserveCall("leave", err)
		Expect(err).To(FailWith(spec.EADDRNOTAVAIL))
	})

	It("refuses to leave a group twice", Label("JM-LV-33"), func(ctx SpecContext) {
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
		id.MustReachPort(ctx) // if the process dies, the kernel has something to clean up
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

	It("takes another scope or flow of an address of IPv6 for another membership", Label("JM-LV-28"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.Group{Addr: groupOfIPv6}
			id.MustAck(ctx, id.MustGetJoin(ctx, group))

			scope := id.LeaveAddr(ctx, group.WithScope(1))
			flow := id.LeaveAddr(ctx, group.WithFlowInfo(1))
			exact := id.Leave(ctx, group)

			rig.ObserveCall("scope_id", scope)
			rig.ObserveCall("flowinfo", flow)
			rig.ObserveCall("exact", exact)
			Expect(scope).To(FailWith(spec.EADDRNOTAVAIL))
			Expect(flow).To(FailWith(spec.EADDRNOTAVAIL))
			Expect(exact).To(ReturnZero())
		})

	It("takes the MGID of the event for another membership", Label("JM-LV-29"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		mgid := id.MustBeMember(ctx, group).UD.AH.GRH.DGID

		asIP := id.LeaveAddr(ctx, spec.NewSockaddr(netip.AddrFrom16(mgid), 0))
		asIB := id.LeaveAddr(ctx, spec.NewSockaddrIB(mgid))
		exact := id.Leave(ctx, group)

		rig.ObserveCall("sockaddr_in6", asIP)
		rig.ObserveCall("sockaddr_ib", asIB)
		rig.ObserveCall("exact", exact)
		Expect(asIP).To(FailWith(spec.EADDRNOTAVAIL), "as a sockaddr_in6")
		Expect(asIB).To(FailWith(spec.EADDRNOTAVAIL), "as a sockaddr_ib")
		Expect(exact).To(ReturnZero(), "control: the joined address leaves")
	})
})

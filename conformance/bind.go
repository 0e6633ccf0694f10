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

var _ = Describe("BIND: what must be bound before a join", func() {
	It("refuses a join on an id that was never bound", Label("JM-BIND-01"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)

		err := id.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses a join on an id bound to the wildcard address", Label("JM-BIND-02"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		id.MustBind(ctx, spec.NewSockaddr(netip.IPv4Unspecified(), 0))
		Expect(id.Read(ctx).HasVerbs).To(BeFalse(), "the wildcard address names no device")

		err := id.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses a join on an id bound to the loopback address", Label("JM-BIND-03"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		id.MustBind(ctx, spec.NewSockaddr(netip.MustParseAddr("127.0.0.1"), 0))
		Expect(id.Read(ctx).HasVerbs).To(BeFalse(), "the loopback address names no device")

		err := id.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("joins on an id bound to the address of a device", Label("JM-BIND-04"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()

		err := id.Join(ctx, group)

		rig.ObserveCall("join", err)
		Expect(err).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
	})

	It("joins on an id resolved from an explicit source, with no route to the group", Label("JM-BIND-05"),
		func(ctx SpecContext) {
			id := rig.UnboundID(ctx)
			group := rig.NewGroup()

			resolve := id.Resolve(ctx, id.Addr(ctx), group)

			expectJoinOnceResolved(ctx, id, group, resolve)
		})

	It("refuses at once to resolve a group with neither source nor route", Label("JM-BIND-06"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)

		err := id.Resolve(ctx, nil, rig.NewGroup())

		rig.ObserveCall("resolve", err)
		Expect(err).To(FailWith(spec.ENETUNREACH))
		_, noEvent := id.TryGetEvent(ctx)
		rig.ObserveCall("event", noEvent)
		Expect(noEvent).To(FailWith(spec.EAGAIN))
	})

	It("joins on an id resolved without a source when a route leads to the group", Label("JM-BIND-07"),
		func(ctx SpecContext) {
			rig.HostAt(0).MustRoute(ctx, netip.MustParsePrefix("224.0.0.0/4"))
			id := rig.UnboundID(ctx)
			group := rig.NewGroup()

			resolve := id.Resolve(ctx, nil, group)

			expectJoinOnceResolved(ctx, id, group, resolve)
		})

	It("refuses a join after rdma_resolve_route", Label("JM-BIND-08"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		group := rig.NewGroup()
		id.MustResolve(ctx, id.Addr(ctx), group)
		id.MustResolveRoute(ctx)

		err := id.Join(ctx, group)

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses a join on a listening id", Label("JM-BIND-09"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustBeMember(ctx, rig.NewGroup()) // control: before it listens, it joins
		Expect(id.Listen(ctx, id.Handle, 1)).To(ReturnZero())

		err := id.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses a join on an active endpoint, whose route is resolved", Label("JM-BIND-10"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		group := rig.NewGroup()
		endpoint, err := p.Endpoint(ctx, spec.EPAttr{
			PS: spec.PSUDP, QPType: spec.QPTypeUD, Src: p.Addr(ctx), Dst: group.Sockaddr(),
		})
		Expect(err).To(ReturnZero())

		join := endpoint.Join(ctx, group)

		rig.ObserveCall("join", join)
		Expect(join).To(FailWith(spec.EINVAL))
		p.BoundID(ctx).MustBeMember(ctx, group) // control: a bound id of the same process joins
	})

	It("may join on a passive endpoint, which has no QP of its own", Label("JM-BIND-11"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		attr := rig.UDAttr()
		endpoint, err := p.Endpoint(ctx, spec.EPAttr{
			Passive: true, PS: spec.PSUDP, QPType: spec.QPTypeUD, Src: p.Addr(ctx), QP: &attr,
		})
		Expect(err).To(ReturnZero())

		join := endpoint.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", join)
		Expect(spec.Outcome(join)).To(BeElementOf("0", "EINVAL"))
		state := endpoint.Read(ctx)
		Expect(state.HasVerbs).To(BeTrue(), "control: it is bound to a device")
		Expect(state.QP).To(Be("id->qp", spec.QP(0)))
	})

	It("may refuse a join while an address is being resolved", Label("JM-BIND-12"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		Expect(id.Resolve(ctx, id.Addr(ctx), rig.NewGroup())).To(ReturnZero())

		err := id.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", err)
		id.MustTakeEvent(ctx, spec.AddrResolved)
		Expect(spec.Outcome(err)).To(BeElementOf("0", "EINVAL"))
		rig.Control("JM-BIND-05", id.Join(ctx, rig.NewGroup()), "a join once the address is resolved")
	})

	It("joins a group of IPv4 on an id bound to an address of IPv6", Label("JM-BIND-13"), func(ctx SpecContext) {
		host := rig.HostAt(0)
		host.MustConfigure(ctx, spec.Change{AddAddr: &spec.NetdevAddr{Netdev: host.Port(ctx).Netdev, Prefix: uniqueLocal}})
		id := rig.UnboundID(ctx)
		id.MustBind(ctx, spec.NewSockaddr(uniqueLocal.Addr(), 0))
		group := rig.NewGroup()

		err := id.Join(ctx, group)

		rig.ObserveCall("join", err)
		Expect(err).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
	})

	It("binds no id twice, to no foreign address, and to nothing that is no address", Label("JM-BIND-14"),
		func(ctx SpecContext) {
			bound := rig.BoundID(ctx)
			unbound := bound.UnboundID(ctx, spec.PSUDP)

			second := bound.BindAddr(ctx, bound.Handle, bound.Addr(ctx))
			foreign := unbound.BindAddr(ctx, unbound.Handle, spec.NewSockaddr(documentation, 0))
			null := unbound.BindAddr(ctx, unbound.Handle, nil)
			family := unbound.BindAddr(ctx, unbound.Handle, spec.EmptySockaddr(spec.AFUnix))

			rig.ObserveCall("second", second)
			rig.ObserveCall("foreign", foreign)
			rig.ObserveCall("null", null)
			rig.ObserveCall("family", family)
			Expect(second).To(FailWith(spec.EINVAL))
			Expect(foreign).To(FailWith(spec.EADDRNOTAVAIL))
			Expect(null).To(FailWith(spec.EINVAL))
			Expect(family).To(FailWith(spec.EINVAL))
			unbound.MustBind(ctx, unbound.Addr(ctx)) // control: the refusals have left it unbound
		})

	It("resolves no group through a network device without an RDMA one", Label("JM-BIND-15"), func(ctx SpecContext) {
		rig.HostAt(0).MustRouteElsewhere(ctx)
		id := rig.UnboundID(ctx)
		group := rig.NewGroup()

		resolve := id.Resolve(ctx, nil, group)

		rig.ObserveCall("resolve", resolve)
		Expect(resolve).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		rig.Observe("status", rig.NameStatus(event.Status))
		Expect(event).To(BeFailure(spec.AddrError, spec.ENODEV))
		Expect(id.Read(ctx).HasVerbs).To(BeFalse(), "the id is bound to no device")
	})

	It("joins on the device of a given source, wherever the route leads", Label("JM-BIND-16"), func(ctx SpecContext) {
		host := rig.HostAt(0)
		host.MustRouteElsewhere(ctx)
		id := rig.UnboundID(ctx)
		group := rig.NewGroup()

		resolve := id.Resolve(ctx, id.Addr(ctx), group)

		expectJoinOnceResolved(ctx, id, group, resolve)
		users := fmt.Sprint(host.IGMPUsers(ctx, group))
		rig.Observe("igmp", users)
		Expect(users).To(Be("users of the group under the device", "[1]"))
	})

	It("joins for a VLAN when bound to the VLAN's address", Label("JM-BIND-17"), func(ctx SpecContext) {
		host := rig.HostAt(0)
		vlan, addr := host.MustAddVLAN(ctx)
		id := rig.UnboundID(ctx)
		id.MustBind(ctx, addr)
		group := rig.NewGroup()

		join := id.Join(ctx, group)

		rig.ObserveCall("join", join)
		Expect(join).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
		here, parent := fmt.Sprint(host.IGMPUsersOn(ctx, vlan, group)), fmt.Sprint(host.IGMPUsers(ctx, group))
		rig.Observe("vlan", here)
		rig.Observe("parent", parent)
		Expect(here).To(Be("users of the group on the VLAN", "[1]"))
		Expect(parent).To(Be("users of the group on its parent", "[0]"))
	})

	It("may refuse a join while the link is down", Label("JM-BIND-18"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		host := rig.HostAt(0)
		raise := host.MustConfigure(ctx, spec.Change{SetLink: &spec.LinkChange{Netdev: host.Port(ctx).Netdev}})

		ending, _ := id.JoinToItsEnd(ctx, rig.NewGroup().Sockaddr())

		rig.Observe("join", ending)
		Expect(ending).To(BeElementOf("MULTICAST_JOIN", "MULTICAST_ERROR", "ENETDOWN", "ENODEV"))
		raise(ctx)
		id.MustBeMember(ctx, rig.NewGroup()) // control: the id joins once the link is up again
	})

	It("refuses a join after a resolution that found no route", Label("JM-BIND-19"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		group := rig.NewGroup()
		Expect(id.Resolve(ctx, nil, group)).To(FailWith(spec.ENETUNREACH))

		join := id.Join(ctx, group)

		rig.ObserveCall("join", join)
		Expect(join).To(FailWith(spec.EINVAL))
		Expect(id.Read(ctx).HasVerbs).To(BeFalse(), "the id is bound to no device")
		id.BoundID(ctx).MustBeMember(ctx, group) // control: a bound id of the same process joins
	})

	It("may refuse to resolve a group from a source of another family", Label("JM-BIND-20"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		group := spec.NewSockaddr(groupOfIPv6, 0)

		mixed := id.ResolveAddr(ctx, id.Handle, id.Addr(ctx), group, 0)

		rig.ObserveCall("resolve", mixed)
		Expect(spec.Outcome(mixed)).To(BeElementOf("EINVAL", "EAFNOSUPPORT"))
		other := id.UnboundID(ctx, spec.PSUDP)
		other.MustResolve(ctx, id.Addr(ctx), rig.NewGroup()) // control: from a source of the group's own family
	})

	It("binds an id that was refused an address without a device", Label("JM-BIND-21"), func(ctx SpecContext) {
		elsewhere := rig.HostAt(0).MustAddElsewhere(ctx)
		id := rig.UnboundID(ctx)

		refused := id.BindAddr(ctx, id.Handle, elsewhere)
		bind := id.BindAddr(ctx, id.Handle, id.Addr(ctx))

		rig.ObserveCall("refused", refused)
		rig.ObserveCall("bind", bind)
		Expect(refused).To(FailWith(spec.ENODEV))
		Expect(bind).To(ReturnZero())
		id.MustBeMember(ctx, rig.NewGroup())
	})
})

// uniqueLocal is an address of IPv6 that no host of the suite has (RFC 4193).
var uniqueLocal = netip.MustParsePrefix("fd6a:6f69:6e6d::1/64")

// expectJoinOnceResolved expects that rdma_resolve_addr has answered 0, ADDR_RESOLVED follows, and the id then joins.
func expectJoinOnceResolved(ctx SpecContext, id *rig.ID, group rig.Group, resolve error) {
	GinkgoHelper()
	rig.ObserveCall("resolve", resolve)
	Expect(resolve).To(ReturnZero())
	id.MustTakeEvent(ctx, spec.AddrResolved)
	join := id.Join(ctx, group)
	rig.ObserveCall("join", join)
	Expect(join).To(ReturnZero())
	event := id.MustGetEvent(ctx)
	rig.Observe("event", event.Type.String())
	Expect(event).To(BeJoin(group.GID()))
}

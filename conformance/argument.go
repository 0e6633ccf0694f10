package conformance

import (
	"net/netip"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("ARG: the address of a join", func() {
	It("refuses a NULL address", Label("JM-ARG-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.JoinAddr(ctx, nil, rig.NewContext())

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses an address of any other family", Label("JM-ARG-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		for _, family := range []spec.Family{spec.AFUnspec, spec.AFUnix, spec.AFPacket} {
			err := id.JoinAddr(ctx, spec.EmptySockaddr(family), rig.NewContext())

			rig.ObserveCall(rig.NameFamily(family), err)
			Expect(err).To(FailWith(spec.EINVAL), family.String())
		}
	})

	It("looks at the address before the id: NULL for both is refused, not a crash", Label("JM-ARG-03"),
		func(ctx SpecContext) {
			p := rig.Start(ctx)

			join := p.JoinMulticast(ctx, 0, nil, rig.NewContext())
			leave := p.LeaveMulticast(ctx, 0, nil)

			rig.ObserveCall("join", join)
			rig.ObserveCall("leave", leave)
			Expect(join).To(FailWith(spec.EINVAL))
			Expect(leave).To(FailWith(spec.EINVAL))
			id := p.BoundID(ctx)
			id.MustReachPort(ctx) // control: the same process joins once both are good
		})

	It("may do anything when the id is NULL", Label("JM-ARG-04"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		Expect(p.JoinMulticast(ctx, 0, nil, rig.NewContext())).To(FailWith(spec.EINVAL),
			"control: the address is looked at first")

		err := p.Undefined().JoinMulticast(ctx, 0, rig.NewGroup().Sockaddr(), rig.NewContext())

		rig.ObserveCall("join", err)
		Expect(spec.Outcome(err)).To(BeElementOf("SIGSEGV", "SIGBUS", "EINVAL"))
	})

	It("keeps a copy of the address", Label("JM-ARG-05"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group) // the sockaddr of the join has been overwritten: the port promises it

		err := id.Leave(ctx, group)

		rig.ObserveCall("leave", err)
		Expect(err).To(ReturnZero())
	})

	It("gives the same group whatever the port number", Label("JM-ARG-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		plain := id.MustBeMember(ctx, group)

		err := id.JoinAddr(ctx, group.WithPort(7777), rig.NewContext())

		Expect(err).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
		Expect(event).To(BeJoin(plain.UD.AH.GRH.DGID))
	})

	It("may take the host's own unicast address for a group", Label("JM-ARG-07"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		ending, _ := id.JoinToItsEnd(ctx, id.Addr(ctx))

		rig.Observe("join", ending)
		Expect(ending).To(BeElementOf("MULTICAST_JOIN", "EINVAL"))
		id.MustBeMember(ctx, rig.NewGroup()) // control: the id joins a group of class D
	})

	It("tells no success of a unicast address that the id's QP cannot be attached to", Label("JM-ARG-08"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)

			ending, _ := id.JoinToItsEnd(ctx, id.Addr(ctx))

			rig.Observe("join", ending)
			Expect(ending).To(BeElementOf("MULTICAST_ERROR", "EINVAL"))
			id.MustBeMember(ctx, rig.NewGroup()) // control: the same id joins a group of class D
		})

	It("may take the host's own unicast address for a group that a QP is attached to on RoCEv1", Label("JM-ARG-09"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)

			ending, _ := id.JoinToItsEnd(ctx, id.Addr(ctx))

			rig.Observe("join", ending)
			Expect(ending).To(BeElementOf("MULTICAST_JOIN", "MULTICAST_ERROR", "EINVAL"))
			id.MustBeMember(ctx, rig.NewGroup()) // control: the same id joins a group of class D
		})

	It("takes a group of IPv6 on RoCEv1", Label("JM-ARG-15"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.Group{Addr: groupOfIPv6}

		join := id.Join(ctx, group)

		rig.ObserveCall("join", join)
		Expect(join).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
		Expect(event).To(BeJoin(groupOfIPv6.As16()))
	})

	It("refuses the zero address of every family on RoCE", Label("JM-ARG-10"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		for _, zero := range []spec.Sockaddr{
			spec.NewSockaddr(netip.IPv4Unspecified(), 0),
			spec.NewSockaddr(netip.IPv6Unspecified(), 0),
			spec.NewSockaddrIB(spec.GID{}),
		} {
			err := id.JoinAddr(ctx, zero, rig.NewContext())

			rig.ObserveCall(rig.NameFamily(zero.Family()), err)
			Expect(err).To(FailWith(spec.EINVAL), zero.Family().String())
		}
	})

	It("may take the loopback address for a group while the id has no QP", Label("JM-ARG-12"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		ending, event := id.JoinToItsEnd(ctx, loopback)

		rig.Observe("without_qp", ending)
		Expect(ending).To(BeElementOf("MULTICAST_JOIN", "EINVAL"))
		Expect(event.UD.AH.GRH.DGID).To(Be("dgid", spec.GID{}), "no group, whether refused or joined")
		id.MustBeMember(ctx, rig.NewGroup()) // control: the id joins a group of class D
	})

	It("attaches no QP for the loopback address", Label("JM-ARG-12"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)

		ending, _ := id.JoinToItsEnd(ctx, loopback)

		rig.Observe("with_qp", ending)
		Expect(ending).To(BeElementOf("MULTICAST_ERROR", "EINVAL"))
		id.MustBeMember(ctx, rig.NewGroup()) // control: the same id joins a group of class D
	})

	It("refuses an IPv6 group on RoCEv2 by an errno that programs know", Label("JM-ARG-13"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.JoinAddr(ctx, spec.NewSockaddr(groupOfIPv6, 0), rig.NewContext())

		expectNotSupported(ctx, id, err)
	})

	It("refuses an AF_IB address on RoCEv2 by an errno that programs know", Label("JM-ARG-14"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)

			err := id.JoinAddr(ctx, spec.NewSockaddrIB(spec.GID(groupOfIPv6.As16())), rig.NewContext())

			expectNotSupported(ctx, id, err)
		})

	It("joins 224.0.0.1 as any other group", Label("JM-ARG-16"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		allHosts := rig.Group{Addr: netip.MustParseAddr("224.0.0.1")}

		err := id.Join(ctx, allHosts)

		rig.ObserveCall("join", err)
		Expect(err).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(allHosts.GID()))
	})

	It("tells no success of the broadcast address, which no QP can be attached to", Label("JM-ARG-17"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)

			ending, _ := id.JoinToItsEnd(ctx, spec.NewSockaddr(netip.MustParseAddr("255.255.255.255"), 0))

			rig.Observe("join", ending)
			Expect(ending).To(BeElementOf("MULTICAST_ERROR", "EINVAL"))
			id.MustBeMember(ctx, rig.NewGroup()) // control: the same id joins a group of class D
		})

	It("refuses a join over a network device too small for any InfiniBand MTU", Label("JM-ARG-18"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustBeMember(ctx, rig.NewGroup()) // control: before the MTU falls, the id joins
			host := rig.HostAt(0)
			host.MustConfigure(ctx, spec.Change{
				SetMTU: &spec.MTUChange{Netdev: host.Port(ctx).Netdev, MTU: tooSmallMTU},
			})

			err := id.Join(ctx, rig.NewGroup())

			rig.ObserveCall("join", err)
			Expect(err).To(FailWith(spec.EINVAL))
		})

	It("refuses a v4-mapped group given as IPv6 like any IPv6 group", Label("JM-ARG-20"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		mapped := netip.AddrFrom16(rig.NewGroup().Addr.As16())

		err := id.JoinAddr(ctx, spec.NewSockaddr(mapped, 0), rig.NewContext())

		expectNotSupported(ctx, id, err)
	})

	It("may take an address of the net 0 for a group", Label("JM-ARG-21"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		ending, _ := id.JoinToItsEnd(ctx, spec.NewSockaddr(netip.MustParseAddr("0.1.2.3"), 0))

		rig.Observe("join", ending)
		Expect(ending).To(BeElementOf("MULTICAST_JOIN", "EINVAL"))
		zero := id.JoinAddr(ctx, spec.NewSockaddr(netip.IPv4Unspecified(), 0), rig.NewContext())
		Expect(zero).To(FailWith(spec.EINVAL), "control: the zero address itself is refused")
	})

	It("takes no AF_IB address where the kernel knows none", Label("JM-ARG-22"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		p.MustFailNext(ctx, spec.Write, writesBeforeProbe, spec.EINVAL) // librdmacm asks once, when it starts
		id := p.BoundID(ctx)
		address := spec.NewSockaddrIB(spec.GID(groupOfIPv6.As16()))
		p.MustFailNext(ctx, spec.Write, 0, spec.EIO) // whatever is written next fails

		join := id.JoinAddr(ctx, address, rig.NewContext())
		leave := id.LeaveAddr(ctx, address)

		written := id.Join(ctx, rig.NewGroup())
		rig.ObserveCall("join", join)
		rig.ObserveCall("leave", leave)
		Expect(join).To(FailWith(spec.EINVAL))
		Expect(leave).To(FailWith(spec.EINVAL))
		Expect(written).To(FailWith(spec.EIO), "control: neither call has written anything")
		id.MustReachPort(ctx) // control: a group of IPv4 is joined all the same
	})

	It("refuses a raw join whose family, size or flags are wrong", Label("JM-ARG-23"), func(ctx SpecContext) {
		id := rig.StartMischief(ctx).MustRawID(ctx)
		right := rig.NewRawJoin(rig.NewGroup())
		wrongFamily, wrongSize, wrongFlags := right, right, right
		wrongFamily.Addr = spec.EmptySockaddr(noFamily)
		wrongSize.Size = spec.SizeofSockaddrIn6
		wrongFlags.Flags = spec.SendOnlyMember + 1

		_, family := id.Join(ctx, wrongFamily)
		_, size := id.Join(ctx, wrongSize)
		_, flags := id.Join(ctx, wrongFlags)

		rig.ObserveCall("family", family)
		rig.ObserveCall("size", size)
		rig.ObserveCall("flags", flags)
		Expect(family).To(FailWith(spec.EINVAL))
		Expect(size).To(FailWith(spec.EINVAL))
		Expect(flags).To(FailWith(spec.EINVAL))
		_, control := id.Join(ctx, right)
		rig.MustHaveReachedPort(control) // nothing else was wrong
	})

	It("cannot attach a QP to what a unicast address was joined as", Label("JM-ARG-24"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		_, event := id.JoinToItsEnd(ctx, id.Addr(ctx))
		group := id.MustBeMember(ctx, rig.NewGroup())
		qp := id.MustCreateQP(ctx)

		unicast := qp.Attach(ctx, event.UD.AH.GRH.DGID, event.UD.AH.DLID)

		control := qp.Attach(ctx, group.UD.AH.GRH.DGID, group.UD.AH.DLID)
		rig.ObserveCall("unicast", unicast)
		rig.ObserveCall("group", control)
		Expect(unicast).To(ReturnErrno(spec.EINVAL))
		rig.Control("JM-ATT-03", control, "the same call on a group of class D")
	})

	It("makes the subnet administration choose a group when the address is zero", Label("JM-ARG-11"),
		func(ctx SpecContext) {
			for _, zero := range []spec.Sockaddr{
				spec.NewSockaddr(netip.IPv4Unspecified(), 0),
				spec.NewSockaddr(netip.IPv6Unspecified(), 0),
				spec.NewSockaddrIB(spec.GID{}),
			} {
				id := rig.BoundID(ctx)
				join := id.JoinAddr(ctx, zero, rig.NewContext())
				Expect(join).To(ReturnZero(), zero.Family().String())

				event := id.MustGetEvent(ctx)

				dgid := event.UD.AH.GRH.DGID
				rig.ObserveCall("join", join)
				rig.Observe("event", event.Type.String())
				rig.Observe("dgid", rig.NameSignature(dgid, rig.Group{}))
				Expect(event).To(BeEvent(spec.MulticastJoin))
				Expect(rig.NameSignature(dgid, rig.Group{})).To(Equal("assigned"), dgid.String())
			}
		})

	It("joins nothing while the host is no member of the IPoIB broadcast group", Label("JM-ARG-19"),
		func(ctx SpecContext) {
			id, host := rig.BoundID(ctx), rig.HostAt(0)
			id.MustBeMember(ctx, rig.NewGroup()) // control: while IPoIB is up, the id joins
			restore := host.MustConfigure(ctx, spec.Change{
				SetLink: &spec.LinkChange{Netdev: host.Port(ctx).Netdev, Up: false},
			})

			join := id.Join(ctx, rig.NewGroup())

			rig.ObserveCall("join", join)
			Expect(join).To(FailWith(spec.EADDRNOTAVAIL))
			restore(ctx)
			id.MustBeMember(ctx, rig.NewGroup()) // control: and once it is up again
		})
})

var (
	loopback    = spec.NewSockaddr(netip.MustParseAddr("127.0.0.1"), 0)
	groupOfIPv6 = netip.MustParseAddr("ff1e::1")
)

// writesBeforeProbe is how many commands librdmacm writes when it starts before it tries to bind an id to an AF_IB
// address: the one that makes this id.
const writesBeforeProbe = 1

// noFamily is a family that no kernel has.
const noFamily spec.Family = 0xffff

// tooSmallMTU leaves, without the headers of RoCEv2, less than the smallest InfiniBand MTU of 256 bytes.
const tooSmallMTU = 200

// expectNotSupported expects a join to have been refused with EOPNOTSUPP, and the same id to join an IPv4 group.
func expectNotSupported(ctx SpecContext, id *rig.ID, join error) {
	GinkgoHelper()
	rig.ObserveCall("join", join)
	id.MustBeMember(ctx, rig.NewGroup()) // control, whose event is the id's first
	Expect(join).To(FailWith(spec.EOPNOTSUPP))
}

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
			id.MustBeMember(ctx, rig.NewGroup()) // control: the same process joins once both are good
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
})

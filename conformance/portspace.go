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

var _ = Describe("PS: which port spaces may join", func() {
	It("lets a RDMA_PS_UDP id join", Label("JM-PS-01"), func(ctx SpecContext) {
		id := rig.Start(ctx).UnboundID(ctx, spec.PSUDP)
		id.MustBind(ctx, id.Addr(ctx))
		group := rig.NewGroup()

		err := id.Join(ctx, group)

		rig.ObserveCall("join", err)
		Expect(err).To(ReturnZero())
		Expect(id.MustGetEvent(ctx)).To(BeJoin(group.GID()))
	})

	It("refuses a join on a RDMA_PS_TCP id", Label("JM-PS-02"), func(ctx SpecContext) {
		id := rig.Start(ctx).UnboundID(ctx, spec.PSTCP)
		id.MustBind(ctx, id.Addr(ctx))

		err := id.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses a join on a RDMA_PS_IB id that rdma_create_id made", Label("JM-PS-03"), func(ctx SpecContext) {
		id := rig.Start(ctx).UnboundID(ctx, spec.PSIB)
		id.MustBind(ctx, id.Addr(ctx))

		err := id.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("has no group of any address on iWARP", Label("JM-PS-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		outcomes := map[string]bool{}
		for _, a := range []spec.Sockaddr{
			rig.NewGroup().Sockaddr(), rig.Group{Addr: groupOfIPv6}.Sockaddr(), id.Addr(ctx),
			spec.NewSockaddr(netip.IPv4Unspecified(), 0), spec.NewSockaddrIB(groupOfIPv6.As16()),
		} {
			join := id.JoinAddr(ctx, a, rig.NewContext())
			outcomes[spec.Outcome(join)] = true
			Expect(join).To(FailWith(spec.ENOSYS), a.String())
		}

		rig.Observe("join", rig.NameOutcomes(outcomes))
	})

	It("binds no RDMA_PS_IPOIB id to an Ethernet device, so that it cannot join", Label("JM-PS-04"),
		func(ctx SpecContext) {
			id := rig.Start(ctx).UnboundID(ctx, spec.PSIPoIB)

			bind := id.BindAddr(ctx, id.Handle, id.Addr(ctx))

			join := id.Join(ctx, rig.NewGroup())
			rig.ObserveCall("bind", bind)
			rig.ObserveCall("join", join)
			Expect(bind).To(FailWith(spec.EINVAL))
			Expect(join).To(FailWith(spec.EINVAL))
			id.BoundID(ctx) // control: an id of RDMA_PS_UDP binds to the same address
		})

	It("lets a RDMA_PS_IB endpoint of QP type UD join the group that RDMA_PS_UDP joins", Label("JM-PS-07"),
		func(ctx SpecContext) {
			p := rig.Start(ctx)
			endpoint, err := p.Endpoint(ctx, spec.EPAttr{
				Passive: true, PS: spec.PSIB, QPType: spec.QPTypeUD, Src: p.Addr(ctx),
			})
			Expect(err).To(ReturnZero())
			group := rig.NewGroup()
			udp := p.BoundID(ctx).MustBeMember(ctx, group)

			join := endpoint.Join(ctx, group)

			rig.ObserveCall("join", join)
			Expect(join).To(ReturnZero())
			event := endpoint.Read(ctx).Event
			Expect(event).NotTo(BeNil(), "id->event is there when the join returns")
			rig.Observe("event", event.Type.String())
			rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
			rig.Observe("qkey", fmt.Sprintf("%#x", event.UD.QKey))
			Expect(*event).To(BeJoin(udp.UD.AH.GRH.DGID))
			Expect(event.UD.QKey).To(Be("qkey", uint32(spec.UDPQKey)))
		})

	It("gives RDMA_PS_IPOIB the queue key of the broadcast group", Label("JM-PS-05"), func(ctx SpecContext) {
		id := rig.Start(ctx).BoundIDOf(ctx, spec.PSIPoIB)

		event := id.MustGetJoin(ctx, rig.NewGroup())

		rig.Observe("event", event.Type.String())
		rig.Observe("qkey", rig.NameZero(event.UD.QKey))
		Expect(event).To(BeEvent(spec.MulticastJoin))
		Expect(event.UD.QKey).NotTo(Be("qkey", uint32(0)))
		Expect(event.UD.QKey).NotTo(Be("qkey", uint32(spec.UDPQKey)), "that is RDMA_PS_UDP's own")
	})

	It("keeps the groups of RDMA_PS_UDP and of RDMA_PS_IPOIB apart on InfiniBand", Label("JM-PS-08"),
		func(ctx SpecContext) {
			p, group := rig.Start(ctx), rig.NewGroup()

			udp := p.BoundIDOf(ctx, spec.PSUDP).MustGetJoin(ctx, group)
			ipoib := p.BoundIDOf(ctx, spec.PSIPoIB).MustGetJoin(ctx, group)

			rig.Observe("udp", rig.NameSignature(udp.UD.AH.GRH.DGID, group))
			rig.Observe("ipoib", rig.NameSignature(ipoib.UD.AH.GRH.DGID, group))
			Expect(udp).To(BeEvent(spec.MulticastJoin))
			Expect(ipoib).To(BeEvent(spec.MulticastJoin))
			Expect(ipoib.UD.AH.GRH.DGID).NotTo(Be("dgid", udp.UD.AH.GRH.DGID))
			Expect(ipoib.UD.AH.DLID).NotTo(Be("dlid", udp.UD.AH.DLID))
		})

	It("refuses an unprivileged QP of RDMA_PS_IPOIB a privileged queue key, and no join", Label("JM-PS-09"),
		func(ctx SpecContext) {
			const privileged = 0x80010b1b // the top bit is what makes it one
			rig.HostAt(0).MustConfigure(ctx, spec.Change{SetSubnet: &spec.SubnetChange{QKey: privileged}})
			p := rig.StartMischief(ctx)
			p.MustSetEUID(ctx, nobody)
			id, group := p.BoundIDOf(ctx, spec.PSIPoIB), rig.NewGroup()

			_, create := id.CreateQP(ctx, id.Handle, rig.UDAttr())
			join := id.Join(ctx, group)

			rig.ObserveCall("create_qp", create)
			rig.ObserveCall("join", join)
			Expect(create).To(FailWith(spec.EPERM))
			Expect(join).To(ReturnZero())
			Expect(id.MustGetEvent(ctx)).To(BeJoin(group.GIDSigned(rig.IPoIBOfIPv4)))
			p.BoundID(ctx).MustCreateQP(ctx) // control: RDMA_PS_UDP has a queue key for everybody
		})
})

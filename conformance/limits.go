package conformance

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("LIM: the device's limits", func() {
	It("attaches max_mcast_qp_attach QPs to a group, and not one more", Label("JM-LIM-01"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		group := rig.NewGroup()
		qps := mustFillByHand(ctx, p, group)
		over := p.BoundID(ctx).MustCreateQP(ctx)

		attach := over.AttachTo(ctx, group)

		rig.ObserveCall("at_limit", qps[len(qps)-1].Probe(ctx, group))
		rig.ObserveCall("over_limit", attach)
		Expect(attach).To(ReturnErrno(spec.ENOMEM))
		rig.Control("JM-VRB-01", over.AttachTo(ctx, rig.NewGroup()), "the same QP attaches to another group")
	})

	It("has room for another QP once one is detached", Label("JM-LIM-02"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		group := rig.NewGroup()
		qps := mustFillByHand(ctx, p, group)
		over := p.BoundID(ctx).MustCreateQP(ctx)
		refused := over.AttachTo(ctx, group)
		rig.Control("JM-VRB-01", qps[0].DetachFrom(ctx, group), "one QP is detached")

		attach := over.AttachTo(ctx, group)

		next := qps[0].AttachTo(ctx, group)
		rig.ObserveCall("full", refused)
		rig.ObserveCall("attach", attach)
		rig.ObserveCall("next", next)
		Expect(refused).To(ReturnErrno(spec.ENOMEM), "control: the group is full")
		Expect(attach).To(ReturnZero())
		Expect(next).To(ReturnErrno(spec.ENOMEM), "there was room for one")
	})

	It("attaches to max_mcast_grp groups, and not to one more", Label("JM-LIM-03"), func(ctx SpecContext) {
		qp := rig.BoundID(ctx).MustCreateQP(ctx)
		groups, answers := attachToAllGroups(ctx, qp)

		over := qp.AttachTo(ctx, groups[len(groups)-1])

		rig.Observe("within_limit", rig.NameTallies(answers...))
		rig.ObserveCall("over_limit", over)
		Expect(rig.NameTallies(answers...)).To(Equal("0"), "every group within the limit")
		Expect(over).To(ReturnErrno(spec.ENOMEM))
		detachFromAllGroups(ctx, qp, groups)
	})

	It("has room for another group once one is free", Label("JM-LIM-04"), func(ctx SpecContext) {
		qp := rig.BoundID(ctx).MustCreateQP(ctx)
		groups, answers := attachToAllGroups(ctx, qp)
		over := groups[len(groups)-1]
		refused := qp.AttachTo(ctx, over)
		rig.Control("JM-LIM-03", qp.DetachFrom(ctx, groups[0]), "one group is free")

		attach := qp.AttachTo(ctx, over)

		next := qp.AttachTo(ctx, groups[0])
		rig.ObserveCall("full", refused)
		rig.ObserveCall("attach", attach)
		rig.ObserveCall("next", next)
		Expect(rig.NameTallies(answers...)).To(Equal("0"), "control: the groups within the limit")
		Expect(refused).To(ReturnErrno(spec.ENOMEM), "control: there is no group left")
		Expect(attach).To(ReturnZero())
		Expect(next).To(ReturnErrno(spec.ENOMEM), "there was room for one")
		detachFromAllGroups(ctx, qp, groups)
	})

	It("has room for another member's QP once one has left", Label("JM-LIM-06"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		group := rig.NewGroup()
		members := rig.MustFillGroup(ctx, p, group)
		late := p.BoundID(ctx)
		late.MustCreateQP(ctx)
		refused := late.MustGetJoin(ctx, group)
		late.MustAck(ctx, refused)
		late.MustLeave(ctx, group)
		members[0].ID().MustLeave(ctx, group)

		late.MustJoin(ctx, group)
		event := late.MustGetEvent(ctx)

		rig.Observe("full", refused.Type.String())
		rig.Observe("event", event.Type.String())
		Expect(refused).To(BeMulticastError(), "control: the group is full")
		Expect(event).To(BeJoin(group.GID()))
		for _, member := range members[1:] {
			rig.Control("JM-ATT-02", member.Probe(ctx, group), "the other members are attached as before")
		}
	})

	It("makes an id a member of more groups than a socket could join", Label("JM-LIM-08"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		groups := rig.NewGroups(64) // net.ipv4.igmp_max_memberships is 20
		for _, group := range groups {
			Expect(id.Join(ctx, group)).To(ReturnZero())
		}

		joined := map[spec.GID]bool{}
		for range groups {
			event := id.MustGetEvent(ctx)
			id.MustAck(ctx, event)
			Expect(event).To(BeEvent(spec.MulticastJoin))
			joined[event.UD.AH.GRH.DGID] = true
		}

		users := 0
		for _, n := range rig.HostAt(0).IGMPUsers(ctx, groups...) {
			users += n
		}
		rig.Observe("events", rig.NamePart(len(joined), len(groups)))
		rig.Observe("igmp", rig.NamePart(users, len(groups)))
		Expect(joined).To(HaveLen(len(groups)))
		Expect(users).To(Equal(len(groups)))
	})

	It("tells of a group for which the subnet has no MLID, and of the next one that there is room", Label("JM-LIM-07"),
		func(ctx SpecContext) {
			const mlids = 16
			id := rig.BoundID(ctx)
			rig.HostAt(0).MustConfigure(ctx, spec.Change{SetSubnet: &spec.SubnetChange{MLIDs: mlids}})
			groups := rig.NewGroups(mlids + 1)
			id.MustBeMember(ctx, groups[0]) // control: there is room for some
			var full spec.Event
			over := 0
			for full.Type != spec.MulticastError && over < mlids {
				over++
				full = id.MustGetJoin(ctx, groups[over])
				id.MustAck(ctx, full)
			}
			id.MustLeave(ctx, groups[over])
			id.MustLeave(ctx, groups[0])
			rig.HostAt(0).MustObserve(ctx) // the subnet may hear of a leave later than of the join that follows it

			again := id.MustGetJoin(ctx, groups[over])

			rig.Observe("event", full.Type.String())
			rig.Observe("status", rig.NameStatus(full.Status))
			rig.Observe("again", again.Type.String())
			Expect(full).To(BeFailure(spec.MulticastError, spec.EINVAL))
			Expect(again).To(BeJoin(groups[over].GID()))
		})
})

// mustFillByHand attaches as many QPs to a group as the device takes, each of an id of its own in p.
func mustFillByHand(ctx context.Context, p *rig.Process, group rig.Group) []*rig.QP {
	GinkgoHelper()
	var qps []*rig.QP
	for len(qps) == 0 || len(qps) < int(qps[0].ID().MustQueryDevice(ctx).MaxMcastQPAttach) {
		qp := p.BoundID(ctx).MustCreateQP(ctx)
		rig.Control("JM-VRB-01", qp.AttachTo(ctx, group), "a QP within the limit")
		qps = append(qps, qp)
	}
	return qps
}

// attachToAllGroups attaches a QP to as many groups as the device has. It gives one group more, the last, and what the
// attaches answered. The link is down for the spec: while it is up, a network device may program every address of its
// filter anew at each attach, which takes more time than a spec should.
func attachToAllGroups(ctx context.Context, qp *rig.QP) ([]rig.Group, []spec.Tally) {
	GinkgoHelper()
	limit := int(qp.ID().MustQueryDevice(ctx).MaxMcastGrp)
	Expect(limit).To(BeNumerically(">", 0), "control: the device has groups")
	host := rig.HostAt(0)
	host.MustConfigure(ctx, spec.Change{SetLink: &spec.LinkChange{Netdev: host.Port(ctx).Netdev, Up: false}})
	groups := rig.NewGroups(limit + 1)
	attach := rig.Sequence(func(s rig.Steps) {
		_ = s.AttachMulticast(ctx, qp.Handle, groups[0].GID(), groups[0].MLID())
		s.Advance()
	})
	return groups, qp.ID().MustRun(ctx, spec.Script{Rounds: limit, Sequences: [][]spec.Step{attach}})[0]
}

// detachFromAllGroups detaches a QP from whatever groups it is attached to.
func detachFromAllGroups(ctx context.Context, qp *rig.QP, groups []rig.Group) {
	GinkgoHelper()
	detach := rig.Sequence(func(s rig.Steps) {
		_ = s.DetachMulticast(ctx, qp.Handle, groups[0].GID(), groups[0].MLID())
		s.Advance()
	})
	qp.ID().MustRun(ctx, spec.Script{Rounds: len(groups), Sequences: [][]spec.Step{detach}})
}

package conformance

import (
	"context"
	"fmt"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

// both is the comp_mask that rdma_join_multicast_ex asks for: an address and flags.
const both = spec.JoinAttrAddress | spec.JoinAttrFlags

var _ = Describe("EX: rdma_join_multicast_ex", func() {
	It("refuses a comp_mask with a bit nobody knows", Label("JM-EX-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		for _, mask := range []uint32{4, 5, 6, both | 4, 8, 0xffffffff} {
			err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: mask, Addr: rig.NewGroup().Sockaddr()})

			rig.ObserveCall(fmt.Sprintf("mask_%#x", mask), err)
			Expect(err).To(FailWith(spec.ENOTSUP), "comp_mask %#x", mask)
		}
	})

	It("refuses a comp_mask that lacks the address", Label("JM-EX-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		for _, mask := range []uint32{0, spec.JoinAttrFlags} {
			err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: mask, Addr: rig.NewGroup().Sockaddr()})

			rig.ObserveCall(fmt.Sprintf("mask_%#x", mask), err)
			Expect(err).To(FailWith(spec.EINVAL), "comp_mask %#x", mask)
		}
	})

	It("refuses a comp_mask that lacks the join flags", Label("JM-EX-03"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: spec.JoinAttrAddress, Addr: rig.NewGroup().Sockaddr()})

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses join_flags of 2 and more, all 32 bits of it", Label("JM-EX-04"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		for _, flags := range []spec.JoinFlags{2, 3, 0x10000, 0x10001, 0xffffffff} {
			err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: flags, Addr: rig.NewGroup().Sockaddr()})

			rig.ObserveCall(fmt.Sprintf("flags_%#x", uint32(flags)), err)
			Expect(err).To(FailWith(spec.EINVAL), "join_flags %#x", uint32(flags))
		}
	})

	It("refuses a NULL address", Label("JM-EX-05"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: spec.FullMember})

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EINVAL))
	})

	It("refuses an unknown comp_mask before it looks at the address", Label("JM-EX-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both | 4})

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.ENOTSUP))
	})

	It("dereferences NULL attributes", Label("JM-EX-07"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		good := &spec.JoinAttr{CompMask: both, Addr: rig.NewGroup().Sockaddr()}
		rig.MustHaveReachedPort(id.JoinEx(ctx, good)) // the control; and a crash has something to clean up

		err := id.Undefined().JoinMulticastEx(ctx, id.Handle, nil, rig.NewContext())

		rig.ObserveCall("join", err)
		Expect(spec.Outcome(err)).To(BeElementOf("SIGSEGV", "SIGBUS", "EINVAL"))
	})

	It("joins and attaches as rdma_join_multicast does for a full member", Label("JM-EX-08"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: spec.FullMember, Addr: group.Sockaddr()})

		Expect(err).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
		probe := qp.Probe(ctx, group)
		rig.ObserveCall("probe", probe)
		Expect(probe).To(ReturnZero(), "the QP is attached")
	})

	It("attaches nothing for a send-only full member", Label("JM-EX-09"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()

		err := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: spec.SendOnlyMember, Addr: group.Sockaddr()})

		Expect(err).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
		probe := qp.Probe(ctx, group)
		rig.ObserveCall("probe", probe)
		Expect(probe).To(ReturnErrno(spec.EINVAL), "the QP is not attached")
		id.MustBeMember(ctx, control)
		rig.Control("JM-ATT-02", qp.Probe(ctx, control), "the same probe on a full membership")
	})

	It("sends no IGMP report for a send-only full member", Label("JM-EX-10"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()

		id.MustJoinEx(ctx, group, spec.SendOnlyMember)

		id.MustTakeJoin(ctx, group)
		id.MustBeMember(ctx, control)
		users := rig.HostAt(0).IGMPUsers(ctx, group, control)
		rig.Observe("send_only", strconv.Itoa(users[0]))
		rig.Observe("full", strconv.Itoa(users[1]))
		Expect(users[1]).To(Be("control: IGMP users of a full member's group", 1))
		Expect(users[0]).To(Be("IGMP users of the group", 0))
	})

	It("delivers nothing to a send-only member", Label("JM-EX-11"), func(ctx SpecContext) {
		group, sentinel := rig.NewGroup(), rig.NewGroup()
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		qp.MustPostRoom(ctx)
		witness := rig.HostAt(0).MustStart(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, sentinel)
		id.MustBeMember(ctx, sentinel)

		id.MustJoinEx(ctx, group, spec.SendOnlyMember)
		id.MustTakeJoin(ctx, group)

		sender.MustSend(ctx, group, "message", 0)
		sender.MustSend(ctx, sentinel, "sentinel", 0)
		seen, first := witness.MustReceive(ctx), qp.MustReceive(ctx)
		rig.Observe("full_member", string(seen.Data))
		rig.Observe("send_only", string(first.Data))
		Expect(seen).To(BeDatagram("message", 0), "control: a full member on the same host gets it")
		Expect(first).To(BeDatagram("sentinel", 0), "nothing of the group stands before it")
	})

	It("lets a send-only member send", Label("JM-EX-11"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.HostAt(1).MustStart(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(0).MustStart(ctx).MustSender(ctx, group)

		sender.MustSend(ctx, group, "message", 0)

		got := member.MustReceive(ctx)
		rig.Observe("sent", string(got.Data))
		Expect(got).To(BeDatagram("message", 0))
	})

	It("delivers nothing to a host whose full member has left, send-only member or not", Label("JM-EX-14"),
		func(ctx SpecContext) {
			group, sentinel := rig.NewGroup(), rig.NewGroup()
			id := rig.BoundID(ctx)
			qp := id.MustCreateQP(ctx)
			qp.MustPostRoom(ctx)
			id.MustBeMember(ctx, sentinel)
			id.MustBeMember(ctx, group)
			rig.HostAt(0).MustStart(ctx).MustSender(ctx, group)
			witness := rig.HostAt(1).MustStart(ctx).MustReceiver(ctx, group)
			sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, sentinel)
			sender.MustSend(ctx, group, "before", 0)
			rig.Observe("before", string(qp.MustReceive(ctx).Data))

			id.MustLeave(ctx, group)

			sender.MustSend(ctx, group, "message", 0)
			sender.MustSend(ctx, sentinel, "sentinel", 0)
			first := qp.MustReceive(ctx)
			rig.Observe("after", string(first.Data))
			Expect(witness.MustReceive(ctx)).To(BeDatagram("before", 0), "control: a member elsewhere gets the first")
			Expect(witness.MustReceive(ctx)).To(BeDatagram("message", 0), "control: and the second")
			Expect(first).To(BeDatagram("sentinel", 0), "nothing of the group stands before it")
		})

	It("lets a send-only member send when the host's full member has left", Label("JM-EX-14"),
		func(ctx SpecContext) {
			group := rig.NewGroup()
			id := rig.BoundID(ctx)
			id.MustBeMember(ctx, group)
			sender := rig.HostAt(0).MustStart(ctx).MustSender(ctx, group)
			member := rig.HostAt(1).MustStart(ctx).MustReceiver(ctx, group)

			id.MustLeave(ctx, group)

			sender.MustSend(ctx, group, "message", 0)
			got := member.MustReceive(ctx)
			rig.Observe("sent", string(got.Data))
			Expect(got).To(BeDatagram("message", 0))
		})

	It("never makes a send-only join a full one, where the kernel knows no flags", Label("JM-EX-15"),
		func(ctx SpecContext) {
			p := rig.StartMischief(ctx)
			p.MustRefuseAFIB(ctx)
			id := p.BoundID(ctx)
			group := rig.NewGroup()
			afIB := id.LeaveAddr(ctx, spec.EmptySockaddr(spec.AFIB))

			join := id.JoinEx(ctx, &spec.JoinAttr{
				CompMask: both, JoinFlags: spec.SendOnlyMember, Addr: group.Sockaddr(),
			})

			users := rig.HostAt(0).IGMPUsers(ctx, group)[0]
			rig.ObserveCall("join", join)
			rig.Observe("igmp", strconv.Itoa(users))
			Expect(afIB).To(FailWith(spec.EINVAL), "control: the library takes the kernel for one without AF_IB")
			Expect(users).To(Be("IGMP users of the group", 0))
			Expect(join).To(FailByConvention())
		})

	It("leaves a receiver's membership alone when a send-only member leaves", Label("JM-EX-16"),
		func(ctx SpecContext) {
			keepsReceiving(ctx, func(id *rig.ID, group rig.Group) { id.MustLeave(ctx, group) })
		})

	It("leaves a receiver's membership alone when a send-only member is destroyed", Label("JM-EX-16"),
		func(ctx SpecContext) {
			keepsReceiving(ctx, func(id *rig.ID, _ rig.Group) { id.MustDestroy(ctx) })
		})

	It("fails where the subnet manager has no send-only members", Label("JM-EX-12"), func(ctx SpecContext) {
		id, host, group := rig.BoundID(ctx), rig.HostAt(0), rig.NewGroup()
		host.MustConfigure(ctx, spec.Change{SetSubnet: &spec.SubnetChange{NoSendOnly: true}})

		join := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: spec.SendOnlyMember, Addr: group.Sockaddr()})

		told := "none"
		if join == nil {
			told = id.MustGetEvent(ctx).Type.String()
		}
		rig.ObserveCall("join", join)
		rig.Observe("event", told)
		Expect(spec.Outcome(join)).To(BeElementOf("EOPNOTSUPP", "0"))
		Expect(told).To(BeElementOf("none", "MULTICAST_ERROR"))
		id.MustBeMember(ctx, group) // control: a full member joins
	})

	It("goes to the subnet manager right after that has asked for a new registration", Label("JM-EX-13"),
		func(ctx SpecContext) {
			id, group := rig.BoundID(ctx), rig.NewGroup()
			rig.HostAt(0).MustInject(ctx, spec.Fault{SM: &spec.SMFault{Event: spec.ClientReregister}})

			join := id.JoinEx(ctx, &spec.JoinAttr{CompMask: both, JoinFlags: spec.SendOnlyMember, Addr: group.Sockaddr()})

			rig.ObserveCall("join", join)
			Expect(join).To(ReturnZero())
			event := id.MustGetEvent(ctx)
			rig.Observe("event", event.Type.String())
			Expect(event).To(BeJoin(group.GID()))
		})
})

// keepsReceiving wants a receiver's IGMP membership and its delivery to survive the end of a send-only member of the
// same group on the same host.
func keepsReceiving(ctx context.Context, end func(id *rig.ID, group rig.Group)) {
	GinkgoHelper()
	group, host := rig.NewGroup(), rig.HostAt(0)
	id := rig.BoundID(ctx)
	id.MustJoinEx(ctx, group, spec.SendOnlyMember)
	id.MustTakeJoin(ctx, group)
	users := host.IGMPUsers(ctx, group)
	receiver := host.MustStart(ctx).MustReceiver(ctx, group)
	users = append(users, host.IGMPUsers(ctx, group)...)
	sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)

	end(id, group)

	users = append(users, host.IGMPUsers(ctx, group)...)
	rig.Observe("users", fmt.Sprint(users))
	Expect(users[:2]).To(Equal([]int{0, 1}), "control: only the receiver is a member by IGMP")
	Expect(users[2]).To(Be("IGMP users after the send-only member's end", 1))
	sender.MustSend(ctx, group, "message", 0)
	got := receiver.MustReceive(ctx)
	rig.Observe("received", string(got.Data))
	Expect(got).To(BeDatagram("message", 0))
}

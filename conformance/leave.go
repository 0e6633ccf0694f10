package conformance

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("LV: leaving a group", func() {
	It("detaches the id's QP", Label("JM-LV-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		before := qp.Probe(ctx, group)

		leave := id.Leave(ctx, group)

		after := qp.Probe(ctx, group)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("before", before)
		rig.ObserveCall("after", after)
		rig.Control("JM-ATT-02", before, "the QP is attached before")
		Expect(leave).To(ReturnZero())
		Expect(after).To(ReturnErrno(spec.EINVAL), "the QP is not attached any more")
	})

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

	It("cancels the join when the event has not been retrieved", Label("JM-LV-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx) // the event is queued, so that its removal is what is seen

		leave := id.Leave(ctx, group)

		_, event := id.TryGetEvent(ctx)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("event", event)
		Expect(leave).To(ReturnZero())
		Expect(event).To(FailWith(spec.EAGAIN), "no event of the group is left")
	})

	It("cancels a join that may still be under way", Label("JM-LV-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, sentinel := rig.NewGroup(), rig.NewGroup()
		id.MustJoin(ctx, group)

		leave := id.Leave(ctx, group)

		rig.ObserveCall("leave", leave)
		Expect(leave).To(ReturnZero())
		id.MustJoin(ctx, sentinel)
		Expect(id.MustGetEvent(ctx)).To(BeJoin(sentinel.GID()), "the next event is the next join's")
	})

	It("waits until the membership's event is acknowledged", Label("JM-LV-07"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)
		event := id.MustGetEvent(ctx)

		expectLeaveAwaitsAck(ctx, id, group, event)
	})

	It("does not wait for the events of other groups", Label("JM-LV-09"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, other := rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, group)
		unacked := id.MustGetJoin(ctx, other)
		Expect(unacked).To(BeJoin(other.GID()), "control: an event of the other group is held")

		leave := id.Leave(ctx, group)

		rig.ObserveCall("leave", leave)
		Expect(leave).To(ReturnZero())
		id.MustAck(ctx, unacked)
		Expect(id.Leave(ctx, group)).To(FailWith(spec.EADDRNOTAVAIL), "control: the membership is over")
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

	It("keeps the QP attached until the last of two memberships is left", Label("JM-LV-11"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		id.MustBeMember(ctx, group)
		rig.Control("JM-ATT-02", qp.Probe(ctx, group), "the QP is attached before")

		first := id.Leave(ctx, group)
		between := qp.Probe(ctx, group)
		last := id.Leave(ctx, group)
		after := qp.Probe(ctx, group)

		rig.ObserveCall("first", first)
		rig.ObserveCall("between", between)
		rig.ObserveCall("last", last)
		rig.ObserveCall("after", after)
		Expect(first).To(ReturnZero())
		Expect(last).To(ReturnZero())
		Expect(after).To(ReturnErrno(spec.EINVAL), "the QP is not attached any more")
		Expect(between).To(ReturnZero(), "one membership is left, and the QP still attached")
	})

	It("leaves a QP alone whose user has detached it", Label("JM-LV-13"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		event := id.MustBeMember(ctx, group)
		detach := id.DetachMulticast(ctx, qp.Handle, group.GID(), event.UD.AH.DLID)

		leave := id.Leave(ctx, group)

		again := id.Leave(ctx, group)
		rig.ObserveCall("detach", detach)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("again", again)
		rig.Control("JM-ATT-02", detach, "the QP was attached")
		Expect(leave).To(ReturnZero())
		Expect(again).To(FailWith(spec.EADDRNOTAVAIL), "the membership is over")
	})

	It("leaves for an id whose QP has been detached and destroyed", Label("JM-LV-12"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		event := id.MustBeMember(ctx, group)
		rig.Control("JM-ATT-02", id.DetachMulticast(ctx, qp.Handle, group.GID(), event.UD.AH.DLID), "the QP was attached")
		id.MustDestroyQP(ctx)

		leave := id.Leave(ctx, group)

		again := id.Leave(ctx, group)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("again", again)
		Expect(leave).To(ReturnZero())
		Expect(again).To(FailWith(spec.EADDRNOTAVAIL), "the membership is over")
	})

	It("leaves a send-only membership and does not touch what was attached by hand", Label("JM-LV-14"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			qp := id.MustCreateQP(ctx)
			group, full := rig.NewGroup(), rig.NewGroup()
			id.MustJoinEx(ctx, group, spec.SendOnlyMember)
			event := id.MustTakeJoin(ctx, group)
			rig.Control("JM-ATT-03", qp.Attach(ctx, group.GID(), event.UD.AH.DLID), "the QP is attached by hand")
			id.MustBeMember(ctx, full)

			leave := id.Leave(ctx, group)

			probe := qp.Probe(ctx, group)
			rig.ObserveCall("leave", leave)
			rig.ObserveCall("probe", probe)
			Expect(leave).To(ReturnZero())
			Expect(probe).To(ReturnZero(), "the QP is still attached")
			id.MustLeave(ctx, full)
			Expect(qp.Probe(ctx, full)).To(ReturnErrno(spec.EINVAL), "control: the same probe after a full member's leave")
		})

	It("lets the group be joined again, time after time", Label("JM-LV-16"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		const cycles = 3
		for range cycles {
			id.MustBeMember(ctx, group)
			Expect(id.Leave(ctx, group)).To(ReturnZero())
		}

		join := id.Join(ctx, group)

		rig.ObserveCall("join", join)
		Expect(join).To(ReturnZero())
		event := id.MustGetEvent(ctx)
		rig.Observe("event", event.Type.String())
		Expect(event).To(BeJoin(group.GID()))
	})

	It("leaves the same group of another id alone", Label("JM-LV-17"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		id, other := p.BoundID(ctx), p.BoundID(ctx)
		qp := other.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		other.MustBeMember(ctx, group)
		rig.Control("JM-ATT-02", qp.Probe(ctx, group), "the other id's QP is attached before")

		id.MustLeave(ctx, group)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("other_id", probe)
		Expect(probe).To(ReturnZero(), "the other id's QP is still attached")
		other.MustLeave(ctx, group)
		Expect(qp.Probe(ctx, group)).To(ReturnErrno(spec.EINVAL), "control: the same probe after its own leave")
	})

	It("leaves the other groups of the same id alone", Label("JM-LV-17"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		older, group, newer := rig.NewGroup(), rig.NewGroup(), rig.NewGroup()
		for _, joined := range []rig.Group{older, group, newer} {
			id.MustBeMember(ctx, joined)
			rig.Control("JM-ATT-02", qp.Probe(ctx, joined), "the QP is attached before")
		}

		id.MustLeave(ctx, group)

		for _, other := range []rig.Group{older, newer} {
			probe := qp.Probe(ctx, other)
			rig.ObserveCall("other_group", probe)
			Expect(probe).To(ReturnZero(), "the QP is still attached to the other groups")
		}
		Expect(qp.Probe(ctx, group)).To(ReturnErrno(spec.EINVAL), "control: the same probe on the group left")
	})

	It("gives back one IGMP user a leave, and the last leave ends the host's membership", Label("JM-LV-18"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()
			host := rig.HostAt(0)
			id.MustBeMember(ctx, group)
			id.MustBeMember(ctx, group)
			joined := host.IGMPUsers(ctx, group)

			id.MustLeave(ctx, group)
			between := host.IGMPUsers(ctx, group)
			id.MustLeave(ctx, group)
			left := host.IGMPUsers(ctx, group)

			rig.Observe("joined", fmt.Sprint(joined))
			rig.Observe("between", fmt.Sprint(between))
			rig.Observe("left", fmt.Sprint(left))
			Expect(joined).To(Equal([]int{2}), "one user a join")
			Expect(between).To(Equal([]int{1}))
			Expect(left).To(Equal([]int{0}))
		})

	It("lets a datagram that is already received complete or not", Label("JM-LV-19"), func(ctx SpecContext) {
		group, other := rig.NewGroup(), rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group, other)
		witness := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, other)
		sender.MustSend(ctx, group, "received", 1)
		Expect(witness.MustReceive(ctx)).To(BeDatagram("received", 1), "control: the datagram has reached the host")

		leave := member.ID().Leave(ctx, group)

		sender.MustSend(ctx, other, "sentinel", 2)
		completed := rig.NamePayloads(member.MustReceiveUntil(ctx, "sentinel"), "received")
		rig.ObserveCall("leave", leave)
		rig.Observe("completed", completed)
		Expect(leave).To(ReturnZero())
		Expect(completed).To(BeElementOf("none", "received"))
	})

	It("delivers nothing that is sent after it", Label("JM-LV-20"), func(ctx SpecContext) {
		group, other := rig.NewGroup(), rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group, other)
		witness := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, other)
		sender.MustSend(ctx, group, "before", 1)
		Expect(member.MustReceive(ctx)).To(BeDatagram("before", 1), "control: the member receives before it leaves")
		Expect(witness.MustReceive(ctx)).To(BeDatagram("before", 1))

		leave := member.ID().Leave(ctx, group)

		sender.MustSend(ctx, group, "after", 2)
		sender.MustSend(ctx, other, "sentinel", 3)
		received := rig.NamePayloads(member.MustReceiveUntil(ctx, "sentinel"), "after")
		rig.ObserveCall("leave", leave)
		rig.Observe("received", received)
		Expect(witness.MustReceive(ctx)).To(BeDatagram("after", 2), "control: another member of the host receives it")
		Expect(leave).To(ReturnZero())
		Expect(received).To(Equal("none"))
	})

	It("detaches nothing before the event is retrieved", Label("JM-LV-21"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group, other, control := rig.NewGroup(), rig.NewGroup(), rig.NewGroup()
		for _, attached := range []rig.Group{group, other} {
			rig.Control("JM-VRB-01", qp.Attach(ctx, attached.GID(), 0), "the QP is attached by hand")
		}
		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx)

		leave := id.Leave(ctx, group)

		same, another := qp.Probe(ctx, group), qp.Probe(ctx, other)
		rig.ObserveCall("leave", leave)
		rig.ObserveCall("group", same)
		rig.ObserveCall("other_group", another)
		Expect(leave).To(ReturnZero())
		Expect(same).To(ReturnZero(), "the QP is still attached to the group")
		Expect(another).To(ReturnZero(), "the QP is still attached to the other group")
		Expect(qp.Probe(ctx, control)).To(ReturnErrno(spec.EINVAL), "control: the same probe on a group never attached")
	})

	It("waits until a MULTICAST_ERROR is acknowledged, too", Label("JM-LV-22"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)
		unicast := rig.Group{Addr: id.Addr(ctx).Addr()} // ibv_attach_mcast refuses it, rdma_join_multicast does not
		event := id.MustGetJoin(ctx, unicast)
		Expect(event).To(BeMulticastError(), "control: the event is an error")

		expectLeaveAwaitsAck(ctx, id, unicast, event)
	})

	It("is woken by its acknowledgement whatever is joined meanwhile", Label("JM-LV-25"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, other := rig.NewGroup(), rig.NewGroup()
		held := id.MustGetJoin(ctx, group)
		leaving := id.Begin(ctx, "rdma_leave_multicast", func(ctx context.Context) error {
			return id.Leave(ctx, group)
		})
		unacked := leaving.Settle(ctx)

		join := id.Join(ctx, other)
		event := id.MustGetEvent(ctx)
		id.MustAck(ctx, event)
		id.MustAck(ctx, held)

		leave := leaving.Result(ctx)
		rig.Observe("unacked", unacked)
		rig.ObserveCall("join", join)
		rig.ObserveCall("leave", leave)
		Expect(unacked).To(Equal("blocked"), "control: the leave waits while the other group is joined")
		Expect(join).To(ReturnZero())
		Expect(event).To(BeJoin(other.GID()))
		Expect(leave).To(ReturnZero())
	})

	It("takes one IGMP user off the group that is left, and changes no other", Label("JM-LV-27"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		id, other := p.BoundID(ctx), p.BoundID(ctx)
		group, neighbour := rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, group)
		id.MustBeMember(ctx, neighbour)
		other.MustBeMember(ctx, group)
		host := rig.HostAt(0)
		before := host.MustObserve(ctx)

		leave := id.Leave(ctx, group)

		change := rig.NameIGMPChange(before, host.MustObserve(ctx), group)
		rig.ObserveCall("leave", leave)
		rig.Observe("change", change)
		Expect(leave).To(ReturnZero())
		Expect(change).To(Equal("group -1"))
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

	It("takes no membership by IGMP away on RoCEv1, where its join has made none", Label("JM-LV-30"),
		func(ctx SpecContext) {
			host, id := rig.HostAt(0), rig.BoundID(ctx)
			everyHost := rig.Group{Addr: netip.MustParseAddr("224.0.0.1")}
			id.MustBeMember(ctx, everyHost)
			before := host.MustObserve(ctx)
			Expect(host.IGMPUsers(ctx, everyHost)).To(Equal([]int{1}), "control: every host is a member by itself")

			leave := id.Leave(ctx, everyHost)

			change := rig.NameIGMPChange(before, host.MustObserve(ctx), everyHost)
			rig.ObserveCall("leave", leave)
			rig.Observe("change", change)
			Expect(leave).To(ReturnZero())
			Expect(change).To(Be("the change of IGMP memberships", "none"))
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

	It("forgets a membership, or does not, when the kernel cannot be told", Label("JM-LV-15"), func(ctx SpecContext) {
		id := rig.StartMischief(ctx).BoundID(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		host := rig.HostAt(0)
		fd, err := id.SetFD(ctx, id.Channel, -1)
		Expect(err).NotTo(HaveOccurred())

		failed := id.Leave(ctx, group)

		_, err = id.SetFD(ctx, id.Channel, fd)
		Expect(err).NotTo(HaveOccurred())
		kept := host.IGMPUsers(ctx, group)
		again := id.Leave(ctx, group)
		id.MustDestroy(ctx)
		after := host.IGMPUsers(ctx, group)
		rig.ObserveCall("leave", failed)
		rig.ObserveCall("again", again)
		rig.Observe("kept", fmt.Sprint(kept))
		rig.Observe("destroyed", fmt.Sprint(after))
		Expect(failed).To(FailWith(spec.EBADF))
		Expect(spec.Outcome(again)).To(BeElementOf("EADDRNOTAVAIL", "0"))
		Expect(kept).To(Equal([]int{1}), "control: the kernel has not heard of the leave")
		Expect(after).To(Equal([]int{0}), "control: rdma_destroy_id ends what is left")
	})

	It("cannot be asked of the kernel for a membership that is not the file's", Label("JM-LV-23"),
		func(ctx SpecContext) {
			p := rig.StartMischief(ctx)
			own, other := p.MustRawID(ctx), p.MustRawID(ctx)
			handle := other.MustJoin(ctx, rig.NewRawJoin(rig.NewGroup()))
			const neverGiven = 0x7ffffff0

			unknown := own.Leave(ctx, neverGiven)
			foreign := own.Leave(ctx, handle)
			control := other.Leave(ctx, handle)

			rig.ObserveCall("unknown", unknown)
			rig.ObserveCall("foreign", foreign)
			Expect(control).To(ReturnZero(), "control: the file that joined can leave")
			Expect(unknown).To(FailWith(spec.ENOENT))
			Expect(spec.Outcome(foreign)).To(BeElementOf("EINVAL", "ENOENT"))
		})

	It("leaves the kernel's memory whole when handles are guessed while joins go on", Label("JM-LV-24"),
		func(ctx SpecContext) {
			p := rig.StartMischief(ctx)
			id := p.MustRawID(ctx)
			command := id.Command(rig.NewRawJoin(rig.NewGroup()))
			host := rig.HostAt(0)
			before := host.MustObserve(ctx)
			join := rig.Sequence(func(s rig.Steps) { _, _ = s.WriteRaw(ctx, id.File, command) })
			leave := rig.Sequence(func(s rig.Steps) {
				for guess := range uint32(4) { // the kernel gives the lowest handle that is free
					_, _ = s.WriteRaw(ctx, id.File, rig.RawLeave(guess))
				}
			})

			answers := p.MustRun(ctx, spec.Script{Rounds: 200, Sequences: [][]spec.Step{join, leave, leave}})

			guesses := slices.Concat(answers[1], answers[2])
			log := rig.NameLog(before, host.MustObserve(ctx))
			rig.Observe("joins", rig.NameTallies(answers[0]...))
			rig.Observe("log", log)
			Expect(rig.NameTallies(answers[0]...)).To(Equal("0"), "control: every join is made")
			Expect(rig.Successes(guesses...)).To(BeNumerically(">", 0), "control: some guesses are right")
			Expect(log).To(Equal("quiet"))
		})

	It("never waits for ever while joins, leaves and events of one id go on side by side", Label("JM-LV-26"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			Expect(id.SetNonblock(ctx, id.Channel, true)).To(ReturnZero())
			member := func(group rig.Group) []spec.Step {
				return rig.Sequence(func(s rig.Steps) {
					_ = s.JoinMulticast(ctx, id.Handle, group.Sockaddr(), 0)
					_ = s.LeaveMulticast(ctx, id.Handle, group.Sockaddr())
				})
			}
			reader := rig.Sequence(func(s rig.Steps) {
				for range 4 {
					event, _ := s.GetEvent(ctx, id.Channel)
					_ = s.AckEvent(ctx, event.Ref) // NULL when there was none
				}
			})

			answers := id.MustRun(ctx, spec.Script{
				Rounds:    250,
				Sequences: [][]spec.Step{member(rig.NewGroup()), member(rig.NewGroup()), reader, reader},
			})
			destroy := id.Destroy(ctx)

			members := slices.Concat(answers[0], answers[1])
			rig.Observe("calls", rig.NameTallies(members...))
			rig.ObserveCall("destroy", destroy)
			Expect(rig.NameTallies(members...)).To(Equal("0"), "every join and every leave")
			Expect(destroy).To(ReturnZero())
		})

	It("ends as many memberships as were joined when leaves of one address race", Label("JM-LV-31"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			const groups, joins, leavers = 100, 2, 3
			first := rig.NewGroups(groups)[0]
			join := rig.Sequence(func(s rig.Steps) {
				for range joins {
					_ = s.JoinMulticast(ctx, id.Handle, first.Sockaddr(), 0)
					s.Advance()
					event, _ := s.GetEvent(ctx, id.Channel)
					_ = s.AckEvent(ctx, event.Ref)
				}
			})
			leave := rig.Sequence(func(s rig.Steps) {
				_ = s.LeaveMulticast(ctx, id.Handle, first.Sockaddr())
				s.Advance()
			})
			joined := id.MustRun(ctx, spec.Script{Rounds: groups, Sequences: [][]spec.Step{join}})
			Expect(rig.NameTallies(joined[0]...)).To(Equal("0"), "control: every join is made and its event read")

			answers := id.MustRun(ctx, spec.Script{
				Rounds: groups, Sequences: slices.Repeat([][]spec.Step{leave}, leavers),
			})

			leaves := slices.Concat(answers...)
			rig.Observe("leaves", rig.NameTallies(leaves...))
			rig.Observe("successes", rig.NamePart(rig.Successes(leaves...), groups*joins))
			Expect(rig.NameTallies(leaves...)).To(Equal("0 EADDRNOTAVAIL"))
			Expect(rig.Successes(leaves...)).To(Equal(groups * joins))
			Expect(rig.HostAt(0).IGMPUsers(ctx, first)).To(Equal([]int{0}), "control: the kernel has left, too")
		})

	It("leaves no QP attached, though another thread retrieves the event meanwhile", Label("JM-LV-32"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			qp := id.MustCreateQP(ctx)
			control := rig.NewGroup()
			id.MustBeMember(ctx, control)
			rig.Control("JM-ATT-02", qp.Probe(ctx, control), "what is retrieved is attached")
			Expect(id.SetNonblock(ctx, id.Channel, true)).To(ReturnZero())
			const groups = 300
			firsts := []rig.Group{rig.NewGroups(groups)[0], rig.NewGroups(groups)[0]}
			reader := rig.Sequence(func(s rig.Steps) {
				for range 60 { // about as long as it takes to join and to leave
					event, _ := s.GetEvent(ctx, id.Channel)
					_ = s.AckEvent(ctx, event.Ref) // NULL when there was none
				}
			})
			sequences := [][]spec.Step{reader, reader}
			detach := rig.Sequence(func(s rig.Steps) {
				for _, first := range firsts {
					_ = s.DetachMulticast(ctx, qp.Handle, first.GID(), 0)
					s.Advance()
				}
			})
			for _, first := range firsts {
				sequences = append(sequences, rig.Sequence(func(s rig.Steps) {
					_ = s.JoinMulticast(ctx, id.Handle, first.Sockaddr(), 0)
					s.Advance()
					_ = s.LeaveMulticast(ctx, id.Handle, first.Sockaddr())
					s.Advance()
				}))
			}

			answers := id.MustRun(ctx, spec.Script{Rounds: groups, Sequences: sequences})

			detached := id.MustRun(ctx, spec.Script{Rounds: groups, Sequences: [][]spec.Step{detach}})[0]
			calls := rig.NameTallies(slices.Concat(answers[2:]...)...)
			rig.Observe("calls", calls)
			rig.Observe("detached", rig.NameTallies(detached...))
			Expect(calls).To(Equal("0"), "every join and every leave")
			Expect(rig.NameTallies(detached...)).To(Equal("EINVAL"), "the QP is attached to none of the groups")
		})
})

// expectLeaveAwaitsAck expects that leaving a group whose event is retrieved and not acknowledged blocks until it is.
func expectLeaveAwaitsAck(ctx SpecContext, id *rig.ID, group rig.Group, event spec.Event) {
	GinkgoHelper()
	leaving := id.Begin(ctx, "rdma_leave_multicast", func(ctx context.Context) error {
		return id.Leave(ctx, group)
	})
	unacked := leaving.Settle(ctx)
	id.MustAck(ctx, event)
	leave := leaving.Result(ctx)

	rig.Observe("unacked", unacked)
	rig.ObserveCall("leave", leave)
	Expect(unacked).To(Equal("blocked"), "nothing but the acknowledgement can wake it")
	Expect(leave).To(ReturnZero())
}

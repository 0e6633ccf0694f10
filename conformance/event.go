package conformance

import (
	"fmt"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("EVT: the event of a join", func() {
	It("comes exactly once for every join", Label("JM-EVT-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, sentinel := rig.NewGroup(), rig.NewGroup()

		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx) // whatever answers the first join is queued before the second join begins
		id.MustJoin(ctx, sentinel)

		first, second := id.MustGetEvent(ctx), id.MustGetEvent(ctx)
		rig.Observe("first", first.Type.String())
		rig.Observe("second", second.Type.String())
		Expect(first).To(BeJoin(group.GID()))
		Expect(second).To(BeJoin(sentinel.GID()), "no second event of the first join stands before it")
	})

	It("names the id, no listening id, and status 0", Label("JM-EVT-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)

		event := id.MustGetEvent(ctx)

		rig.Observe("id", rig.NameID(event.ID, id))
		rig.Observe("listen_id", rig.NameID(event.ListenID, id))
		rig.Observe("status", strconv.Itoa(event.Status))
		Expect(event).To(BeJoin(group.GID()))
		Expect(event.ID).To(Be("id", id.Handle))
		Expect(event.ListenID).To(Be("listen_id", spec.ID(0)))
	})

	It("brings each join its own context back, a NULL one too", Label("JM-EVT-03"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		context := rig.NewContext()
		id.MustJoinAs(ctx, rig.NewGroup(), context)
		id.MustJoinAs(ctx, rig.NewGroup(), 0)

		first, second := id.MustGetEvent(ctx), id.MustGetEvent(ctx)

		rig.Observe("context", rig.NameContext(first.UD.PrivateData, context))
		rig.Observe("null_context", rig.NameContext(second.UD.PrivateData, context))
		Expect(first).To(CarryContext(context))
		Expect(second).To(CarryContext(0))
	})

	It("gives the context no length", Label("JM-EVT-04"), func(ctx SpecContext) {
		event := rig.BoundID(ctx).MustGetJoin(ctx, rig.NewGroup())

		rig.Observe("private_data_len", strconv.Itoa(int(event.UD.PrivateDataLen)))
		Expect(event.UD.PrivateDataLen).To(Be("private_data_len", uint8(0)))
	})

	It("gives the multicast QP number to send to", Label("JM-EVT-05"), func(ctx SpecContext) {
		event := rig.BoundID(ctx).MustGetJoin(ctx, rig.NewGroup())

		rig.Observe("qp_num", fmt.Sprintf("%#x", event.UD.QPNum))
		Expect(event.UD.QPNum).To(Be("qp_num", uint32(spec.MulticastQPN)))
	})

	It("gives the queue key of RDMA_PS_UDP", Label("JM-EVT-06"), func(ctx SpecContext) {
		event := rig.BoundID(ctx).MustGetJoin(ctx, rig.NewGroup())

		rig.Observe("qkey", fmt.Sprintf("%#x", event.UD.QKey))
		Expect(event.UD.QKey).To(Be("qkey", uint32(spec.UDPQKey)))
	})

	It("gives the address to send to: global, the group's GID, the id's port", Label("JM-EVT-07"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()

			event := id.MustGetJoin(ctx, group)

			port := id.Read(ctx).PortNum
			rig.Observe("is_global", fmt.Sprint(event.UD.AH.IsGlobal))
			rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
			rig.Observe("port_num", rig.NamePort(event.UD.AH.PortNum, port))
			Expect(event.UD.AH.IsGlobal).To(Be("is_global", true))
			Expect(event.UD.AH.GRH.DGID).To(Be("dgid", group.GID()))
			Expect(event.UD.AH.PortNum).To(Be("port_num", port))
		})

	It("gives an address that ibv_create_ah takes", Label("JM-EVT-08"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		event := id.MustGetJoin(ctx, rig.NewGroup())

		ah, err := id.CreateAH(ctx, id.Handle, event.UD.AH)

		rig.ObserveCall("create_ah", err)
		Expect(err).To(ReturnZero())
		Expect(ah).NotTo(BeZero())
		Expect(id.DestroyAH(ctx, ah)).To(ReturnZero())
	})

	It("gives a hop limit that routers let pass where there are any", Label("JM-EVT-09"), func(ctx SpecContext) {
		want := map[spec.Transport]uint8{spec.RoCEv2: 64, spec.RoCEv1: 1}[rig.Transport()]

		event := rig.BoundID(ctx).MustGetJoin(ctx, rig.NewGroup())

		rig.Observe("hop_limit", strconv.Itoa(int(event.UD.AH.GRH.HopLimit)))
		Expect(event.UD.AH.GRH.HopLimit).To(Be("hop_limit", want))
	})

	It("leaves the fields that RoCE does not use zero", Label("JM-EVT-10"), func(ctx SpecContext) {
		event := rig.BoundID(ctx).MustGetJoin(ctx, rig.NewGroup())

		ah := event.UD.AH
		rig.Observe("dlid", rig.NameZero(ah.DLID))
		rig.Observe("sl", rig.NameZero(ah.SL))
		rig.Observe("traffic_class", rig.NameZero(ah.GRH.TrafficClass))
		rig.Observe("flow_label", rig.NameZero(ah.GRH.FlowLabel))
		Expect(event.Type).To(Be("the event", spec.MulticastJoin))
		Expect(ah.DLID).To(Be("dlid", uint16(0)))
		Expect(ah.SL).To(Be("sl", uint8(0)))
		Expect(ah.GRH.TrafficClass).To(Be("traffic_class", uint8(0)))
		Expect(ah.GRH.FlowLabel).To(Be("flow_label", uint32(0)))
	})

	It("carries the context in MULTICAST_ERROR too", Label("JM-EVT-11"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)
		context := rig.NewContext()
		id.MustJoinAs(ctx, id.Unattachable(ctx), context)

		event := id.MustGetEvent(ctx)

		rig.Observe("event", event.Type.String())
		rig.Observe("context", rig.NameContext(event.UD.PrivateData, context))
		Expect(event).To(BeMulticastError())
		Expect(event).To(CarryContext(context))
	})

	It("tells of a failed attach by its type and its status, in a call that returns 0", Label("JM-EVT-12"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)
			id.MustJoin(ctx, id.Unattachable(ctx))

			event, err := id.GetEvent(ctx)

			rig.ObserveCall("get", err)
			rig.Observe("event", event.Type.String())
			rig.Observe("status", strconv.Itoa(event.Status))
			Expect(err).To(ReturnZero())
			Expect(event).To(BeMulticastError())
			Expect(event.Status).NotTo(Be("status", 0))
		})

	It("may leave the reason of a failed attach in errno", Label("JM-EVT-13"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)
		id.MustJoin(ctx, id.Unattachable(ctx))

		event := id.MustGetEvent(ctx)

		rig.Observe("event", event.Type.String())
		rig.Observe("errno", event.Errno.Name())
		Expect(event).To(BeMulticastError(), "control: the attach failed")
		Expect(event.Errno.Name()).To(BeElementOf("0", "EINVAL"))
	})

	It("tells of a group that the kernel could not join by its type and its status", Label("JM-EVT-14"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			rig.HostAt(0).MustLoseAddr(ctx)
			context := rig.NewContext()
			id.MustJoinAs(ctx, rig.NewGroup(), context)

			event := id.MustGetEvent(ctx)

			rig.Observe("event", event.Type.String())
			rig.Observe("context", rig.NameContext(event.UD.PrivateData, context))
			rig.Observe("status", strconv.Itoa(event.Status))
			Expect(event).To(BeMulticastError())
			Expect(event).To(CarryContext(context))
			Expect(event.Status).NotTo(Be("status", 0))
		})

	It("may come in any order, once for each of many joins", Label("JM-EVT-15"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		joined := make([]spec.Context, 64)
		for i := range joined {
			joined[i] = rig.NewContext()
			id.MustJoinAs(ctx, rig.NewGroup(), joined[i])
		}

		told := make([]spec.Context, len(joined))
		for i := range told {
			told[i] = id.MustGetEvent(ctx).UD.PrivateData
		}

		rig.Observe("order", rig.NameOrder(told, joined))
		Expect(told).To(ConsistOf(joined), "control: each join's event came once")
		Expect(rig.NameOrder(told, joined)).To(BeElementOf("of the joins", "another"))
	})

	It("is not waited for on a channel with O_NONBLOCK", Label("JM-EVT-16"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)

		_, none := id.TryGetEvent(ctx)

		rig.Control("JM-BIND-05", id.Resolve(ctx, id.Addr(ctx), rig.NewGroup()), "a call with an event")
		id.AwaitEvent(ctx)
		_, one := id.TryGetEvent(ctx)
		rig.ObserveCall("none", none)
		rig.ObserveCall("one", one)
		Expect(none).To(FailWith(spec.EAGAIN))
		Expect(one).To(ReturnZero(), "control: an event that is there is given")
	})

	It("cannot be NULL when it is acknowledged", Label("JM-EVT-17"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustReachPort(ctx) // the control; and a crash has something to clean up

		ack := id.Undefined().AckEvent(ctx, 0)

		rig.ObserveCall("ack", ack)
		Expect(spec.Outcome(ack)).To(BeElementOf("EINVAL", "SIGSEGV", "SIGBUS"))
	})

	It("cannot be put nowhere", Label("JM-EVT-17"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		rig.Control("JM-BIND-05", id.Resolve(ctx, id.Addr(ctx), rig.NewGroup()), "a call with an event")
		id.AwaitEvent(ctx) // so that a call which does not look at its argument has an event to put there

		get := id.Undefined().GetNoEvent(ctx, id.Channel)

		rig.ObserveCall("get", get)
		Expect(spec.Outcome(get)).To(BeElementOf("EINVAL", "SIGSEGV", "SIGBUS"))
	})

	It("cannot be got from a NULL channel", Label("JM-EVT-18"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustReachPort(ctx) // the control; and a crash has something to clean up

		_, err := id.Undefined().GetEvent(ctx, 0)

		rig.ObserveCall("get", err)
		Expect(spec.Outcome(err)).To(BeElementOf("SIGSEGV", "SIGBUS", "EINVAL"))
	})

	It("comes once for each of many joins in flight, with its own context, when one of them fails",
		Label("JM-EVT-20"), func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)
			joined := make([]spec.Context, 10)
			for i := range joined {
				joined[i] = rig.NewContext()
			}
			const failing = 4
			for i, context := range joined {
				group := rig.NewGroup()
				if i == failing {
					group = id.Unattachable(ctx)
				}
				id.MustJoinAs(ctx, group, context)
			}

			var told, failed []spec.Context
			for range joined {
				event := id.MustGetEvent(ctx)
				told = append(told, event.UD.PrivateData)
				if event.Type == spec.MulticastError {
					failed = append(failed, event.UD.PrivateData)
				}
				id.MustAck(ctx, event)
			}

			id.MustLeaveAll(ctx)
			_, more := id.TryGetEvent(ctx)
			rig.Observe("errors", strconv.Itoa(len(failed)))
			rig.ObserveCall("more", more)
			Expect(told).To(ConsistOf(joined))
			Expect(failed).To(Equal(joined[failing:failing+1]), "the ERROR is the failed join's")
			Expect(more).To(FailWith(spec.EAGAIN), "no eleventh event is left")
		})

	It("is dropped when it is nobody's: its uid is 0", Label("JM-EVT-22"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		ch, file := p.MustShareRaw(ctx)
		nobody := rig.NewRawJoin(rig.NewGroup())
		nobody.UID = 0
		p.MustRawIDOn(ctx, file).MustJoin(ctx, nobody)
		Expect(p.PollChannel(ctx, ch)).To(ReturnZero(), "control: the event can be read")
		Expect(p.SetNonblock(ctx, ch, true)).To(ReturnZero())

		_, err := p.Undefined().GetEvent(ctx, ch)

		rig.ObserveCall("get", err)
		Expect(spec.Outcome(err)).To(BeElementOf("EAGAIN", "SIGSEGV"))
	})

	It("comes although the route is resolved before it is read", Label("JM-EVT-24"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		group, context := rig.NewGroup(), rig.NewContext()
		id.MustResolve(ctx, id.Addr(ctx), group)

		id.MustJoinAs(ctx, group, context)
		route := id.StartRoute(ctx)

		rig.ObserveCall("resolve_route", route)
		Expect(route).To(ReturnZero())
		events, err := id.GetEvents(ctx, 2)
		join := events[spec.MulticastJoin]
		rig.Observe("events", rig.NameTypes(events))
		rig.Observe("context", rig.NameContext(join.UD.PrivateData, context))
		Expect(err).To(ReturnZero(), "two events come")
		Expect(events).To(HaveKey(spec.RouteResolved), "control: the route's event comes too")
		Expect(join).To(BeJoin(group.GID()))
		Expect(join).To(CarryContext(context))
	})

	It("may name the group whose attach failed", Label("JM-EVT-25"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)
		group := id.Unattachable(ctx)
		id.MustJoin(ctx, group)

		event := id.MustGetEvent(ctx)

		rig.Observe("event", event.Type.String())
		rig.Observe("dgid", rig.NameGID(event.UD.AH.GRH.DGID, group))
		rig.Observe("qp_num", fmt.Sprintf("%#x", event.UD.QPNum))
		rig.Observe("qkey", fmt.Sprintf("%#x", event.UD.QKey))
		Expect(event).To(BeMulticastError(), "control: the attach failed")
		Expect(rig.NameGID(event.UD.AH.GRH.DGID, group)).To(BeElementOf("group", "zero"))
		Expect(event.UD.QPNum).To(BeElementOf(uint32(spec.MulticastQPN), uint32(0)))
		Expect(event.UD.QKey).To(BeElementOf(uint32(spec.UDPQKey), uint32(0)))
	})

	It("tells a member that its device goes, and lets it destroy its id", Label("JM-EVT-26"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustBeMember(ctx, rig.NewGroup())

		event, err := id.LoseDevice(ctx)

		rig.ObserveCall("get", err)
		rig.Observe("event", event.Type.String())
		rig.Observe("id", rig.NameID(event.ID, id))
		Expect(err).To(ReturnZero())
		Expect(event).To(BeEvent(spec.DeviceRemoval))
		Expect(event.ID).To(Be("id", id.Handle))
		id.MustAck(ctx, event)
		destroy := id.Destroy(ctx)
		rig.ObserveCall("destroy", destroy)
		Expect(destroy).To(ReturnZero())
	})

	It("is the last of an id whose device is gone: it joins no more, and may leave", Label("JM-EVT-27"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()
			id.MustBeMember(ctx, group)
			event := id.MustLoseDevice(ctx)

			join := id.Join(ctx, rig.NewGroup())
			leave := id.Leave(ctx, group)

			rig.Observe("event", event.Type.String())
			rig.ObserveCall("join", join)
			rig.ObserveCall("leave", leave)
			Expect(event).To(BeEvent(spec.DeviceRemoval), "control: the device is gone")
			Expect(spec.Outcome(join)).To(BeElementOf("ENXIO", "EINVAL"))
			Expect(spec.Outcome(leave)).To(BeElementOf("ENXIO", "EINVAL", "0"))
		})

	It("tells that a group is lost, whatever the subnet has lost it by", Label("JM-EVT-19"), func(ctx SpecContext) {
		for _, loss := range []spec.SMEvent{spec.ClientReregister, spec.LIDChange, spec.PKeyChange, spec.PortError} {
			id, group, context := rig.BoundID(ctx), rig.NewGroup(), rig.NewContext()
			id.MustJoinAs(ctx, group, context)
			id.MustTakeJoin(ctx, group)

			rig.HostAt(0).MustInject(ctx, spec.Fault{SM: &spec.SMFault{Event: loss}})

			event, err := id.GetEvent(ctx)
			Expect(err).To(ReturnZero(), string(loss))
			id.MustAck(ctx, event)
			leave := id.Leave(ctx, group)
			rig.Observe("event", event.Type.String())
			rig.Observe("context", rig.NameContext(event.UD.PrivateData, context))
			rig.Observe("status", rig.NameStatus(event.Status))
			rig.ObserveCall("leave", leave)
			Expect(event).To(BeMulticastError(), string(loss))
			Expect(event).To(CarryContext(context), string(loss))
			Expect(event.Status).To(BeNumerically("<", 0), string(loss))
			Expect(leave).To(ReturnZero(), string(loss))
			id.MustBeMember(ctx, group) // control: the group can be joined again
		}
	})

	It("tells what the subnet administration refuses", Label("JM-EVT-21"), func(ctx SpecContext) {
		const denied = 0x0700 // IBTA: ERR_REQ_DENIED
		expectTold(ctx, "refused", spec.SMFault{Refuse: denied})
	})

	It("tells what the subnet administration leaves unanswered", Label("JM-EVT-21"), func(ctx SpecContext) {
		expectTold(ctx, "unanswered", spec.SMFault{Silent: true})
	})
})

// expectTold expects a join that the subnet administration does not grant to begin all the same, and to end in
// MULTICAST_ERROR with a negative errno; field is where its status is recorded.
func expectTold(ctx SpecContext, field string, fault spec.SMFault) {
	GinkgoHelper()
	id := rig.BoundID(ctx)
	end := rig.HostAt(0).MustInject(ctx, spec.Fault{SM: &fault})

	join := id.Join(ctx, rig.NewGroup())

	rig.ObserveCall("join", join)
	Expect(join).To(ReturnZero())
	event, err := id.GetEvent(ctx)
	Expect(err).To(ReturnZero())
	rig.Observe(field, event.Type.String()+" "+rig.NameStatus(event.Status))
	Expect(event).To(BeMulticastError())
	Expect(event.Status).To(BeNumerically("<", 0))
	end(ctx)
	id.MustBeMember(ctx, rig.NewGroup()) // control: nothing else was wrong
}

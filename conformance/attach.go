package conformance

import (
	"math/bits"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("ATT: when a QP is attached", func() {
	It("attaches nothing before the event is retrieved", Label("JM-ATT-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		rig.MustKnowMLID(ctx, group) // so that the probe asks for the right one before it is told

		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx) // the kernel has answered and nobody has read it: an early attach would show by now
		before := qp.Probe(ctx, group)

		id.MustTakeJoin(ctx, group)
		after := qp.Probe(ctx, group)
		rig.ObserveCall("before", before)
		rig.ObserveCall("after", after)
		Expect(before).To(ReturnErrno(spec.EINVAL), "the QP is not attached before the event is read")
		rig.Control("JM-ATT-02", after, "the same probe once the event has been read")
	})

	It("has attached the id's QP when the event is retrieved", Label("JM-ATT-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()

		id.MustJoin(ctx, group)
		event := id.MustGetEvent(ctx)

		probe, never := qp.Probe(ctx, group), qp.Probe(ctx, control)
		rig.ObserveCall("probe", probe)
		Expect(event).To(BeJoin(group.GID()))
		Expect(probe).To(ReturnZero(), "the QP is attached")
		Expect(never).To(ReturnErrno(spec.EINVAL), "control: the same probe on a group never joined")
	})

	It("leaves an id without a QP to the caller, who attaches with the event's GID and LID", Label("JM-ATT-03"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()
			event := id.MustBeMember(ctx, group)
			qp := id.MustCreateQP(ctx)
			before := qp.Probe(ctx, group)

			attach := qp.Attach(ctx, event.UD.AH.GRH.DGID, event.UD.AH.DLID)

			after := qp.Probe(ctx, group)
			rig.ObserveCall("before", before)
			rig.ObserveCall("attach", attach)
			rig.ObserveCall("after", after)
			Expect(before).To(ReturnErrno(spec.EINVAL), "nothing is attached by itself")
			Expect(attach).To(ReturnZero())
			Expect(after).To(ReturnZero(), "the QP is attached")
		})

	It("attaches a QP created between the join and the retrieval", Label("JM-ATT-04"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()
		id.MustJoin(ctx, group)
		id.AwaitEvent(ctx)
		qp := id.MustCreateQP(ctx)

		event := id.MustGetEvent(ctx)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("probe", probe)
		Expect(event).To(BeJoin(group.GID()))
		Expect(probe).To(ReturnZero(), "the QP is attached")
		Expect(qp.Probe(ctx, control)).To(ReturnErrno(spec.EINVAL), "control: the same probe on a group never joined")
	})

	It("never attaches a QP created after the retrieval", Label("JM-ATT-05"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group, control := rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, group)

		qp := id.MustCreateQP(ctx)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("probe", probe)
		id.MustBeMember(ctx, control)
		Expect(probe).To(ReturnErrno(spec.EINVAL), "the QP is not attached")
		rig.Control("JM-ATT-02", qp.Probe(ctx, control), "the same probe on a group joined afterwards")
	})

	It("delivers the event of an id whose QP is gone, and attaches nothing", Label("JM-ATT-06"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)
			group := rig.NewGroup()
			id.MustJoin(ctx, group)
			id.AwaitEvent(ctx)
			id.MustDestroyQP(ctx)

			event := id.MustGetEvent(ctx)

			rig.Observe("event", event.Type.String())
			Expect(event).To(BeJoin(group.GID()))
			id.MustAck(ctx, event)
			leave := id.Leave(ctx, group)
			rig.ObserveCall("leave", leave)
			Expect(leave).To(ReturnZero())
		})

	It("keeps the membership when the attach fails, until it is left", Label("JM-ATT-07"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustCreateQP(ctx)
		unicast := id.Unattachable(ctx)
		id.MustJoin(ctx, unicast)
		event := id.MustGetEvent(ctx)
		id.MustAck(ctx, event)

		first, second := id.Leave(ctx, unicast), id.Leave(ctx, unicast)

		rig.Observe("event", event.Type.String())
		rig.ObserveCall("leave", first)
		rig.ObserveCall("second", second)
		Expect(event).To(BeMulticastError())
		Expect(first).To(ReturnZero())
		Expect(second).To(FailWith(spec.EADDRNOTAVAIL))
	})

	It("refuses the QP beyond the device's limit by MULTICAST_ERROR, and none before it", Label("JM-ATT-08"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()
			members := rig.MustFillGroup(ctx, id.Process, group)
			id.MustCreateQP(ctx)
			id.MustJoin(ctx, group)

			event := id.MustGetEvent(ctx)

			rig.Observe("event", event.Type.String())
			rig.Observe("errno", event.Errno.Name())
			for _, qp := range members {
				rig.Control("JM-ATT-02", qp.Probe(ctx, group), "a QP within the limit is attached")
			}
			Expect(event).To(BeMulticastError())
		})

	It("attaches a QP that the caller has attached already", Label("JM-ATT-09"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		by := qp.AttachTo(ctx, group)
		id.MustJoin(ctx, group)

		event := id.MustGetEvent(ctx)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("by_hand", by)
		rig.Observe("event", event.Type.String())
		rig.ObserveCall("probe", probe)
		Expect(by).To(ReturnZero(), "control: the attach by hand")
		Expect(event).To(BeJoin(group.GID()))
		Expect(probe).To(ReturnZero(), "the QP is attached")
	})

	It("keeps nothing of an attach that was refused for a limit", Label("JM-ATT-11"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		group := rig.NewGroup()
		members := rig.MustFillGroup(ctx, id.Process, group)
		qp := id.MustCreateQP(ctx)
		refused := qp.AttachTo(ctx, group)
		kept := qp.Probe(ctx, group)
		members[0].ID().MustLeave(ctx, group)

		again := qp.AttachTo(ctx, group)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("refused", refused)
		rig.ObserveCall("kept", kept)
		rig.ObserveCall("again", again)
		rig.ObserveCall("probe", probe)
		Expect(refused).To(ReturnErrno(spec.ENOMEM), "control: the group is full")
		Expect(kept).To(ReturnErrno(spec.EINVAL), "the QP is not attached")
		Expect(again).To(ReturnZero(), "there is room for one again")
		Expect(probe).To(ReturnZero(), "the QP is attached")
	})

	It("delivers nothing to a QP created after the retrieval, until the caller attaches it", Label("JM-ATT-13"),
		func(ctx SpecContext) {
			group, sentinel := rig.NewGroup(), rig.NewGroup()
			id := rig.BoundID(ctx)
			id.MustBeMember(ctx, group)
			qp := id.MustCreateQP(ctx)
			qp.MustPostRoom(ctx)
			id.MustBeMember(ctx, sentinel)
			witness := rig.HostAt(0).MustStart(ctx).MustReceiver(ctx, group)
			sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, sentinel)
			sender.MustSend(ctx, group, "before", 0)
			Expect(witness.MustReceive(ctx)).To(BeDatagram("before", 0), "control: it has reached the host")

			attach := qp.AttachTo(ctx, group)
			sender.MustSend(ctx, group, "attached", 0)
			attached := qp.MustReceive(ctx)
			leave := id.Leave(ctx, group)
			sender.MustSend(ctx, group, "left", 0)
			sender.MustSend(ctx, sentinel, "sentinel", 0)
			left := qp.MustReceive(ctx)

			rig.ObserveCall("attach", attach)
			rig.Observe("attached", string(attached.Data))
			rig.ObserveCall("leave", leave)
			rig.Observe("left", string(left.Data))
			Expect(attach).To(ReturnZero())
			Expect(attached).To(BeDatagram("attached", 0), "what was sent before the attach does not come")
			Expect(leave).To(ReturnZero())
			Expect(left).To(BeDatagram("sentinel", 0), "what was sent after the leave does not come")
		})

	It("delivers one copy to a QP attached by the join and by hand, and none after one detach", Label("JM-ATT-14"),
		func(ctx SpecContext) {
			group, sentinel := rig.NewGroup(), rig.NewGroup()
			id := rig.BoundID(ctx)
			qp := id.MustCreateQP(ctx)
			qp.MustPostRoom(ctx)
			id.MustBeMember(ctx, sentinel)
			id.MustBeMember(ctx, group)
			witness := rig.HostAt(0).MustStart(ctx).MustReceiver(ctx, group)
			sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, sentinel)

			again := qp.AttachTo(ctx, group)
			sender.MustSend(ctx, group, "attached", 0)
			sender.MustSend(ctx, sentinel, "sentinel", 0)
			first, second := qp.MustReceive(ctx), qp.MustReceive(ctx)
			detach := qp.DetachFrom(ctx, group)
			sender.MustSend(ctx, group, "detached", 0)
			sender.MustSend(ctx, sentinel, "second sentinel", 0)
			third := qp.MustReceive(ctx)
			leave := id.Leave(ctx, group)

			rig.ObserveCall("again", again)
			rig.Observe("first", string(first.Data))
			rig.Observe("second", string(second.Data))
			rig.ObserveCall("detach", detach)
			rig.Observe("third", string(third.Data))
			rig.ObserveCall("leave", leave)
			Expect(again).To(ReturnZero())
			Expect(first).To(BeDatagram("attached", 0))
			Expect(second).To(BeDatagram("sentinel", 0), "no second copy stands before it")
			Expect(detach).To(ReturnZero())
			Expect(witness.MustReceive(ctx)).To(BeDatagram("attached", 0), "control: a member beside it gets the first")
			Expect(witness.MustReceive(ctx)).To(BeDatagram("detached", 0), "control: and the second")
			Expect(third).To(BeDatagram("second sentinel", 0), "what was sent after the detach does not come")
			Expect(leave).To(ReturnZero())
		})

	It("is undefined while another thread destroys the QP: it ends, or the process does", Label("JM-ATT-10"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()
			member := rig.Sequence(func(s rig.Steps) {
				_ = s.JoinMulticast(ctx, id.Handle, group.Sockaddr(), 0)
				event, _ := s.GetEvent(ctx, id.Channel)
				_ = s.AckEvent(ctx, event.Ref)
				_ = s.LeaveMulticast(ctx, id.Handle, group.Sockaddr())
			})
			qps := rig.Sequence(func(s rig.Steps) {
				_, _ = s.CreateQP(ctx, id.Handle, rig.UDAttr())
				_ = s.DestroyQP(ctx, id.Handle)
			})
			const rounds = 20
			alone := id.MustRun(ctx, spec.Script{Rounds: rounds, Sequences: [][]spec.Step{member}})
			rig.Observe("alone", rig.NameTallies(alone[0]...))
			Expect(rig.NameTallies(alone[0]...)).To(Equal("0"), "control: without a QP every call succeeds")

			together, err := id.Undefined().Script(ctx, spec.Script{
				Rounds: rounds, Sequences: [][]spec.Step{member, qps},
			})

			outcome := rig.NameAllowed(err, "0", "SIGSEGV", "SIGBUS", "SIGABRT")
			rig.Observe("together", outcome)
			Expect(outcome).To(Equal("allowed"))
			Expect([]string{"MULTICAST_JOIN", "MULTICAST_ERROR"}).To(ContainElements(rig.EventsOf(together)))
		})

	It("takes the LID of MULTICAST_JOIN as it is, and not with its bytes swapped", Label("JM-ATT-12"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			ah := id.MustBeMember(ctx, rig.NewGroup()).UD.AH
			qp := id.MustCreateQP(ctx)

			swapped := qp.Attach(ctx, ah.GRH.DGID, bits.ReverseBytes16(ah.DLID))
			told := qp.Attach(ctx, ah.GRH.DGID, ah.DLID)

			rig.ObserveCall("swapped", swapped)
			rig.ObserveCall("as_told", told)
			Expect(swapped).To(ReturnErrno(spec.EINVAL))
			Expect(told).To(ReturnZero())
		})
})

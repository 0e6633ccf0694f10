package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("DST: destroying", func() {
	It("leaves all groups of a destroyed id", Label("JM-DST-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		groups := []rig.Group{rig.NewGroup(), rig.NewGroup()}
		for _, group := range groups {
			id.MustBeMember(ctx, group)
		}
		host := rig.HostAt(0)
		before := host.IGMPUsers(ctx, groups...)

		destroy := id.Destroy(ctx)

		after := host.IGMPUsers(ctx, groups...)
		rig.ObserveCall("destroy", destroy)
		rig.Observe("before", fmt.Sprint(before))
		rig.Observe("after", fmt.Sprint(after))
		Expect(destroy).To(ReturnZero())
		Expect(before).To(Equal([]int{1, 1}), "control: the host was a member of both groups")
		Expect(after).To(Equal([]int{0, 0}))
	})

	It("waits until the id's multicast events are acknowledged", Label("JM-DST-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		id.MustJoin(ctx, rig.NewGroup())
		event := id.MustGetEvent(ctx)

		destroying := id.Begin(ctx, "rdma_destroy_id", id.Destroy)
		unacked := destroying.Settle(ctx)
		id.MustAck(ctx, event)
		destroy := destroying.Result(ctx)

		rig.Observe("unacked", unacked)
		rig.ObserveCall("destroy", destroy)
		Expect(unacked).To(Equal("blocked"), "nothing but the acknowledgement can wake it")
		Expect(destroy).To(ReturnZero())
	})

	It("is clean in the order acknowledge, leave, destroy the QP, destroy the id", Label("JM-DST-06"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)
			group := rig.NewGroup()
			id.MustJoin(ctx, group)
			event := id.MustGetEvent(ctx)
			Expect(event).To(BeJoin(group.GID()))

			ack := id.Ack(ctx, event)
			leave := id.Leave(ctx, group)
			destroyQP := id.DestroyOwnQP(ctx)
			state := id.Read(ctx)
			destroyID := id.Destroy(ctx)

			rig.ObserveCall("ack", ack)
			rig.ObserveCall("leave", leave)
			rig.ObserveCall("destroy_qp", destroyQP)
			rig.ObserveCall("destroy_id", destroyID)
			Expect(ack).To(ReturnZero())
			Expect(leave).To(ReturnZero())
			Expect(destroyQP).To(ReturnZero())
			Expect(state.QP).To(Be("id->qp", spec.QP(0)))
			Expect(destroyID).To(ReturnZero())
		})

	It("leaves the QP of a destroyed id attached, or detaches it", Label("JM-DST-03"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		rig.Control("JM-ATT-02", qp.Probe(ctx, group), "the QP is attached before")

		destroy := id.Destroy(ctx)

		probe := id.DetachMulticast(ctx, qp.Handle, group.GID(), group.MLID())
		destroyQP := id.IBVDestroyQP(ctx, qp.Handle)
		rig.ObserveCall("destroy", destroy)
		rig.ObserveCall("probe", probe)
		Expect(destroy).To(ReturnZero())
		Expect(spec.Outcome(probe)).To(BeElementOf("0", "EINVAL"))
		Expect(destroyQP).To(ReturnZero(), "control: the QP has outlived its id")
	})

	It("refuses to destroy a QP that is attached", Label("JM-DST-04"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)

		destroy := id.IBVDestroyQP(ctx, qp.Handle)

		probe := qp.Probe(ctx, group)
		rig.ObserveCall("destroy", destroy)
		rig.ObserveCall("probe", probe)
		Expect(destroy).To(ReturnErrno(spec.EBUSY))
		Expect(probe).To(ReturnZero(), "the QP is still there, and attached")
	})

	It("loses an attached QP, or destroys it", Label("JM-DST-05"), func(ctx SpecContext) {
		host := rig.HostAt(0)
		before := host.MustObserve(ctx).Resources["qp"]
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustBeMember(ctx, group)
		rig.Control("JM-ATT-02", qp.Probe(ctx, group), "the QP is attached before")

		destroy := id.DestroyOwnQP(ctx)

		state := id.Read(ctx)
		left := host.MustObserve(ctx).Resources["qp"] - before
		rig.ObserveCall("destroy", destroy)
		rig.Observe("qps_left", fmt.Sprint(left))
		Expect(destroy).To(ReturnZero())
		Expect(state.QP).To(Be("id->qp", spec.QP(0)), "control: the id knows of no QP any more")
		Expect(left).To(BeElementOf(0, 1))
	})

	It("ends the memberships of a process that is killed", Label("JM-DST-07"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		id := p.BoundID(ctx)
		read, unread := rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, read)
		id.MustJoin(ctx, unread)
		host := rig.HostAt(0)
		before := host.IGMPUsers(ctx, read, unread)

		p.MustKill(ctx)

		after := host.IGMPUsers(ctx, read, unread)
		rig.Observe("before", fmt.Sprint(before))
		rig.Observe("after", fmt.Sprint(after))
		Expect(before).To(Equal([]int{1, 1}), "control: the host was a member of both groups")
		Expect(after).To(Equal([]int{0, 0}))
	})

	It("destroys a QP that has received a hundred multicast datagrams", Label("JM-DST-14"), func(ctx SpecContext) {
		group := rig.NewGroup()
		p := rig.Start(ctx)
		member, sender := p.MustReceiver(ctx, group), p.MustSender(ctx, group)
		ah, err := p.CreateAH(ctx, sender.ID().Handle, sender.Towards(group.GID()))
		Expect(err).NotTo(HaveOccurred())
		datagram := rig.ToMembers([]byte("datagram"))
		datagram.AH = ah
		receive := rig.Sequence(func(s rig.Steps) {
			_ = s.PostSend(ctx, sender.Handle, datagram)
			_, _ = s.WaitCompletion(ctx, sender.Handle, spec.SendQueue)
			_, _ = s.WaitCompletion(ctx, member.Handle, spec.RecvQueue)
			_ = s.PostRecv(ctx, member.Handle, spec.RecvWR{Size: spec.GRHBytes + uint32(len(datagram.Data))})
		})
		received := p.MustRun(ctx, spec.Script{Rounds: 100, Sequences: [][]spec.Step{receive}})[0]
		Expect(p.DestroyAH(ctx, ah)).To(ReturnZero())
		member.ID().MustLeave(ctx, group)
		host := rig.HostAt(0)
		before := host.MustObserve(ctx).Resources["qp"]

		destroy := member.ID().DestroyOwnQP(ctx)

		change := host.MustObserve(ctx).Resources["qp"] - before
		rig.ObserveCall("destroy", destroy)
		rig.Observe("qps", fmt.Sprintf("%+d", change))
		Expect(rig.NameTallies(received...)).To(Equal("0"), "control: every datagram is received")
		Expect(destroy).To(ReturnZero())
		Expect(change).To(Equal(-1), "the QP is gone")
	})

	It("ends what was never left, whatever was left before", Label("JM-DST-15"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		kept, left, unread := rig.NewGroup(), rig.NewGroup(), rig.NewGroup()
		id.MustBeMember(ctx, kept)
		id.MustBeMember(ctx, left)
		id.MustLeave(ctx, left)
		id.MustJoin(ctx, unread)
		host := rig.HostAt(0)
		before := host.IGMPUsers(ctx, kept, left, unread)

		destroy := id.Destroy(ctx)

		after := host.IGMPUsers(ctx, kept, left, unread)
		rig.ObserveCall("destroy", destroy)
		rig.Observe("before", fmt.Sprint(before))
		rig.Observe("after", fmt.Sprint(after))
		Expect(destroy).To(ReturnZero())
		Expect(before).To(Equal([]int{1, 0, 1}), "a membership lasts until it is left or its id destroyed")
		Expect(after).To(Equal([]int{0, 0, 0}))
	})

	It("leaves nothing of a destroyed id to a leave of another one beside it", Label("JM-DST-08"), func(ctx SpecContext) {
		leaves, destroys, _ := raceLeaveAgainstDestroy(ctx)

		rig.Observe("leaves", rig.NameTallies(leaves...))
		rig.Observe("destroys", rig.NameTallies(destroys...))
		Expect(rig.NameTallies(leaves...)).To(Equal("0"))
		Expect(rig.NameTallies(destroys...)).To(Equal("0"))
	})

	It("leaves the kernel's memory whole when another id leaves beside it", Label("JM-DST-09"), func(ctx SpecContext) {
		leaves, destroys, log := raceLeaveAgainstDestroy(ctx)

		rig.Observe("log", log)
		Expect(rig.NameTallies(slices.Concat(leaves, destroys)...)).To(Equal("0"), "control: the calls are made")
		Expect(log).To(Equal("quiet"))
	})

	It("succeeds right after a join, a thousand times, and no event follows", Label("JM-DST-10"), func(ctx SpecContext) {
		answers, _ := destroyRightAfterJoin(ctx, 1000)

		create, bind, join, destroy, event := answers[0], answers[1], answers[2], answers[3], answers[4]
		rig.Observe("destroys", rig.NameTallies(destroy))
		rig.Observe("events", rig.NameTallies(event))
		Expect(rig.NameTallies(create, bind, join)).To(Equal("0"), "control: every join is made")
		Expect(rig.NameTallies(destroy)).To(Equal("0"))
		Expect(rig.NameTallies(event)).To(Equal("EAGAIN"), "there is no event to read")
	})

	It("holds neither the address nor the device back", Label("JM-DST-11"), func(ctx SpecContext) {
		answers, p := destroyRightAfterJoin(ctx, 100)
		p.MustKill(ctx)
		host := rig.HostAt(0)
		port := host.Port(ctx)
		before := host.MustObserve(ctx)

		addAgain := host.MustConfigure(ctx, spec.Change{DelAddr: &spec.NetdevAddr{
			Netdev: port.Netdev, Prefix: port.Addrs[0],
		}})
		addAgain(ctx)
		restore := host.MustRemoveDevices(ctx)
		restore(ctx)

		log := rig.NameLog(before, host.MustObserve(ctx))
		rig.Observe("log", log)
		Expect(rig.NameTallies(answers[2:4]...)).To(Equal("0"), "control: every join is made, and its id destroyed")
		Expect(log).To(Equal("quiet"))
	})

	It("keeps no memory of memberships that were never left", Label("JM-DST-12"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		p.BoundID(ctx).MustDestroy(ctx) // what the library gets once is got now
		before := p.MustCountAllocations(ctx)
		p.BoundID(ctx).MustDestroy(ctx)
		channel := p.MustCountAllocations(ctx) - before // which outlives the id
		id := p.BoundID(ctx)
		without := p.MustCountAllocations(ctx)
		const groups = 3
		for range groups {
			id.MustBeMember(ctx, rig.NewGroup())
		}
		records := p.MustCountAllocations(ctx) - without

		destroy := id.Destroy(ctx)

		kept := p.MustCountAllocations(ctx) - before - 2*channel
		rig.ObserveCall("destroy", destroy)
		rig.Observe("kept", rig.NamePart(kept, records))
		Expect(destroy).To(ReturnZero())
		Expect(records).To(BeNumerically(">=", groups), "control: the library keeps something of each membership")
		Expect(kept).To(BeZero())
	})

	It("leaves no QP of a destroyed endpoint behind", Label("JM-DST-13"), func(ctx SpecContext) {
		host := rig.HostAt(0)
		before := host.MustObserve(ctx).Resources["qp"]
		p := rig.Start(ctx)
		id, err := p.Endpoint(ctx, spec.EPAttr{Passive: true, PS: spec.PSUDP, QPType: spec.QPTypeUD, Src: p.Addr(ctx)})
		Expect(err).NotTo(HaveOccurred())
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		id.MustJoin(ctx, group)
		Expect(id.Read(ctx).Event).NotTo(BeNil(), "control: the join has told of the group")
		rig.Control("JM-ATT-02", qp.Probe(ctx, group), "the QP is attached before")

		destroy := id.DestroyEndpoint(ctx)

		left := host.MustObserve(ctx).Resources["qp"] - before
		rig.ObserveCall("destroy", destroy)
		rig.Observe("qps_left", fmt.Sprint(left))
		Expect(destroy).To(ReturnZero())
		Expect(left).To(BeZero())
	})

	It("is what the end of a process does to a QP with two MLIDs of one group", Label("JM-DST-17"),
		func(ctx SpecContext) {
			host := rig.HostAt(0)
			before := host.MustObserve(ctx)
			p := rig.Start(ctx)
			qp := p.BoundID(ctx).MustCreateQP(ctx)
			group := rig.NewGroup()
			const mlid, otherMLID = 0xC001, 0xC002
			first, second := qp.Attach(ctx, group.GID(), mlid), qp.Attach(ctx, group.GID(), otherMLID)

			p.MustKill(ctx)

			after := host.MustObserve(ctx)
			left, log := after.Resources["qp"]-before.Resources["qp"], rig.NameLog(before, after)
			rig.ObserveCall("first", first)
			rig.ObserveCall("second", second)
			rig.Observe("qps_left", fmt.Sprint(left))
			rig.Observe("log", log)
			Expect(first).To(ReturnZero())
			Expect(second).To(ReturnZero(), "control: the QP is attached twice")
			Expect(left).To(BeZero())
			Expect(log).To(Equal("quiet"))
		})

	It("leaves no membership behind of joins that race with it in the kernel", Label("JM-DST-16"),
		func(ctx SpecContext) {
			p := rig.StartMischief(ctx)
			group := rig.NewGroup()
			file, join := p.MustOpenRaw(ctx), rig.NewRawJoin(group)
			host := rig.HostAt(0)
			before := host.MustObserve(ctx)
			var joins, destroys []spec.Tally

			for range 64 {
				id := p.MustRawIDOn(ctx, file)
				joiner := rig.Sequence(func(s rig.Steps) { _, _ = s.WriteRaw(ctx, file, id.Command(join)) })
				destroyer := rig.Sequence(func(s rig.Steps) { _, _ = s.WriteRaw(ctx, file, rig.RawDestroy(id.Handle)) })
				answers := p.MustRun(ctx, spec.Script{Rounds: 1, Sequences: [][]spec.Step{joiner, joiner, destroyer}})
				joins, destroys = append(joins, slices.Concat(answers[:2]...)...), append(destroys, answers[2]...)
			}

			after := host.MustObserve(ctx)
			igmp, log := rig.NameIGMPChange(before, after, group), rig.NameLog(before, after)
			rig.Observe("destroys", rig.NameTallies(destroys...))
			rig.Observe("igmp", igmp)
			rig.Observe("log", log)
			Expect(strings.Fields(rig.NameTallies(joins...))).To(HaveEach(BeElementOf("0", "EINVAL", "ENOENT", "ENXIO")))
			Expect(rig.NameTallies(destroys...)).To(Equal("0"))
			Expect(igmp).To(Equal("none"))
			Expect(log).To(Equal("quiet"))
		})
})

// raceLeaveAgainstDestroy leaves groups of one id while others, members too, are destroyed. It gives what the leaves
// and the destroys answered, and whether the kernel told of a defect.
func raceLeaveAgainstDestroy(ctx context.Context) (leaves, destroys []spec.Tally, log string) {
	GinkgoHelper()
	const groups = 200
	id := rig.BoundID(ctx)
	first, other := rig.NewGroups(groups)[0], rig.NewGroup()
	host := rig.HostAt(0)
	before := host.MustObserve(ctx)
	join := rig.Sequence(func(s rig.Steps) {
		_ = s.JoinMulticast(ctx, id.Handle, first.Sockaddr(), 0)
		s.Advance()
		event, _ := s.GetEvent(ctx, id.Channel)
		_ = s.AckEvent(ctx, event.Ref)
	})
	leave := rig.Sequence(func(s rig.Steps) {
		_ = s.LeaveMulticast(ctx, id.Handle, first.Sockaddr())
		s.Advance()
	})
	addr := id.Addr(ctx)
	destroy := rig.Sequence(func(s rig.Steps) {
		beside, _ := s.CreateID(ctx, id.Channel, 0, spec.PSUDP)
		_ = s.BindAddr(ctx, beside, addr)
		_ = s.JoinMulticast(ctx, beside, other.Sockaddr(), 0)
		_ = s.DestroyID(ctx, beside)
	})
	joined := id.MustRun(ctx, spec.Script{Rounds: groups, Sequences: [][]spec.Step{join}})
	Expect(rig.NameTallies(joined[0]...)).To(Equal("0"), "control: every join is made and its event read")
	answers := id.MustRun(ctx, spec.Script{Rounds: groups, Sequences: [][]spec.Step{leave, destroy}})
	return answers[0], answers[1], rig.NameLog(before, host.MustObserve(ctx))
}

// destroyRightAfterJoin destroys so many ids right after their join, with its event unread, and gives what their calls
// answered: create, bind, join, destroy, and a get that does not wait.
func destroyRightAfterJoin(ctx context.Context, times int) ([]spec.Tally, *rig.Process) {
	GinkgoHelper()
	id := rig.BoundID(ctx)
	Expect(id.SetNonblock(ctx, id.Channel, true)).To(ReturnZero())
	addr, group := id.Addr(ctx), rig.NewGroup()
	once := rig.Sequence(func(s rig.Steps) {
		short, _ := s.CreateID(ctx, id.Channel, 0, spec.PSUDP)
		_ = s.BindAddr(ctx, short, addr)
		_ = s.JoinMulticast(ctx, short, group.Sockaddr(), 0)
		_ = s.DestroyID(ctx, short)
		_, _ = s.GetEvent(ctx, id.Channel)
	})
	return id.MustRun(ctx, spec.Script{Rounds: times, Sequences: [][]spec.Step{once}})[0], id.Process
}

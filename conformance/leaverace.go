package conformance

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("LV: leaving a group beside other calls, and when the kernel refuses", func() {
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
			host, id := rig.HostAt(0), rig.BoundID(ctx)
			control, qp := rig.NewGroup(), id.MustCreateQP(ctx)
			id.MustBeMember(ctx, control)
			rig.Control("JM-ATT-02", qp.Probe(ctx, control), "what is retrieved is attached")
			id.MustLeave(ctx, control)
			id.MustDestroyQP(ctx)
			before := host.MustObserve(ctx).Resources["qp"]

			// Which of two threads is the faster is the machine's affair. A reader that is the slower one always finds the
			// event of the very group that is being left, as those before it are gone: so it is slowed down in between.
			const tries = 12
			var calls string
			var left int
			for try := 0; try < tries && left == 0; try++ {
				racer := rig.BoundID(ctx)
				racer.MustCreateQP(ctx)
				calls = leaveWhatIsRetrieved(ctx, racer, try%3)
				Expect(racer.DestroyOwnQP(ctx)).To(ReturnZero())
				left = host.MustObserve(ctx).Resources["qp"] - before
			}

			rig.Observe("calls", calls)
			rig.Observe("qps_left", fmt.Sprint(left))
			Expect(calls).To(Equal("0"), "every join and every leave")
			Expect(left).To(BeZero(), "a QP that is attached to any of the groups cannot be destroyed")
		})
})

// leaveWhatIsRetrieved joins groups and leaves them in that order, while another thread retrieves the joins' events in
// the same order and joins and leaves another one so often before each. It tells what joins and leaves answered.
func leaveWhatIsRetrieved(ctx SpecContext, id *rig.ID, pause int) (calls string) {
	GinkgoHelper()
	const groups, retrievals = 150, 50 // a script is one message of at most 64 KiB
	Expect(id.SetNonblock(ctx, id.Channel, true)).To(ReturnZero())
	other, apart := rig.BoundID(ctx), rig.NewGroup()
	members := rig.NewGroups(groups)
	join := rig.Sequence(func(s rig.Steps) {
		_ = s.JoinMulticast(ctx, id.Handle, members[0].Sockaddr(), 0)
		s.Advance()
	})
	leave := rig.Sequence(func(s rig.Steps) {
		for _, group := range members {
			_ = s.LeaveMulticast(ctx, id.Handle, group.Sockaddr())
		}
	})
	reader := rig.Sequence(func(s rig.Steps) {
		for range retrievals {
			for range pause {
				_ = s.JoinMulticast(ctx, other.Handle, apart.Sockaddr(), 0)
				_ = s.LeaveMulticast(ctx, other.Handle, apart.Sockaddr())
			}
			event, _ := s.GetEvent(ctx, id.Channel)
			_ = s.AckEvent(ctx, event.Ref) // NULL when there was none
		}
	})
	joined := id.MustRun(ctx, spec.Script{Rounds: groups, Sequences: [][]spec.Step{join}})
	left := id.MustRun(ctx, spec.Script{Rounds: 1, Sequences: [][]spec.Step{leave, reader}})
	return rig.NameTallies(slices.Concat(joined[0], left[0])...)
}

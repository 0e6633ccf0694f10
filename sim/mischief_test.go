package sim_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// saboteur is an id of a process that can do mischief.
type saboteur struct {
	*member
	spec.Mischief
}

func newSaboteur(t *testing.T) *saboteur {
	w := newWorld(t, 1)
	p := w.mischief()
	return &saboteur{w.boundOf(p, 0), p.(spec.Mischief)}
}

func TestAProcessOfTheUsualKindDoesNoMischief(t *testing.T) {
	w := newWorld(t, 1)
	_, able := w.procs[0].(spec.Mischief)
	w.Expect(able).To(BeFalse())
}

func TestALeaveOnAClosedFileForgetsTheMembershipAndTheKernelKeepsIt(t *testing.T) {
	s := newSaboteur(t)
	s.joined(group)
	old, err := s.SetFD(s.ctx, s.ch, -1)
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(spec.Outcome(s.leave(group))).To(Equal("EBADF"))
	s.Expect(s.SetFD(s.ctx, s.ch, old)).To(Equal(-1))
	s.Expect(spec.Outcome(s.leave(group))).To(Equal("EADDRNOTAVAIL"))
	s.Expect(s.state().IGMP).To(HaveLen(2))
	s.Expect(s.p.DestroyID(s.ctx, s.id)).To(Succeed())
	s.Expect(s.state().IGMP).To(HaveLen(1))
}

func TestCredentialsCountAndSoDoesTheProcess(t *testing.T) {
	s := newSaboteur(t)
	s.Expect(spec.Outcome(s.JoinInChild(s.ctx, s.id, group))).To(Equal("EACCES"))
	s.joined(group)
	s.Expect(s.SetEUID(s.ctx, 1000)).To(Succeed())
	s.Expect(s.SetEUID(s.ctx, 0)).To(Succeed())
	s.Expect(spec.Outcome(s.leave(group))).To(Equal("EACCES"))
	s.Expect(spec.Outcome(s.p.DestroyID(s.ctx, s.id))).To(Equal("EACCES"))
}

func TestTheSecondAllocationFails(t *testing.T) {
	s := newSaboteur(t)
	s.Expect(s.FailNext(s.ctx, spec.Calloc, 1, spec.ENOMEM)).To(Succeed())
	s.joined(addr("239.7.7.7"))
	s.Expect(spec.Outcome(s.join(group))).To(Equal("ENOMEM"))
	s.joined(group)
}

func TestTheNextWriteFails(t *testing.T) {
	s := newSaboteur(t)
	s.Expect(s.FailNext(s.ctx, spec.Write, 0, spec.EIO)).To(Succeed())
	s.Expect(spec.Outcome(s.join(group))).To(Equal("EIO"))
	s.joined(group)
}

func TestOnlyUpstreamKeepsWhatADestroyedIDWasMemberOf(t *testing.T) {
	for kept, w := range []*world{newWorld(t, 1), newWorld(t, 1, "destroy-keeps-records")} {
		w.Expect(w.blocksKept(func(p spec.Process) {
			m := w.boundOf(p, 0)
			m.joined(group)
			m.Expect(p.DestroyID(m.ctx, m.id)).To(Succeed())
			m.Expect(p.DestroyEventChannel(m.ctx, m.ch)).To(Succeed())
		})).To(Equal(kept))
	}
}

func TestRawWritesFailLikeWrite(t *testing.T) {
	s := newSaboteur(t)
	f, err := s.OpenRaw(s.ctx)
	s.Expect(err).NotTo(HaveOccurred())
	leave := spec.RawCommand{Cmd: spec.RawLeaveMulticast, In: make([]byte, 16), Room: 4}
	_, err = s.WriteRaw(s.ctx, f, leave)
	s.Expect(err).To(MatchError(&spec.CallError{Method: "write", Ret: -1, Errno: spec.ENOENT}))
	tallies, err := s.script(2, []spec.Step{call.Step("write", &call.WriteRawArgs{File: f, Command: leave})})
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(tallies[0][0].Outcomes).To(Equal(map[string]int{"ENOENT": 2}))
}

package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

// seeds of the tests that look at several orders of events.
const seeds = 32

func TestJoinIsReadableLaterInSomeWorlds(t *testing.T) {
	g := NewWithT(t)
	seen := map[string]int{}
	for seed := range int64(seeds) {
		m := newWorld(t, seed).bound(0)
		m.Expect(m.p.SetNonblock(m.ctx, m.ch, true)).To(Succeed())
		m.Expect(m.join(group)).To(Succeed())
		_, err := m.p.GetEvent(m.ctx, m.ch)
		seen[spec.Outcome(err)]++
	}
	g.Expect(seen).To(And(HaveKey("EAGAIN"), HaveKey("0"), HaveLen(2)), "seeds 0..%d", seeds-1)
}

func TestEventsOfAnIDComeInJoinOrder(t *testing.T) {
	for seed := range int64(seeds) {
		m := newWorld(t, seed).bound(0)
		for i := range 10 {
			a := addr(fmt.Sprintf("239.0.0.%d", i+1))
			m.Expect(m.p.JoinMulticast(m.ctx, m.id, a, spec.Context(i))).To(Succeed())
		}
		for i := range 10 {
			m.Expect(m.acked().UD.PrivateData).To(Equal(spec.Context(i)), "seed %d", seed)
		}
	}
}

// transcript is what a program of one thread gets to see, as JSON.
func transcript(t *testing.T, seed int64) string {
	t.Helper()
	w := newWorld(t, seed)
	m, peer := w.bound(0).withQP(), w.bound(1).withQP()
	var rows []any
	note := func(answer any, err error) { rows = append(rows, answer, spec.Outcome(err)) }
	w.Expect(m.p.SetNonblock(w.ctx, m.ch, true)).To(Succeed())
	for i := range 8 {
		a := addr(fmt.Sprintf("239.9.0.%d", i))
		note(i, m.join(a))
		note(m.p.GetEvent(w.ctx, m.ch))
		if i%3 == 0 {
			note("leave", peer.leave(a))
			note("join", peer.join(a))
		}
	}
	note(w.hosts[0].Observe(w.ctx))
	note(m.p.GetEvent(w.ctx, m.ch))
	note(peer.p.GetEvent(w.ctx, peer.ch))
	text, err := json.Marshal(rows)
	w.Expect(err).NotTo(HaveOccurred())
	return string(text)
}

func TestSameSeedSameTranscript(t *testing.T) {
	g := NewWithT(t)
	different := map[string]bool{}
	for seed := range int64(seeds) {
		first := transcript(t, seed)
		g.Expect(transcript(t, seed)).To(Equal(first), "seed %d", seed)
		different[first] = true
	}
	g.Expect(len(different)).To(BeNumerically(">", 1), "the seed must matter")
}

func TestLeaveWithoutAckHangsAtOnceAndStaysOpen(t *testing.T) {
	m := newWorld(t, 2).bound(0)
	m.Expect(m.join(group)).To(Succeed())
	m.event()
	err := m.leave(group)
	m.Expect(err).To(BeAssignableToTypeOf(&spec.Hung{}))
	m.Expect(err).To(MatchError(And(
		ContainSubstring("rdma_leave_multicast"), ContainSubstring("nothing left in the world can wake it"))))
	m.Expect(m.p.InFlight(m.ctx)).To(Equal([]spec.InFlight{{Method: "rdma_leave_multicast", Blocked: true}}))
	m.Expect(m.p.Kill(m.ctx)).To(Equal(spec.Exit{Signal: "SIGKILL"}))
	m.Expect(m.p.InFlight(m.ctx)).To(BeEmpty())
	killed := spec.Exit{Signal: "SIGKILL"}
	m.Expect(m.join(group)).To(MatchError(&spec.Crashed{Method: "rdma_join_multicast", Exit: killed}))
}

func TestAHungLeaveEndsWhenTheAckComesAfterAll(t *testing.T) {
	m := newWorld(t, 2).bound(0)
	m.Expect(m.join(group)).To(Succeed())
	e := m.event()
	m.Expect(m.leave(group)).To(BeAssignableToTypeOf(&spec.Hung{}))
	m.Expect(m.p.AckEvent(m.ctx, e.Ref)).To(Succeed())
	m.Expect(m.p.InFlight(m.ctx)).To(BeEmpty())
}

func TestAConcurrentLeaveWaitsForTheAckOfAnotherCall(t *testing.T) {
	for _, name := range []string{"leave", "destroy"} {
		t.Run(name, func(t *testing.T) {
			m := newWorld(t, 3).bound(0)
			m.Expect(m.join(group)).To(Succeed())
			e := m.event()
			done := make(chan error)
			go func() {
				ctx := spec.Concurrent(m.ctx)
				if name == "leave" {
					done <- m.p.LeaveMulticast(ctx, m.id, group)
				} else {
					done <- m.p.DestroyID(ctx, m.id)
				}
			}()
			m.Eventually(func() ([]spec.InFlight, error) { return m.p.InFlight(m.ctx) }).Should(HaveLen(1))
			m.Expect(done).NotTo(Receive())
			m.Expect(m.p.AckEvent(m.ctx, e.Ref)).To(Succeed())
			m.Expect(<-done).To(Succeed())
		})
	}
}

func TestAConcurrentCallEndsWithItsContext(t *testing.T) {
	m := newWorld(t, 3).bound(0)
	ctx, cancel := context.WithCancel(spec.Concurrent(m.ctx))
	done := make(chan error)
	go func() {
		_, err := m.p.GetEvent(ctx, m.ch)
		done <- err
	}()
	m.Eventually(func() ([]spec.InFlight, error) { return m.p.InFlight(m.ctx) }).Should(HaveLen(1))
	cancel()
	m.Expect(<-done).To(MatchError(ContainSubstring("deadline")))
}

func TestKillWakesEveryOpenCall(t *testing.T) {
	m := newWorld(t, 4).bound(0)
	done := make(chan error)
	go func() { done <- m.p.PollChannel(spec.Concurrent(m.ctx), m.ch) }()
	m.Eventually(func() ([]spec.InFlight, error) { return m.p.InFlight(m.ctx) }).Should(HaveLen(1))
	m.Expect(m.p.Kill(m.ctx)).To(Equal(spec.Exit{Signal: "SIGKILL"}))
	m.Expect(<-done).To(MatchError(&spec.Crashed{Method: "poll", Exit: spec.Exit{Signal: "SIGKILL"}}))
}

func TestAnUndefinedUseEndsTheProcessForGood(t *testing.T) {
	w := newWorld(t, 5)
	m := w.bound(0)
	err := m.p.JoinMulticast(m.ctx, 0, group, 0)
	segv := spec.Exit{Signal: "SIGSEGV"}
	m.Expect(err).To(MatchError(&spec.Crashed{Method: "rdma_join_multicast", Exit: segv}))
	m.Expect(m.join(group)).To(MatchError(&spec.Crashed{Method: "rdma_join_multicast", Exit: segv}))
	m.Expect(m.p.Kill(m.ctx)).To(Equal(segv))
	s, err := w.hosts[0].Observe(m.ctx)
	m.Expect(err).NotTo(HaveOccurred())
	m.Expect(s.Resources).To(HaveKeyWithValue("cm_id", 0))
}

func TestAProcessLeavesNothingBehind(t *testing.T) {
	w := newWorld(t, 6)
	before, err := w.hosts[0].Observe(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	m := w.bound(0).withQP()
	m.joined(group)
	during, err := w.hosts[0].Observe(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(during).NotTo(Equal(before))
	w.Expect(during.Resources).To(Equal(map[string]int{"cm_id": 1, "qp": 1, "cq": 2, "pd": 1, "mr": 0, "ctx": 1}))
	_, err = m.p.Kill(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(w.hosts[0].Observe(w.ctx)).To(Equal(before))
}

func TestASynchronousIDHoldsItsEvent(t *testing.T) {
	m := newWorld(t, 7, "sync-leave-hangs").sync()
	for range 2 {
		m.Expect(m.join(group)).To(Succeed())
		s, err := m.p.ReadID(m.ctx, m.id)
		m.Expect(err).NotTo(HaveOccurred())
		m.Expect(s.Event).To(HaveField("Type", spec.MulticastJoin))
		m.Expect(m.p.AckEvent(m.ctx, s.Event.Ref)).To(Succeed())
		m.Expect(m.leave(group)).To(Succeed())
	}
}

func TestASynchronousJoinWhoseAttachFailedKeepsTheMembership(t *testing.T) {
	m := newWorld(t, 8).sync().withQP()
	unicast := addr("192.168.1.1")
	m.Expect(spec.Outcome(m.join(unicast))).To(Equal("EINVAL"))
	m.Expect(m.leave(unicast)).To(Succeed())
	m.Expect(spec.Outcome(m.leave(unicast))).To(Equal("EADDRNOTAVAIL"))
}

func TestChangesAreUndone(t *testing.T) {
	w := newWorld(t, 9)
	h := w.hosts[0].(spec.Configurer)
	state := w.state()
	before, err := w.hosts[0].Ports(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	for _, c := range []spec.Change{
		{AddAddr: &spec.NetdevAddr{Netdev: "eth0", Prefix: netip.MustParsePrefix("2001:db8::7/64")}},
		{AddAddr: &spec.NetdevAddr{Netdev: "eth0", Prefix: netip.MustParsePrefix("10.0.0.1/8")}},
		{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 200}},
	} {
		undo, err := h.Configure(w.ctx, c)
		w.Expect(err).NotTo(HaveOccurred())
		w.Expect(w.hosts[0].Ports(w.ctx)).NotTo(Equal(before))
		w.Expect(undo(w.ctx)).To(Succeed())
		w.Expect(w.hosts[0].Ports(w.ctx)).To(Equal(before))
		w.Expect(w.state()).To(Equal(state))
	}
	_, err = h.Configure(w.ctx, spec.Change{SetLink: &spec.LinkChange{Netdev: "eth9"}})
	w.Expect(err).To(MatchError(ContainSubstring(`no network device is named "eth9"; this host has lo, eth0`)))
}

func TestTheNonceComesBack(t *testing.T) {
	w := newWorld(t, 10)
	e, err := w.backend.Environment(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(e.Nonce).To(Equal("n0nce"))
	w.Expect(e.Stack).To(Equal("simulated"))
	w.Expect(e.Hosts).To(HaveEach(And(HaveField("Nonce", "n0nce"), HaveField("GIDIndex", 1))))
}

func TestTheEnvironmentNamesTheQuirks(t *testing.T) {
	w := newWorld(t, 10, "wrong-mgid")
	w.Expect(w.backend.Environment(w.ctx)).To(HaveField("Imitates", HaveSuffix("with quirks: wrong-mgid")))
}

func TestAnUnknownQuirkNamesTheKnownOnes(t *testing.T) {
	_, err := sim.NewLab(sim.Options{Quirks: []string{"no-such"}})
	NewWithT(t).Expect(err).To(MatchError(And(ContainSubstring(`"no-such"`), ContainSubstring("skip-auto-attach"))))
}

func TestWhatIsNoQuirkOfTheStackCannotBeTakenOut(t *testing.T) {
	_, err := sim.NewLab(sim.Options{Defects: []string{"errno-524"}, Quirks: []string{"-lose-context"}})
	NewWithT(t).Expect(err).To(MatchError(
		`quirk "lose-context" cannot be taken out, for it is not in; those that are: errno-524`))
}

func TestAStackSaysWhatItImitates(t *testing.T) {
	upstream := sim.Options{
		Kernel: "6.12.118", RDMACore: "56.1", Defects: []string{"errno-524"}, Quirks: []string{"-errno-524"},
	}
	for _, c := range []struct {
		of       sim.Options
		facts    []string
		imitates string
	}{
		{sim.Options{}, []string{"promise", "promise", "simulated"}, "what librdmacm promises, and else Linux 6.1.192 "},
		{
			upstream,
			[]string{"6.12.118", "56.1", "rdma_rxe"},
			"Linux 6.12.118 rdma_rxe, rdma-core 56.1, with quirks: -errno-524",
		},
	} {
		w := newWorldWith(t, c.of, 1)
		e, err := w.backend.Environment(w.ctx)
		w.Expect(err).NotTo(HaveOccurred())
		h := e.Hosts[0]
		w.Expect([]string{h.KernelRelease, h.RDMACore, h.Driver}).To(Equal(c.facts))
		w.Expect(e.Imitates).To(HavePrefix(c.imitates))
	}
}

func TestAStackImitatesAKernelAndALibraryOrNeither(t *testing.T) {
	_, err := sim.NewLab(sim.Options{Kernel: "6.1.192"})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("imitates both, or neither")))
}

func BenchmarkFreshWorld(b *testing.B) {
	lab, err := sim.NewLab(sim.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w, err := lab.Fresh(b.Context(), 1)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Hosts()[0].Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		_ = w.Close(b.Context())
	}
}

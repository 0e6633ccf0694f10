package world_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/world"
	"joinmcast/spec"
)

func TestALaneKeepsItsOrderAndLanesMix(t *testing.T) {
	g := NewWithT(t)
	orders := map[string]bool{}
	for seed := range int64(32) {
		w := world.New(seed)
		var first, second, all string
		a, b := w.NewLane(), w.NewLane()
		for _, step := range []string{"1", "2", "3"} {
			a.Add(func() { first += step; all += "a" })
			b.Add(func() { second += step; all += "b" })
		}
		w.Settled(func() {})
		g.Expect(first).To(Equal("123"), "seed %d", seed)
		g.Expect(second).To(Equal("123"), "seed %d", seed)
		orders[all] = true
	}
	g.Expect(len(orders)).To(BeNumerically(">", 3))
}

func TestACallSleepsUntilPendingWorkWakesIt(t *testing.T) {
	g := NewWithT(t)
	w := world.New(1)
	p := w.NewProcess(func() {})
	lane := w.NewLane()
	awake := false
	g.Expect(p.Call(t.Context(), "call", func() error {
		lane.Add(func() { awake = true })
		w.Sleep(func() bool { return awake })
		return spec.EPERM
	})).To(MatchError(spec.EPERM))
}

func TestACallThatNothingCanWakeHangsAtOnce(t *testing.T) {
	g := NewWithT(t)
	w := world.New(1)
	p := w.NewProcess(func() {})
	never := func() bool { return false }
	for _, method := range []string{"first", "second"} {
		err := p.Call(t.Context(), method, func() error {
			w.Sleep(never)
			return nil
		})
		g.Expect(err).To(HaveField("Method", method))
	}
	g.Expect(p.InFlight()).To(Equal([]spec.InFlight{
		{Method: "first", Blocked: true}, {Method: "second", Blocked: true},
	}))
}

func TestAFaultEndsTheProcessAndItsOpenCalls(t *testing.T) {
	g := NewWithT(t)
	w := world.New(1)
	exits := 0
	p := w.NewProcess(func() { exits++ })
	bystander := w.NewProcess(func() {})
	g.Expect(p.Call(t.Context(), "asleep", func() error {
		w.Sleep(func() bool { return false })
		return nil
	})).To(BeAssignableToTypeOf(&spec.Hung{}))
	fault := func() error {
		world.Fault("SIGSEGV")
		return nil
	}
	want := &spec.Crashed{Method: "faulty", Exit: spec.Exit{Signal: "SIGSEGV"}}
	g.Expect(p.Call(t.Context(), "faulty", fault)).To(MatchError(want))
	g.Expect(p.InFlight()).To(BeEmpty())
	g.Expect(p.Kill()).To(Equal(want.Exit))
	g.Expect(exits).To(Equal(1))
	g.Expect(bystander.Call(t.Context(), "call", func() error { return nil })).To(Succeed())
}

func TestAPanicOfTheSimulationIsNoFault(t *testing.T) {
	g := NewWithT(t)
	p := world.New(1).NewProcess(func() {})
	g.Expect(func() { _ = p.Call(t.Context(), "call", func() error { panic("a bug") }) }).To(PanicWith("a bug"))
}

func TestBodiesRunTogetherInAnOrderOfTheSeeds(t *testing.T) {
	g := NewWithT(t)
	orders := map[string]bool{}
	for seed := range int64(32) {
		w := world.New(seed)
		p := w.NewProcess(func() {})
		order := ""
		body := func(name string) func() {
			return func() {
				for range 2 {
					w.Pause()
					order += name
				}
			}
		}
		g.Expect(p.Call(t.Context(), "script", func() error {
			w.Together("step", []func(){body("a"), body("b")})
			order += "."
			return nil
		})).To(Succeed())
		g.Expect(order).To(HaveLen(5))
		g.Expect(order).To(HaveSuffix("."))
		orders[order] = true
	}
	g.Expect(len(orders)).To(BeNumerically(">", 3))
}

func TestSeveralConcurrentCallsEachGetWoken(t *testing.T) {
	g := NewWithT(t)
	w := world.New(1)
	p := w.NewProcess(func() {})
	turn := 0
	done := make(chan error)
	for i := range 3 {
		go func() {
			done <- p.Call(spec.Concurrent(t.Context()), "sleeper", func() error {
				w.Sleep(func() bool { return turn > i })
				return nil
			})
		}()
	}
	g.Eventually(p.InFlight).Should(HaveLen(3))
	for range 3 {
		g.Expect(p.Call(t.Context(), "waker", func() error {
			turn++
			return nil
		})).To(Succeed())
		g.Expect(<-done).To(Succeed())
	}
}

func TestACallThatIsSureNotToSleepNeedsNoThread(t *testing.T) {
	g := NewWithT(t)
	w := world.New(1)
	p := w.NewProcess(func() {})
	lane := w.NewLane()
	awake := false
	ready := func() bool { return awake }
	quickly := func() (bool, error) {
		return p.QuicklyWait("call", func() (bool, error) {
			if !w.Comes(ready) {
				return false, nil
			}
			w.Sleep(ready)
			return true, spec.EPERM
		})
	}

	done, err := quickly()
	g.Expect(done).To(BeFalse(), "nothing wakes it")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.InFlight()).To(BeEmpty())

	lane.Add(func() { awake = true })
	done, err = quickly()
	g.Expect(done).To(BeTrue())
	g.Expect(err).To(MatchError(spec.EPERM))
}

func TestAQuickCallThatFaultsEndsItsProcess(t *testing.T) {
	g := NewWithT(t)
	p := world.New(1).NewProcess(func() {})
	want := &spec.Crashed{Method: "faulty", Exit: spec.Exit{Signal: "SIGSEGV"}}

	done, err := p.Quickly("faulty", func() (bool, error) {
		world.Fault("SIGSEGV")
		return true, nil
	})
	g.Expect(done).To(BeTrue())
	g.Expect(err).To(MatchError(want))

	done, err = p.Quickly("next", func() (bool, error) { return true, nil })
	g.Expect(done).To(BeTrue())
	g.Expect(err).To(BeAssignableToTypeOf(want))
}

func TestAQuickCallLetsOthersGoFirst(t *testing.T) {
	g := NewWithT(t)
	orders := map[string]bool{}
	for seed := range int64(32) {
		w := world.New(seed)
		p, lane, order := w.NewProcess(func() {}), w.NewLane(), ""
		_, err := p.Quickly("call", func() (bool, error) {
			lane.Add(func() { order += "lane" })
			w.Pause()
			order += "call"
			return true, nil
		})
		g.Expect(err).NotTo(HaveOccurred())
		w.Settled(func() {})
		orders[order] = true
	}
	g.Expect(orders).To(Equal(map[string]bool{"lanecall": true, "calllane": true}))
}

func TestALaneThatFillsAgainKeepsItsPlace(t *testing.T) {
	g := NewWithT(t)
	w := world.New(1)
	var lanes []*world.Lane
	for range 10 {
		lanes = append(lanes, w.NewLane())
	}
	done := 0
	for round := range 20 {
		for i := range lanes {
			lanes[(i*7+round)%len(lanes)].Add(func() { done++ })
		}
		w.Settled(func() {})
		g.Expect(done).To(Equal((round + 1) * len(lanes)))
	}
}

func TestLateWorkLetsOtherThingsHappenFirst(t *testing.T) {
	g := NewWithT(t)
	w := world.New(1)
	lane := w.NewLane()
	var order []string
	note := func(s string) func() { return func() { order = append(order, s) } }
	w.Do(func() {
		w.After(2, note("after two"))
		w.After(1, note("after one"))
		w.After(2, note("after two as well"))
		w.After(1<<62, note("at the end"))
		for range 3 {
			lane.Add(note("work"))
		}
	})
	w.Settled(func() {})
	g.Expect(order).To(Equal([]string{
		"work", "after one", "work", "after two", "after two as well", "work", "at the end",
	}))
}

func TestAChanceIsDrawnFromTheSeed(t *testing.T) {
	g := NewWithT(t)
	draw := func(seed int64) (drawn []bool) {
		w := world.New(seed)
		for range 64 {
			drawn = append(drawn, w.Happens(0.5))
		}
		return drawn
	}
	g.Expect(draw(1)).To(Equal(draw(1)))
	g.Expect(draw(1)).NotTo(Equal(draw(2)))
	g.Expect(draw(1)).To(ContainElements(true, false))
}

func TestCertainAndImpossibleThings(t *testing.T) {
	g := NewWithT(t)
	w := world.New(1)
	for range 64 {
		g.Expect(w.Happens(1)).To(BeTrue())
		g.Expect(w.Happens(0)).To(BeFalse())
	}
}

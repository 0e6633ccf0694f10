package walk_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/conformance/target"
	"joinmcast/conformance/walk"
)

// ground is a simulated stack with quirks beside upstream's.
func ground(t *testing.T, quirks ...string) *walk.Ground {
	t.Helper()
	return groundOf(t, "bookworm", "bookworm", quirks...)
}

// groundOf is one that imitates a kernel and an rdma-core.
func groundOf(t *testing.T, kernel, rdmaCore string, quirks ...string) *walk.Ground {
	t.Helper()
	g := NewWithT(t)
	sim, err := target.Load("sim", target.Overrides{Kernel: kernel, RDMACore: rdmaCore, Quirks: quirks})
	g.Expect(err).NotTo(HaveOccurred())
	lab, err := sim.Open(t.Context(), "nonce", func(string) {})
	g.Expect(err).NotTo(HaveOccurred())
	return walk.NewGround(lab, true)
}

func TestAWalkIsDrawnAlikeFromItsSeed(t *testing.T) {
	for seed := range uint64(40) {
		g := NewWithT(t)
		first, told, err := walk.Draw(t.Context(), ground(t), seed)
		g.Expect(err).NotTo(HaveOccurred())
		second, again, err := walk.Draw(t.Context(), ground(t), seed)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(second).To(Equal(first))
		g.Expect(again).To(Equal(told))
		g.Expect(len(first.Steps)).To(BeNumerically(">", walk.Length))
	}
}

func TestASavedWalkIsReadBack(t *testing.T) {
	g := NewWithT(t)
	w, _, err := walk.Draw(t.Context(), ground(t), 3)
	g.Expect(err).NotTo(HaveOccurred())
	read, err := walk.Parse("walk.yaml", w.Text())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read).To(Equal(w))
}

func TestAFileThatIsNoWalkIsRefusedWithItsName(t *testing.T) {
	g := NewWithT(t)
	for text, why := range map[string]string{
		"seed: 1\n":                        "walk.yaml has no steps",
		"seed: 1\nsteps: [{colour: red}]":  "field colour not found",
		"steps: [{by: p1, call: poll, q}]": "walk.yaml:1: field q not found; want a walk",
	} {
		_, err := walk.Parse("walk.yaml", []byte(text))
		g.Expect(err).To(MatchError(ContainSubstring(why)), text)
	}
}

// Nothing that a walk tells may depend on what only the seed of a world decides.
func TestASimulatedStackTellsTheSameInAllWorlds(t *testing.T) {
	pair := walk.Pair{A: ground(t), B: ground(t)}
	for seed := range uint64(100) {
		g := NewWithT(t)
		o, err := pair.Compare(t.Context(), seed)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(o.Difference).To(BeNil(), fmt.Sprint("seed ", seed))
		for i, told := range o.Told {
			g.Expect(told.Answer).NotTo(Equal("SIGSEGV"), fmt.Sprintf("seed %d, step %d, %s: an undefined use", seed, i+1,
				o.Walk.Steps[i]))
		}
	}
}

func TestAQuirkIsFoundAndItsWalkShrunk(t *testing.T) {
	pair := walk.Pair{A: ground(t), B: ground(t, "skip-auto-attach")}
	for seed := range uint64(500) {
		g := NewWithT(t)
		o, err := pair.Compare(t.Context(), seed)
		g.Expect(err).NotTo(HaveOccurred())
		if o.Difference == nil {
			continue
		}
		d, err := pair.Shrink(t.Context(), o.Difference)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(len(d.Walk.Steps)).To(BeNumerically("<", 12))
		again, err := pair.Replay(t.Context(), d.Walk)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(again.Difference).NotTo(BeNil())
		g.Expect(again.Difference.Step).To(Equal(len(d.Walk.Steps) - 1))
		return
	}
	t.Error("no walk of 500 tells skip-auto-attach")
}

// What an earlier walk has left in a world may make a difference that the walk alone does not.
func TestADifferenceThatDoesNotComeAgainIsGivenBackWhole(t *testing.T) {
	g := NewWithT(t)
	w, told, err := walk.Draw(t.Context(), ground(t), 3)
	g.Expect(err).NotTo(HaveOccurred())
	seen := &walk.Difference{Walk: w, Step: 5, A: told[5].String(), B: "otherwise"}
	pair := walk.Pair{A: ground(t), B: ground(t)}
	d, err := pair.Shrink(t.Context(), seen)
	g.Expect(err).To(MatchError(ContainSubstring("not seen again in fresh worlds")))
	g.Expect(d).To(BeIdenticalTo(seen))
}

// What the simulated stack lacks of upstream's defects, walks find.
func TestQuirksOfUpstreamAreFound(t *testing.T) {
	for _, quirk := range []string{"first-leave-detaches", "refused-bind-sticks", "sync-leave-hangs"} {
		t.Run(quirk, func(t *testing.T) {
			g := NewWithT(t)
			pair := walk.Pair{A: ground(t, "-"+quirk), B: ground(t)}
			for seed := range uint64(500) {
				o, err := pair.Compare(t.Context(), seed)
				g.Expect(err).NotTo(HaveOccurred())
				if o.Difference != nil {
					return
				}
			}
			t.Error("no walk of 500 tells it")
		})
	}
}

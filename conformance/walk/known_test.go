package walk_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"joinmcast/conformance/walk"
	"joinmcast/fixtures"
	"joinmcast/spec/catalogue"
)

// fullQueue is a walk whose last steps tell rdma-core before 40 from later ones.
const fullQueue = "../../fixtures/walks/full-receive-queue.yaml"

// knowing is a pair that differs in rdma-core, and knows of it.
func knowing(t *testing.T, text string) walk.Pair {
	t.Helper()
	g := NewWithT(t)
	known, err := walk.ParseKnown("known.yaml", []byte(text))
	g.Expect(err).NotTo(HaveOccurred())
	pair := walk.Pair{A: ground(t), B: groundOf(t, "bookworm", "bullseye")}
	pair.B.Knows(known)
	return pair
}

const negative = `
- what: a full receive queue is a negative errno
  why: it was, before rdma-core 40
  when: {rdma_core: "<40"}
  step: {call: ibv_post_recv, a: 12 0, b: -12 0}
`

func TestAKnownDifferenceMasksTheStepThatItExplains(t *testing.T) {
	g := NewWithT(t)
	w, err := walk.Read(fullQueue)
	g.Expect(err).NotTo(HaveOccurred())

	o, err := knowing(t, negative).Replay(t.Context(), w)

	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Difference).To(BeNil())
	g.Expect(o.Masked).To(HaveEach("a full receive queue is a negative errno"))
	g.Expect(o.Masked).NotTo(BeEmpty())
}

func TestAKnownDifferenceMasksNothingElse(t *testing.T) {
	for name, text := range map[string]string{
		"none":           "",
		"another stack":  `[{what: w, why: y, when: {rdma_core: ">=40"}, step: {call: ibv_post_recv, a: 12 0, b: -12 0}}]`,
		"another call":   `[{what: w, why: y, step: {call: ibv_post_send, a: 12 0, b: -12 0}}]`,
		"another answer": `[{what: w, why: y, step: {call: ibv_post_recv, a: 12 0, b: "2"}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w, err := walk.Read(fullQueue)
			g.Expect(err).NotTo(HaveOccurred())

			o, err := knowing(t, text).Replay(t.Context(), w)

			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(o.Difference).NotTo(BeNil())
			g.Expect(o.Masked).To(BeEmpty())
		})
	}
}

func TestAKnownDifferenceThatNoWalkMeetsIsStale(t *testing.T) {
	g := NewWithT(t)
	law, err := catalogue.Load()
	g.Expect(err).NotTo(HaveOccurred())
	w, err := walk.Read(fullQueue)
	g.Expect(err).NotTo(HaveOccurred())
	before := w
	before.Steps = w.Steps[:1]
	stale := ContainElement("a known difference was never met, and may be stale: a full receive queue is a negative errno")
	pair, covered := knowing(t, negative), walk.NewCoverage()
	for _, c := range []struct {
		walk walk.Walk
		want types.GomegaMatcher
	}{{before, stale}, {w, Not(stale)}} {
		o, err := pair.Replay(t.Context(), c.walk)
		g.Expect(err).NotTo(HaveOccurred())
		covered.Add(o)
		g.Expect(covered.Short(law)).To(c.want)
	}
}

// One step in the few of the saved walk is more than 3 in 100.
func TestMasksOfTooManyStepsAreNoAgreement(t *testing.T) {
	g := NewWithT(t)
	law, err := catalogue.Load()
	g.Expect(err).NotTo(HaveOccurred())
	w, err := walk.Read(fullQueue)
	g.Expect(err).NotTo(HaveOccurred())
	covered := walk.NewCoverage()
	o, err := knowing(t, negative).Replay(t.Context(), w)
	g.Expect(err).NotTo(HaveOccurred())

	covered.Add(o)

	g.Expect(covered.Short(law)).To(ContainElement(HavePrefix("known differences explain ")))
}

func TestTheSuitesOwnKnownDifferencesAreRead(t *testing.T) {
	_, err := walk.ParseKnown("known-differences.yaml", fixtures.KnownDifferences())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func TestWhatIsNoKnownDifferenceIsRefused(t *testing.T) {
	for text, why := range map[string]string{
		"[{what: w}]": "known.yaml, difference 1: what, why and step, with call, a and b, are needed",
		"[{q: w}]":    "known.yaml:1: field q not found; want a list of known differences",
		`[{what: w, why: y, step: {call: poll, a: "(", b: "0"}}]`:                       "is no regular expression",
		`[{what: w, why: y, when: {kernel: new}, step: {call: poll, a: "-1", b: "0"}}]`: "is no range of versions",
	} {
		_, err := walk.ParseKnown("known.yaml", []byte(text))
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(why)), text)
	}
}

package walk_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/conformance/walk"
	"joinmcast/spec/call"
	"joinmcast/spec/catalogue"
)

func TestWhatNoWalkHasReachedIsNamed(t *testing.T) {
	g := NewWithT(t)
	law, err := catalogue.Load()
	g.Expect(err).NotTo(HaveOccurred())
	covered := walk.NewCoverage()
	covered.Walks = 2000
	short := covered.Short(law)
	g.Expect(short).To(ContainElement("ibv_create_ah has 0.00 % of the steps, want 2 %"))
	g.Expect(short).To(ContainElement("EFAULT was never told; JM-RET-05 speaks of it"))
}

func TestAShareOfTheStepsIsPrintedAndNotOwedByFewWalks(t *testing.T) {
	g := NewWithT(t)
	law, err := catalogue.Load()
	g.Expect(err).NotTo(HaveOccurred())
	covered := walk.NewCoverage()
	covered.Walks = 1999
	var text strings.Builder
	g.Expect(covered.Write(&text, law)).To(Succeed())
	g.Expect(text.String()).To(MatchRegexp(`ibv_create_ah +0.0 %, less than 2 %\n`))
	g.Expect(covered.Short(law)).NotTo(ContainElement(ContainSubstring("of the steps, want 2 %")))
}

// Of the answers that a MAY allows, a stack gives one.
func TestAnErrnoThatOnlyAMayNamesIsToldOfAndNotOwed(t *testing.T) {
	g := NewWithT(t)
	law, err := catalogue.Load()
	g.Expect(err).NotTo(HaveOccurred())
	covered := walk.NewCoverage()
	var text strings.Builder
	g.Expect(covered.Write(&text, law)).To(Succeed())
	g.Expect(text.String()).To(ContainSubstring("EAFNOSUPPORT was not told; JM-BIND-20 may have another answer"))
	g.Expect(covered.Short(law)).NotTo(ContainElement(ContainSubstring("EAFNOSUPPORT")))
}

// Few walks reach every call often, and a command whose answer cannot be handed over.
func TestWalksReachEveryCall(t *testing.T) {
	const (
		walks      = 200
		leastShare = 0.015 // of the steps; of more walks it is more
	)
	g := NewWithT(t)
	law, err := catalogue.Load()
	g.Expect(err).NotTo(HaveOccurred())
	covered, stack := walk.NewCoverage(), ground(t)
	for seed := range uint64(walks) {
		w, told, err := walk.Draw(t.Context(), stack, seed)
		g.Expect(err).NotTo(HaveOccurred())
		covered.Add(walk.Outcome{Walk: w, Told: told})
	}
	for _, name := range call.Methods() {
		g.Expect(covered.Share(name)).To(BeNumerically(">=", leastShare), name)
	}
	g.Expect(covered.Short(law)).NotTo(ContainElement(HavePrefix("EFAULT")))
}

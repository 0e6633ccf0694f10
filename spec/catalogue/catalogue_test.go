package catalogue_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/catalogue"
)

// law is the embedded law.
func law(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.Load()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return c
}

func TestNoSentenceOfTheLawIsOver160Characters(t *testing.T) {
	g := NewWithT(t)
	requirements := law(t).All()
	g.Expect(requirements).NotTo(BeEmpty())
	for _, r := range requirements {
		g.Expect(len(r.Says)).To(BeNumerically("<=", 160), r.ID)
	}
}

func TestEveryRequirementHasASource(t *testing.T) {
	g := NewWithT(t)
	requirements := law(t).All()
	g.Expect(requirements).NotTo(BeEmpty())
	for _, r := range requirements {
		g.Expect(r.Source).NotTo(BeEmpty(), r.ID)
		g.Expect(r.Source).NotTo(ContainElement(""), r.ID)
	}
}

func TestHardlyAnyRequirementHasNoSpec(t *testing.T) {
	var unjudged []string
	for _, r := range law(t).All() {
		if r.WhyNot != "" {
			unjudged = append(unjudged, r.ID)
		}
	}
	NewWithT(t).Expect(len(unjudged)).To(BeNumerically("<=", 8), "%v", unjudged)
}

func TestHardlyAnyRequirementVariesFromRunToRunAndOnlyOneThatMay(t *testing.T) {
	g := NewWithT(t)
	var varying []string
	for _, r := range law(t).All() {
		if r.VariesByRun() {
			g.Expect(r.Level).To(Equal(spec.May), r.ID)
			varying = append(varying, r.ID)
		}
	}
	g.Expect(len(varying)).To(BeNumerically("<=", 3), "%v", varying)
}

func TestNoSentenceIsSaidTwice(t *testing.T) {
	g := NewWithT(t)
	first := map[string]string{}
	for _, r := range law(t).All() {
		g.Expect(first).NotTo(HaveKey(r.Says), "%s and %s", r.ID, first[r.Says])
		first[r.Says] = r.ID
	}
	g.Expect(first).To(HaveLen(len(law(t).All())))
}

func TestTheSuiteJudgesTheCleanChapterAndNoOther(t *testing.T) {
	g := NewWithT(t)
	chapters := law(t).Chapters()
	g.Expect(chapters).NotTo(BeEmpty())
	for _, chapter := range chapters {
		for _, r := range chapter.Requirements {
			g.Expect(r.JudgedBySuite()).To(Equal(chapter.Code == "CLEAN"), r.ID)
		}
	}
}

func TestFindKnowsEveryIDAndNoOther(t *testing.T) {
	g := NewWithT(t)
	c := law(t)
	for _, q := range c.All() {
		r, ok := c.Find(q.ID)
		g.Expect(ok).To(BeTrue(), q.ID)
		g.Expect(r).To(Equal(q))
	}
	_, ok := c.Find("JM-ATT-99")
	g.Expect(ok).To(BeFalse())
}

func TestASpecThatProbesAnAttachNeedsAQPThatAttaches(t *testing.T) {
	g := NewWithT(t)
	for _, r := range law(t).All() {
		if r.Chapter == "ATT" || slices.Contains(r.Observe, "probe") {
			g.Expect(r.Needs).To(ContainElements(spec.UDQP, spec.McastQP), r.ID)
		}
	}
}

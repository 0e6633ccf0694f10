package catalogue_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/catalogue"
)

// ids are the requirements of the law, in catalogue order.
var ids = []string{
	"JM-BIND-01", "JM-BIND-02", "JM-BIND-03", "JM-BIND-04", "JM-BIND-05", "JM-BIND-06", "JM-BIND-07", "JM-BIND-08",
	"JM-PS-01", "JM-PS-02",
	"JM-ARG-01", "JM-ARG-02", "JM-ARG-03", "JM-ARG-05", "JM-ARG-06", "JM-ARG-10",
	"JM-EX-01", "JM-EX-02", "JM-EX-03", "JM-EX-04", "JM-EX-05", "JM-EX-08", "JM-EX-09",
	"JM-RET-01", "JM-RET-02",
	"JM-EVT-01", "JM-EVT-02", "JM-EVT-03", "JM-EVT-04", "JM-EVT-05", "JM-EVT-06", "JM-EVT-07", "JM-EVT-08",
	"JM-ATT-01", "JM-ATT-02", "JM-ATT-03", "JM-ATT-04", "JM-ATT-05", "JM-ATT-06", "JM-ATT-07",
	"JM-LV-01", "JM-LV-02", "JM-LV-03", "JM-LV-04", "JM-LV-05", "JM-LV-06", "JM-LV-07", "JM-LV-10", "JM-LV-16", "JM-LV-17",
	"JM-DST-01", "JM-DST-02", "JM-DST-06",
	"JM-SYN-01", "JM-DAT-01", "JM-MAP-01",
	"JM-CLEAN-01", "JM-CLEAN-02", "JM-CLEAN-03", "JM-CLEAN-04",
}

// law is the embedded law.
func law(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.Load()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return c
}

func TestTheLawHoldsExactlyItsIDsInCatalogueOrder(t *testing.T) {
	g := NewWithT(t)
	var got []string
	for _, r := range law(t).All() {
		got = append(got, r.ID)
	}
	g.Expect(got).To(HaveLen(60))
	g.Expect(got).To(Equal(ids))
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

func TestNoSentenceIsSaidTwice(t *testing.T) {
	g := NewWithT(t)
	first := map[string]string{}
	for _, r := range law(t).All() {
		g.Expect(first).NotTo(HaveKey(r.Says), "%s and %s", r.ID, first[r.Says])
		first[r.Says] = r.ID
	}
	g.Expect(first).To(HaveLen(len(ids)))
}

func TestTheSuiteJudgesTheCleanChapterAndNoOther(t *testing.T) {
	g := NewWithT(t)
	chapters := law(t).Chapters()
	g.Expect(chapters).To(HaveLen(13))
	for _, chapter := range chapters {
		for _, r := range chapter.Requirements {
			g.Expect(r.JudgedBySuite()).To(Equal(chapter.Code == "CLEAN"), r.ID)
		}
	}
}

func TestFindKnowsEveryIDAndNoOther(t *testing.T) {
	g := NewWithT(t)
	c := law(t)
	for _, id := range ids {
		r, ok := c.Find(id)
		g.Expect(ok).To(BeTrue(), id)
		g.Expect(r.ID).To(Equal(id))
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

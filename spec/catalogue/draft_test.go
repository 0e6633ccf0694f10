package catalogue_test

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestADraftParsesAsTheNextRequirementOfItsChapterAndIsUnwritten(t *testing.T) {
	g := NewWithT(t)
	text := `chapter: LV
title: Leaving
requirements:
  - id: JM-LV-33
    level: MUST
    says: A sentence.
    source: [a page]
    layer: driver
    on: [ib]
    seen: {ib: read only}
    observe: [leave]
`
	before, err := parse(text)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(before.All()[0].Unwritten()).To(BeEmpty(), "control")

	file, entry, err := before.Draft("JM-LV-34")

	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(file).To(Equal("att.yaml"))
	after, err := parse(text + entry)
	g.Expect(err).NotTo(HaveOccurred())
	q, ok := after.Find("JM-LV-34")
	g.Expect(ok).To(BeTrue())
	g.Expect(q.Unwritten()).To(Equal(
		[]string{"says", "source", "seen on rocev2", "seen on rocev1", "seen on ib", "seen on iwarp"}))
}

func TestDraftRefuses(t *testing.T) {
	for id, want := range map[string]string{
		"JM-LV-1":     `id "JM-LV-1" is malformed, want JM-<CHAPTER>-<two digits>, as in JM-LV-34`,
		"LV-34":       `id "LV-34" is malformed`,
		"JM-XY-01":    "the law has no chapter XY, want one of ENV, BIND, PS,",
		"JM-LV-02":    "id JM-LV-02 is used, in leave.yaml:",
		"JM-LV-08":    "id JM-LV-08 may have been used before, and is never reused; want one after JM-LV-",
		"JM-CLEAN-50": "chapter CLEAN has no specs to begin: the suite itself judges it, after every spec",
	} {
		t.Run(id, func(t *testing.T) {
			g := NewWithT(t)
			_, entry, err := law(t).Draft(id)
			g.Expect(err).To(MatchError(ContainSubstring(want)))
			g.Expect(entry).To(BeEmpty())
		})
	}
}

func TestNoRequirementOfTheLawIsADraft(t *testing.T) {
	g := NewWithT(t)
	for _, r := range law(t).All() {
		g.Expect(r.Unwritten()).To(BeEmpty(), "%s in %s:%d still has fields to be written", r.ID, r.File, r.Line)
	}
}

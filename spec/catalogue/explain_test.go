package catalogue_test

import (
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec/catalogue"
)

func TestListAlignsIDLevelLayerAndSentenceUnderTheTitle(t *testing.T) {
	g := NewWithT(t)
	c, err := parse(small)
	g.Expect(err).NotTo(HaveOccurred())
	var b strings.Builder
	g.Expect(c.List(&b)).To(Succeed())
	g.Expect(b.String()).To(Equal(`ATT: Attaching
JM-ATT-01  IS    librdmacm  A join of 0.0.0.0 attaches nothing.
JM-ATT-02  MUST  driver     Another sentence.
`))
}

func TestExplainTellsAllThatTheLawHolds(t *testing.T) {
	g := NewWithT(t)
	c, err := parse(small)
	g.Expect(err).NotTo(HaveOccurred())
	var b strings.Builder
	more := catalogue.Row{Name: "file", Values: []string{"att.yaml", "other.go"}}
	g.Expect(c.Explain(&b, "JM-ATT-01", more)).To(Succeed())
	g.Expect(b.String()).To(Equal(`JM-ATT-01  IS  Attaching

A join of 0.0.0.0 attaches nothing.

  source     a page
  relied on  an application
  layer      librdmacm
  on         rocev2, ib
  needs      ud-qp
  varies     kernel: since 6.3
  seen       rocev2: rxe
             ib: read only
  records    join
  file       att.yaml
             other.go
`))
}

func TestExplainTellsWhyThereIsNoSpecAndWhoJudges(t *testing.T) {
	g := NewWithT(t)
	c, err := parse(small)
	g.Expect(err).NotTo(HaveOccurred())
	var b strings.Builder
	g.Expect(c.Explain(&b, "JM-ATT-02")).To(Succeed())
	g.Expect(b.String()).To(And(
		ContainSubstring("  no spec    Nobody can see it.\n"),
		ContainSubstring("  judged     after every spec, with the spec as evidence\n")))
}

func TestExplainOfAnUnknownIDNamesTheNearest(t *testing.T) {
	for id, want := range map[string]string{
		"JM-ATT-1":  `unknown requirement "JM-ATT-1", the nearest are JM-ATT-01, JM-ATT-02`,
		"jm-att-12": `unknown requirement "jm-att-12", the nearest are JM-ATT-02, JM-ATT-01`,
	} {
		t.Run(id, func(t *testing.T) {
			var b strings.Builder
			g := NewWithT(t)
			c, err := parse(small)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(c.Explain(&b, id)).To(MatchError(want))
			g.Expect(b.String()).To(BeEmpty())
		})
	}
}

// full is a writer with no room left.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestListAndExplainReportAFailedWrite(t *testing.T) {
	g := NewWithT(t)
	g.Expect(law(t).List(full{})).To(MatchError(errFull))
	g.Expect(law(t).Explain(full{}, "JM-ATT-01")).To(MatchError(errFull))
}

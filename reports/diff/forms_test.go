package diff_test

import (
	"bytes"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"
	"gotest.tools/v3/golden"

	"joinmcast/reports"
	"joinmcast/reports/diff"
	"joinmcast/spec/verdict"
)

// mixed has a change of nearly every class, and another kernel.
func mixed() *diff.Diff {
	a := report(ended("JM-EVT-02", verdict.Skip), without("JM-ARG-01"))
	b := report(on(kernel6_12, rdmaCore44),
		ended("JM-EVT-01", verdict.Crash), saw("JM-EVT-01", "event", "<none> | MULTICAST_ERROR"),
		saw("JM-EVT-03", "status", "-1"))
	return diff.Compare(a, b, varying(byKernel))
}

func TestTheDiffAsMarkdown(t *testing.T) {
	g := NewWithT(t)
	var text bytes.Buffer
	g.Expect(mixed().WriteMarkdown(&text)).To(Succeed())
	golden.Assert(t, text.String(), "mixed.md")
}

func TestTheDiffOfAReportWithItselfIsShortInEveryForm(t *testing.T) {
	g := NewWithT(t)
	d := diff.Compare(report(), report(), varying())
	var text, markdown, page bytes.Buffer
	g.Expect(d.WriteText(&text)).To(Succeed())
	g.Expect(d.WriteMarkdown(&markdown)).To(Succeed())
	g.Expect(d.WriteHTML(&page)).To(Succeed())
	g.Expect(text.String()).To(HaveSuffix(d.B + "\nGREEN: A and B are the same report, of 4 requirements\n"))
	g.Expect(markdown.String()).To(HavePrefix("**GREEN**: A and B are the same report, of 4 requirements\n"))
	g.Expect(markdown.String()).NotTo(ContainSubstring("|---|"))
	g.Expect(page.String()).To(ContainSubstring("GREEN</b> A and B are the same report, of 4 requirements"))
	g.Expect(page.String()).NotTo(ContainSubstring("<table>"))
}

// The page has every change once, under its class, with what the filters go by.
func TestTheDiffAsAPageHasEveryChangeOnce(t *testing.T) {
	g := NewWithT(t)
	d := mixed()
	var text bytes.Buffer
	g.Expect(d.WriteHTML(&text)).To(Succeed())
	row := regexp.MustCompile(`<tr id="(\S+)" data-item="[^"]*" data-class="(\S+)" data-level="(\S+)" data-layer="\S+" ` +
		`data-green="(\S+)">`)
	var found [][]string
	for _, m := range row.FindAllStringSubmatch(text.String(), -1) {
		found = append(found, m[1:])
	}
	g.Expect(found).To(Equal([][]string{
		{"JM-EVT-01", "REGRESSED", "MUST", "no"},
		{"JM-EVT-03", "CHANGED", "MAY", "yes"},
		{"JM-ARG-01", "NEW", "MUST", "yes"},
		{"JM-EVT-02", "GAINED", "IS", "yes"},
	}))
	g.Expect(text.String()).To(ContainSubstring("&lt;none&gt; | MULTICAST_ERROR"))
	g.Expect(text.String()).To(ContainSubstring(`value="REGRESSED">REGRESSED <span class="count">1</span>`))
	g.Expect(text.String()).NotTo(ContainSubstring(string(diff.Gone)), "no class that nothing belongs to")
}

func TestMarkdownHidesNothingWhereAllIsRed(t *testing.T) {
	g := NewWithT(t)
	var text bytes.Buffer
	d := diff.Compare(report(), report(ended("JM-EVT-01", verdict.Fail)), varying())
	g.Expect(d.WriteMarkdown(&text)).To(Succeed())
	g.Expect(text.String()).NotTo(ContainSubstring("<details>"))
}

func TestEqualReportsOfTwoRunsAreGreenInMarkdown(t *testing.T) {
	g := NewWithT(t)
	again := report(func(r *reports.Report) { r.Seed = 9 })
	var text bytes.Buffer
	g.Expect(diff.Compare(report(), again, varying()).WriteMarkdown(&text)).To(Succeed())
	g.Expect(text.String()).To(HavePrefix("**GREEN**: no difference; 4 requirements compared\n"))
}

package reports_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"gotest.tools/v3/golden"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

func summary(t *testing.T, r *reports.Report, o reports.SummaryOptions) string {
	t.Helper()
	var text bytes.Buffer
	NewWithT(t).Expect(reports.Summary(&text, r, o)).To(Succeed())
	return text.String()
}

// summarised is what a summary is made of.
type summarised struct {
	made    func() (reports.Run, []reports.SpecResult)
	options reports.SummaryOptions
}

// summaries are runs of every kind, by name.
func summaries(t *testing.T) map[string]summarised {
	t.Helper()
	green2 := func() (reports.Run, []reports.SpecResult) { return simRun(), green() }
	return map[string]summarised{
		"green":   {green2, reports.SummaryOptions{}},
		"slowest": {green2, reports.SummaryOptions{Slowest: true}},
		"red": {func() (reports.Run, []reports.SpecResult) {
			run := liveRun()
			run.Warnings = []string{"known issue KI-9 expired on 2026-01-01: ask someone, then remove it or renew its expiry"}
			return run, with(green(), failed())
		}, reports.SummaryOptions{}},
		"fixed": {func() (reports.Run, []reports.SpecResult) {
			run := simRun()
			run.Issues = known(t, "JM-EVT-02")
			return run, green()
		}, reports.SummaryOptions{}},
		"known-and-skipped": {func() (reports.Run, []reports.SpecResult) {
			results := with(green(), reports.SpecResult{
				ID: "JM-EVT-02", Text: "gives the context back", Verdict: verdict.Known, KnownIssue: "KI-1",
			})
			return simRun(), with(results, reports.SpecResult{
				ID: "JM-EVT-01", Text: "reaches the other host", Verdict: verdict.Skip,
				Skip: &reports.Skipped{Code: "two-hosts", Evidence: "the target has one"},
			})
		}, reports.SummaryOptions{}},
		"not-qualified": {func() (reports.Run, []reports.SpecResult) {
			run := liveRun()
			run.Environment.Nonce = "old"
			return run, green()
		}, reports.SummaryOptions{}},
	}
}

func TestSummaries(t *testing.T) {
	for name, c := range summaries(t) {
		t.Run(name, func(t *testing.T) {
			golden.Assert(t, summary(t, reports.Build(c.made()), c.options), "summary-"+name+".txt")
		})
	}
}

func TestTheStatusIsTheLastLine(t *testing.T) {
	g := NewWithT(t)
	lines := strings.Split(strings.TrimSpace(summary(t, reports.Build(simRun(), green()), reports.SummaryOptions{})), "\n")
	g.Expect(lines[len(lines)-1]).To(Equal("CONFORMANT: 4 of 4 requirements PASS on sim (seed 1, 0.4 s)"))
	selected := with(green(), reports.SpecResult{ID: "JM-EVT-02", Text: "gives the context back", Verdict: verdict.NotRun})
	g.Expect(summary(t, reports.Build(simRun(), selected), reports.SummaryOptions{})).To(HaveSuffix(
		"SELECTION: 3 of 4 requirements PASS, 1 NOTRUN on sim (seed 1, 0.4 s); a selection is no certificate\n"))
}

func TestAGreenSummaryFitsAScreen(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Requirements = nil
	var results []reports.SpecResult
	for chapter := range 18 {
		for n := range 20 {
			id := "JM-" + string(rune('A'+chapter)) + "-" + string(rune('0'+n/10)) + string(rune('0'+n%10))
			run.Requirements = append(run.Requirements, reports.Requirement{
				ID: id, Level: spec.Must, Layer: spec.RDMACM, Chapter: "JM-" + string(rune('A'+chapter)) + " a chapter",
			})
			results = append(results, reports.SpecResult{ID: id, Text: "passes", Verdict: verdict.Pass, Seconds: 1})
		}
	}
	text := summary(t, reports.Build(run, results), reports.SummaryOptions{Width: 80})
	g.Expect(strings.Count(text, "\n")).To(And(BeNumerically(">", 18), BeNumerically("<=", 24)))
	for line := range strings.Lines(text) {
		g.Expect(len(strings.TrimSuffix(line, "\n"))).To(BeNumerically("<=", 80), line)
	}
}

func TestColourIsNeverTheOnlyMark(t *testing.T) {
	g := NewWithT(t)
	r := reports.Build(liveRun(), with(green(), failed()))
	coloured := summary(t, r, reports.SummaryOptions{Color: true})
	g.Expect(coloured).To(ContainSubstring("\x1b[31mFAIL\x1b[0m JM-EVT-02"))
	plain := regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(coloured, "")
	g.Expect(plain).To(Equal(summary(t, r, reports.SummaryOptions{})))
}

func TestAFileGetsNoColour(t *testing.T) {
	g := NewWithT(t)
	f, err := os.CreateTemp(t.TempDir(), "")
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = f.Close() })
	g.Expect(reports.TerminalOptions(f)).To(Equal(reports.SummaryOptions{}))
}

func TestALeakAfterEverySpecDoesNotDrownTheRest(t *testing.T) {
	g := NewWithT(t)
	var results []reports.SpecResult
	for n := range 30 {
		results = append(results, reports.SpecResult{
			ID: "JM-EVT-01", Text: "spec " + string(rune('a'+n)), Verdict: verdict.Pass,
			Clean: []reports.CleanFinding{{Requirement: "JM-CLEAN-01", Verdict: verdict.Fail, Evidence: "239.1.2.3 on eth0"}},
		})
	}
	text := summary(t, reports.Build(simRun(), append(results, green()[1:]...)), reports.SummaryOptions{})
	g.Expect(strings.Count(text, "after this spec")).To(Equal(5))
	g.Expect(text).To(ContainSubstring("and 25 more specs, all of them in report.json"))
}

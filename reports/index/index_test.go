package index_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"gotest.tools/v3/golden"

	"joinmcast/reports"
	"joinmcast/reports/index"
	"joinmcast/spec/verdict"
)

func TestThePageOfARunThatHasEverything(t *testing.T) {
	text := part(t, written(t, run(t)), `<main id="main" tabindex="-1">`, "</main>")
	golden.Assert(t, text, "everything.html")
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	g := NewWithT(t)
	r := run(t)
	text := written(t, r)
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		g.Expect(ids).NotTo(HaveKey(m[1]), "two elements have one id")
		ids[m[1]] = true
	}
	links := regexp.MustCompile(`<a [^>]*href="([^"]+)"`).FindAllStringSubmatch(text, -1)
	g.Expect(len(links)).To(BeNumerically(">", 20))
	for _, m := range links {
		if id, inside := strings.CutPrefix(m[1], "#"); inside {
			g.Expect(ids).To(HaveKey(id))
		} else {
			g.Expect(filepath.Join(r.Dir, m[1])).To(BeAnExistingFile())
		}
	}
}

func TestThePageIsTheSameWheneverItIsWritten(t *testing.T) {
	r := run(t)
	NewWithT(t).Expect(written(t, r)).To(Equal(written(t, r)))
}

func TestWhatToDoFirstIsRanked(t *testing.T) {
	text := part(t, written(t, run(t)), `<ol class="first">`, "</ol>")
	var sentences []string
	for _, m := range regexp.MustCompile(`<li><span.*?</span>.*?</span> (.*?\.) <span`).FindAllStringSubmatch(text, -1) {
		sentences = append(sentences, m[1])
	}
	NewWithT(t).Expect(sentences).To(Equal([]string{
		"Mend librdmacm: 1 MUST is broken, and 1 other leans on it.",
		"Mend librdmacm: 1 MAY crashes its caller.",
		"Remove the entry KI-GONE from fixtures/known-issues/sim.yaml:10: the stack no longer has it.",
		"Ask somebody about KI-LOG, which expires in 20 days (fixtures/known-issues/sim.yaml:1).",
		"Give the stack mischief, without which 1 MUST was not judged: the agent has no preload.",
	}))
}

func TestAnExpiredKnownIssueIsToBeAskedAbout(t *testing.T) {
	g := NewWithT(t)
	r := run(t)
	r.Now = today.AddDate(0, 1, 0)
	text := written(t, r)
	g.Expect(part(t, text, `<ol class="first">`, "</ol>")).To(ContainSubstring(
		"Ask somebody about KI-LOG, which expired on 2026-12-20; then remove its entry or renew it"))
	g.Expect(part(t, text, `<tr id="KI-LOG">`, "</tr>")).To(ContainSubstring("expired on 2026-12-20"))
}

func TestARunThatFailedItselfSaysSoFirst(t *testing.T) {
	r := run(t)
	r.Report.Summary.Status, r.Report.Summary.Reason = verdict.NotQualified, "the guest did not boot"
	NewWithT(t).Expect(part(t, written(t, r), `<ol class="first">`, "</li>")).To(ContainSubstring(
		"Mend the run itself: the guest did not boot."))
}

func TestAGreenRunHasNothingToDo(t *testing.T) {
	r := run(t)
	r.Report.Requirements, r.Report.KnownIssues = r.Report.Requirements[5:6], nil
	NewWithT(t).Expect(written(t, r)).To(ContainSubstring("Nothing: each requirement is as the law"))
}

func TestWhatChangedSinceABaselineIsShownAndCanBeFiltered(t *testing.T) {
	g := NewWithT(t)
	r := run(t)
	base := *r.Report
	base.Requirements = slices.Clone(base.Requirements)
	base.Requirements[1].Verdict = verdict.Pass
	base.Requirements[1].Observed = map[string]string{"context": "own"}
	r.Baseline = &base

	text := written(t, r)

	g.Expect(text).To(ContainSubstring(`<input type="checkbox" name="change" value="REGRESSED">`))
	item := part(t, text, `id="JM-EVT-03"`, "</details>")
	g.Expect(item).To(ContainSubstring(`data-change="REGRESSED"`))
	g.Expect(item).To(ContainSubstring("PASS → FAIL"))
	g.Expect(text).To(ContainSubstring("Find what changed since the baseline: 1 requirement is worse."))
}

func TestWithoutABaselineNothingIsSaidOfChanges(t *testing.T) {
	NewWithT(t).Expect(written(t, run(t))).NotTo(ContainSubstring(`name="change"`))
}

func TestATraceIsShownWhereItIsAskedFor(t *testing.T) {
	g := NewWithT(t)
	r := run(t)
	const call = "<b>rdma_get_cm_event</b>"
	g.Expect(part(t, written(t, r), `id="JM-EVT-01"`, `id="JM-EVT-03"`)).NotTo(ContainSubstring(call))

	r.Traces = []string{"JM-EVT-01"}

	g.Expect(part(t, written(t, r), `id="JM-EVT-01"`, `id="JM-EVT-03"`)).To(ContainSubstring(call))
}

// A script of a race is one call, whose arguments and answer have a part for each group.
func TestALongCallIsShownByItsBeginning(t *testing.T) {
	g := NewWithT(t)
	r := run(t)
	long := strings.Repeat("é", 20_000)
	r.Report.Requirements[1].Specs[0].Failure.Trace = []string{
		"  1  host0/1  script(script=" + long + ") -> 0 tallies=" + long,
	}

	text := written(t, r)

	g.Expect(len(text)).To(BeNumerically("<", len(written(t, run(t)))+2*len(long)/10))
	g.Expect(text).To(And(ContainSubstring("(script=éé"), ContainSubstring("tallies=éé")))
	g.Expect(text).To(MatchRegexp("éé … and 380.. more bytes"))
	g.Expect(text).NotTo(ContainSubstring("\uFFFD"))
}

func TestATraceThatIsNotThereIsRefused(t *testing.T) {
	r := run(t)
	r.Traces = []string{"JM-EVT-99"}
	err := r.Write(&strings.Builder{})
	NewWithT(t).Expect(err).To(MatchError(HaveSuffix(`trace.txt has no spec of requirement "JM-EVT-99"`)))
}

func TestAProgramThatThePageHasNoRoomForIsLinked(t *testing.T) {
	g := NewWithT(t)
	r := run(t)
	g.Expect(written(t, r)).To(ContainSubstring("return 0 &lt; 1;"))
	path := filepath.Join(r.Dir, program)
	g.Expect(os.WriteFile(path, []byte(strings.Repeat("int x;\n", 5_000)), 0o600)).To(Succeed())

	text := written(t, r)

	g.Expect(text).To(ContainSubstring(`href="` + program + `"`))
	g.Expect(text).NotTo(ContainSubstring("int x;"))
}

// What a spec leaves behind is a finding of chapter CLEAN, with the program of the spec.
func TestAProgramOfTwoFindingsTakesItsRoomOnce(t *testing.T) {
	g := NewWithT(t)
	r := run(t)
	g.Expect(os.WriteFile(filepath.Join(r.Dir, program), []byte(strings.Repeat("int x;\n", 4_000)), 0o600)).To(Succeed())
	all := r.Report.Requirements
	last := &all[len(all)-1]
	again := reports.SpecFinding{Failure: &reports.Failure{Programs: []string{program}}}
	last.Specs = append(last.Specs, slices.Repeat([]reports.SpecFinding{again}, 20)...) // more than the page has room for

	g.Expect(written(t, r)).To(ContainSubstring("int x;\nint x;\n"))
}

func TestThePageStandsBesideItsReport(t *testing.T) {
	g := NewWithT(t)
	r := run(t)
	g.Expect(r.WriteFile()).To(Succeed())
	page, err := os.ReadFile(filepath.Join(r.Dir, index.File))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(page)).To(Equal(written(t, r)))
	g.Expect(string(page)).To(ContainSubstring(`href="` + reports.TraceFile + `"`))
}

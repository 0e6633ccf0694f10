package reports_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/spec/verdict"
)

func TestAReportHasTheKnownIssuesThatItsRequirementsName(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Issues = append(known(t, "JM-EVT-02"), known(t, "JM-CLEAN-01")...)
	shows := with(green(), reports.SpecResult{
		ID: "JM-EVT-02", Text: "gives the context back", Verdict: verdict.Known, KnownIssue: "KI-1",
	})
	shows[0].Clean = []reports.CleanFinding{{Requirement: "JM-CLEAN-01", Verdict: verdict.Fail}}

	r := reports.Build(run, shows)

	g.Expect(r.KnownIssues).To(HaveLen(1))
	g.Expect(r.KnownIssues[0]).To(And(
		HaveField("ID", "KI-1"), HaveField("Requirement", "JM-EVT-02"), HaveField("At", "fixtures/known-issues/sim.yaml:1"),
	))
	g.Expect(written(t, r)).To(ContainSubstring(`"expires": "2027-01-01"`))
}

func TestWhatASpecLeftIsKeptLineByLineWithItsRequirement(t *testing.T) {
	g := NewWithT(t)
	left := []string{"host0: WARNING: at cma.c", "host0: taint 0 -> 512"}
	results := green()
	results[1].Clean = []reports.CleanFinding{{Requirement: "JM-CLEAN-01", Verdict: verdict.Fail, Left: left}}

	f := find(t, reports.Build(simRun(), results), "JM-CLEAN-01")

	g.Expect(f.Specs[0].During).To(Equal("JM-EVT-02"))
	g.Expect(f.Specs[0].Failure.Left).To(Equal(left))
}

func TestAKnownIssueCountsItsLastDay(t *testing.T) {
	g := NewWithT(t)
	k := reports.KnownIssue{Expires: "2027-01-31"}
	noon := time.Date(2027, time.January, 31, 12, 0, 0, 0, time.UTC)
	g.Expect(k.DaysLeft(noon)).To(Equal(1))
	g.Expect(k.DaysLeft(noon.AddDate(0, 0, 1))).To(BeZero())
}

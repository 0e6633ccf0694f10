package reports_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/spec/verdict"
)

func never(string) bool { return false }

func TestRunsThatAgreeGiveNoLine(t *testing.T) {
	g := NewWithT(t)
	slower := green()
	slower[0].Seconds, slower[0].Seed = 9, 9
	runs := []*reports.Report{reports.Build(simRun(), green()), reports.Build(simRun(), slower)}
	g.Expect(reports.Soak(runs, never)).To(BeEmpty())
}

func TestRunsThatDisagreeGiveALineForEachVerdictAndField(t *testing.T) {
	g := NewWithT(t)
	wavering, failing := green(), with(green(), failed())
	wavering[2].Observed = map[string]string{"errno": "EFAULT"}
	runs := []*reports.Report{
		reports.Build(simRun(), green()), reports.Build(simRun(), wavering), reports.Build(simRun(), failing),
	}
	g.Expect(reports.Soak(runs, never)).To(ConsistOf(
		Equal("JM-EVT-02: PASS in 1, 2; FAIL in 3"),
		Equal("JM-EVT-02 context: absent in 1, 2; 0 in 3"),
		Equal("JM-ARG-01 errno: EINVAL in 1, 3; EFAULT in 2")))
}

func TestWhatMayVaryFromRunToRunIsOnlyTheObservation(t *testing.T) {
	g := NewWithT(t)
	wavering := green()
	wavering[2].Observed = map[string]string{"errno": "EFAULT"}
	runs := []*reports.Report{reports.Build(simRun(), green()), reports.Build(simRun(), wavering)}
	varies := func(id string) bool { return id == "JM-ARG-01" }

	g.Expect(reports.Soak(runs, varies)).To(BeEmpty())

	wavering[2].Verdict = verdict.Skip
	runs[1] = reports.Build(simRun(), wavering)
	g.Expect(reports.Soak(runs, varies)).To(ConsistOf("JM-ARG-01: PASS in 1; SKIP in 2"))
}

package reports_test

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/spec/verdict"
)

func TestEqualReportsDoNotDiffer(t *testing.T) {
	g := NewWithT(t)
	slower := green()
	slower[0].Seconds = 9
	g.Expect(reports.Diff(reports.Build(simRun(), green()), reports.Build(simRun(), slower))).To(BeEmpty())
}

func TestTwoRunsThatPassCanDiffer(t *testing.T) {
	g := NewWithT(t)
	other := green()
	other[2].Observed = map[string]string{"errno": "EFAULT", "signal": "none"}
	a, b := reports.Build(simRun(), green()), reports.Build(simRun(), other)
	g.Expect(reports.Diff(a, b)).To(Equal([]reports.Difference{{
		ID: "JM-ARG-01", Says: "A NULL id is refused, or the program crashes.", A: verdict.Pass, B: verdict.Pass,
		Observed: map[string][2]string{"errno": {"EINVAL", "EFAULT"}, "signal": {"", "none"}},
	}}))
}

func TestTheDifferenceAsText(t *testing.T) {
	g := NewWithT(t)
	a := reports.Build(simRun(), green())
	run := liveRun()
	run.Requirements[4].ID = "JM-CLEAN-02"
	results := with(green(), failed())
	results[2].Observed = map[string]string{"signal": "SIGSEGV"}
	for i := range results {
		results[i].Clean = []reports.CleanFinding{{Requirement: "JM-CLEAN-02", Verdict: verdict.Pass}}
	}
	var text bytes.Buffer
	g.Expect(reports.WriteDiff(&text, a, reports.Build(run, results))).To(Succeed())
	golden(t, "diff.txt", text.String())
}

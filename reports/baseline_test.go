package reports_test

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"gotest.tools/v3/golden"

	"joinmcast/reports"
)

func jsonOf(t *testing.T, r *reports.Report) string {
	t.Helper()
	text, err := r.JSON()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(text)
}

func TestTwoRunsThatFoundTheSameHaveTheSameBaseline(t *testing.T) {
	g := NewWithT(t)
	run, again, failing := liveRun(), liveRun(), failed()
	again.Seed, again.Command, again.Seconds, again.Warnings = 9, "another", 9, []string{"late"}
	again.Nonce, again.Environment.Nonce, again.Environment.Hosts[0].Nonce = "9", "9", "9"
	failing.Seed, failing.Seconds, failing.Rerun = 9, 9, "another"
	failing.Failure.Trace = []string{"rdma_join_multicast(id 1, 239.9.9.9, 9) = 0"}

	a := reports.Build(run, with(green(), failed()))
	b := reports.Build(again, with(green(), failing))

	g.Expect(jsonOf(t, a)).NotTo(Equal(jsonOf(t, b)), "control")
	g.Expect(jsonOf(t, a.Baseline())).To(Equal(jsonOf(t, b.Baseline())))
	golden.Assert(t, jsonOf(t, a.Baseline()), "baseline.json")
}

func TestABaselineIsAReport(t *testing.T) {
	NewWithT(t).Expect(reports.Validate([]byte(jsonOf(t, reports.Build(liveRun(), green()).Baseline())))).To(Succeed())
}

func TestTheBaselinesAreOfTheTargetsTheyAreNamedAfterAndKeepNothingOfTheirRun(t *testing.T) {
	g := NewWithT(t)
	files, err := filepath.Glob("baselines/*.json")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).NotTo(BeEmpty())
	for _, file := range files {
		kept, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		r, err := reports.Read(file)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(filepath.Base(file)).To(Equal(r.Target + ".json"))
		g.Expect(string(kept)).To(Equal(jsonOf(t, r.Baseline())), file)
	}
}

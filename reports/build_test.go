package reports_test

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

func TestAGreenRunIsConformant(t *testing.T) {
	g := NewWithT(t)
	r := reports.Build(simRun(), green())
	g.Expect(r.Summary.Status).To(Equal(verdict.Conformant))
	g.Expect(r.Summary.Counts).To(HaveKeyWithValue(verdict.Pass, 4))
	g.Expect(r.Summary.Counts).To(HaveKeyWithValue(verdict.NA, 1))
	g.Expect(r.Summary.Levels[spec.May]).To(HaveKeyWithValue(verdict.Pass, 1))
	g.Expect(r.Summary.Layers).To(HaveKeyWithValue(spec.Librdmacm, verdict.Conformant))
	g.Expect(reports.Folder(r.Target, r.Summary.Status == verdict.Selection)).To(Equal("sim"))
}

func TestEveryStatusIsReached(t *testing.T) {
	text := "gives the context back"
	result := func(v verdict.Verdict) func() (reports.Run, []reports.SpecResult) {
		return func() (reports.Run, []reports.SpecResult) {
			return simRun(), with(green(), reports.SpecResult{ID: "JM-EVT-02", Text: text, Verdict: v})
		}
	}
	reached := map[verdict.Status]bool{}
	for name, c := range map[string]struct {
		made   func() (reports.Run, []reports.SpecResult)
		status verdict.Status
		reason string
	}{
		"passed":     {result(verdict.Pass), verdict.Conformant, ""},
		"known":      {result(verdict.Known), verdict.WithKnownIssues, ""},
		"skipped":    {result(verdict.Skip), verdict.Partial, ""},
		"failed":     {result(verdict.Fail), verdict.NonConformant, ""},
		"left out":   {result(verdict.NotRun), verdict.Selection, ""},
		"no verdict": {result(""), verdict.NonConformant, ""},
		"no results": {func() (reports.Run, []reports.SpecResult) { return simRun(), nil }, verdict.NonConformant, ""},
		"nothing at all": {
			func() (reports.Run, []reports.SpecResult) {
				run := simRun()
				run.Requirements = nil
				return run, nil
			}, verdict.NotQualified, "nothing ran: of 0 requirements none was judged",
		},
		"could not begin": {
			func() (reports.Run, []reports.SpecResult) {
				run := simRun()
				run.Reason = "QEMU is not installed"
				return run, nil
			}, verdict.NotQualified, "QEMU is not installed",
		},
		"interrupted": {
			func() (reports.Run, []reports.SpecResult) {
				run := simRun()
				run.Reason = "interrupted"
				return run, green()
			}, verdict.NotQualified, "interrupted",
		},
		"a stranger": {
			func() (reports.Run, []reports.SpecResult) {
				return simRun(), append(green(), reports.SpecResult{ID: "JM-EVT-99", Text: "x", Verdict: verdict.Pass})
			}, verdict.NotQualified, `spec "x" reports on JM-EVT-99, which is not in the catalogue`,
		},
		"a spec of what is judged from what specs leave": {
			func() (reports.Run, []reports.SpecResult) {
				return simRun(), append(green(), reports.SpecResult{ID: "JM-CLEAN-01", Text: "x", Verdict: verdict.Pass})
			}, verdict.NotQualified, `spec "x" reports on JM-CLEAN-01, which is judged from what specs leave behind`,
		},
		"leavings of what has its own specs": {
			func() (reports.Run, []reports.SpecResult) {
				results := green()
				results[0].Clean = []reports.CleanFinding{{Requirement: "JM-EVT-02", Verdict: verdict.Pass}}
				return simRun(), results
			}, verdict.NotQualified, `what spec "gives one MULTICAST_JOIN" left behind is reported on JM-EVT-02, ` +
				"which is judged by specs of its own",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := reports.Build(c.made())
			g.Expect(r.Summary.Status).To(Equal(c.status))
			g.Expect(r.Summary.Reason).To(Equal(c.reason))
			g.Expect(reports.Validate(written(t, r))).To(Succeed())
		})
		reached[c.status] = true
	}
	NewWithT(t).Expect(reached).To(HaveLen(len(verdict.Statuses())))
}

func TestWhatNobodyReportedOnIsAnError(t *testing.T) {
	g := NewWithT(t)
	r := reports.Build(simRun(), green()[1:])
	f := find(t, r, "JM-EVT-01")
	g.Expect(f.Verdict).To(Equal(verdict.Error))
	g.Expect(f.Specs[0].Failure.Message).To(Equal("no spec reported on it"))
}

func TestWhatNobodyReportedOnIsNotRunWhenTheRunBroke(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Reason = "interrupted"
	g.Expect(find(t, reports.Build(run, green()[1:]), "JM-EVT-01").Verdict).To(Equal(verdict.NotRun))
}

func TestRequirementsOutsideTheCountSayWhy(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Requirements = append(run.Requirements, reports.Requirement{
		ID: "JM-SRV-01", Level: spec.Must, Layer: spec.Fabric, WhyNot: "no switch is at hand",
	})
	r := reports.Build(run, green())
	g.Expect(find(t, r, "JM-IB-01").Verdict).To(Equal(verdict.NA))
	g.Expect(find(t, r, "JM-IB-01").Skip).To(Equal(
		&reports.Skipped{Code: "on", Evidence: "it speaks of ib, this stack is rocev2"}))
	g.Expect(find(t, r, "JM-SRV-01").Skip).To(Equal(&reports.Skipped{Code: "why_not", Evidence: "no switch is at hand"}))
	g.Expect(r.Summary.Status).To(Equal(verdict.Conformant))
}

func TestWhatFailedIsToldWhereItsRequirementDoesNotApply(t *testing.T) {
	g := NewWithT(t)
	r := reports.Build(simRun(), append(green(), reports.SpecResult{ID: "JM-IB-01", Text: "x", Verdict: verdict.Fail}))
	g.Expect(find(t, r, "JM-IB-01").Verdict).To(Equal(verdict.Fail))
	g.Expect(r.Summary.Status).To(Equal(verdict.NonConformant))
}

func TestSpecsOfOneRequirementAreMerged(t *testing.T) {
	g := NewWithT(t)
	r := reports.Build(simRun(), append(green(), reports.SpecResult{
		ID: "JM-EVT-01", Text: "also of a second join", Verdict: verdict.Skip,
		Observed: map[string]string{"status": "EINVAL", "event": "MULTICAST_JOIN"},
		Skip:     &reports.Skipped{Code: "two-hosts", Evidence: "one guest"}, BlockedBy: "JM-EVT-02",
	}))
	f := find(t, r, "JM-EVT-01")
	g.Expect(f.Verdict).To(Equal(verdict.Skip))
	g.Expect(f.Specs).To(HaveLen(2))
	g.Expect(f.Specs[0].Text).To(Equal("also of a second join"))
	g.Expect(f.Observed).To(Equal(map[string]string{"status": "0 | EINVAL", "event": "MULTICAST_JOIN"}))
	g.Expect(f.Skip.Code).To(Equal("two-hosts"))
	g.Expect(f.BlockedBy).To(Equal("JM-EVT-02"))
	g.Expect(r.Summary.Status).To(Equal(verdict.Partial))
}

func TestTheOrderOfResultsDoesNotMatter(t *testing.T) {
	g := NewWithT(t)
	results := green()
	backwards := []reports.SpecResult{results[2], results[1], results[0]}
	g.Expect(written(t, reports.Build(simRun(), backwards))).To(Equal(written(t, reports.Build(simRun(), green()))))
}

func TestAKnownIssueThatNoSpecShowsIsFixed(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Issues = known(t, "JM-EVT-02")
	r := reports.Build(run, green())
	f := find(t, r, "JM-EVT-02")
	g.Expect(f.Verdict).To(Equal(verdict.Fixed))
	g.Expect(f.KnownIssue).To(Equal("KI-1"))
	g.Expect(f.Specs[1].Failure.Message).To(Equal(
		"no spec showed known issue KI-1: remove entry KI-1 from fixtures/known-issues/sim.yaml (line 1)"))
	g.Expect(r.Summary.Status).To(Equal(verdict.NonConformant))
}

func TestASiblingThatPassesDoesNotMakeAKnownIssueFixed(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Issues = known(t, "JM-EVT-02")
	r := reports.Build(run, append(green(), reports.SpecResult{
		ID: "JM-EVT-02", Text: "also after a leave", Verdict: verdict.Known, KnownIssue: "KI-1",
	}))
	g.Expect(find(t, r, "JM-EVT-02").Verdict).To(Equal(verdict.Known))
	g.Expect(r.Summary.Status).To(Equal(verdict.WithKnownIssues))
}

func TestASiblingThatIsKnownDoesNotHideThatAnotherIssueIsFixed(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	other := strings.NewReplacer("KI-1", "KI-3", `"0"`, "other").Replace(issues)
	run.Issues = append(known(t, "JM-EVT-02"), knownIn(t, other, "JM-EVT-02")...)
	r := reports.Build(run, append(green(), reports.SpecResult{
		ID: "JM-EVT-02", Text: "also after a leave", Verdict: verdict.Known, KnownIssue: "KI-1",
	}))
	f := find(t, r, "JM-EVT-02")
	g.Expect(f.Verdict).To(Equal(verdict.Fixed))
	g.Expect(f.KnownIssues()).To(Equal([]string{"KI-1"}))
	g.Expect(f.Specs[len(f.Specs)-1].KnownIssue).To(Equal("KI-3"))
}

func TestAKnownIssueOfARequirementThatFailsOtherwiseIsNotFixed(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Issues = known(t, "JM-EVT-02")
	g.Expect(find(t, reports.Build(run, with(green(), failed())), "JM-EVT-02").Verdict).To(Equal(verdict.Fail))
}

func TestWhatSpecsLeaveBehind(t *testing.T) {
	leave := func(v verdict.Verdict, issue string) []reports.SpecResult {
		results := green()
		results[1].Clean = []reports.CleanFinding{{
			Requirement: "JM-CLEAN-01", Verdict: v, Evidence: "239.1.2.3 on eth0", KnownIssue: issue,
			Observed: map[string]string{"left": "group"},
		}}
		return results
	}
	unseen := green()
	allSkipped := green()
	for i := range unseen {
		unseen[i].Clean = nil
		allSkipped[i].Clean, allSkipped[i].Verdict = nil, verdict.Skip
	}
	for name, c := range map[string]struct {
		results []reports.SpecResult
		want    verdict.Verdict
	}{
		"nothing":                   {green(), verdict.Pass},
		"a group":                   {leave(verdict.Fail, ""), verdict.Fail},
		"a known group":             {leave(verdict.Known, "KI-2"), verdict.Known},
		"a word that is no verdict": {leave("dirty", ""), verdict.Error},
		"cannot be seen once":       {leave(verdict.Skip, ""), verdict.Skip},
		"nobody looked":             {unseen, verdict.Error},
		"nothing could run":         {allSkipped, verdict.Skip},
		"no results":                {nil, verdict.Error},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := reports.Build(simRun(), c.results)
			g.Expect(find(t, r, "JM-CLEAN-01").Verdict).To(Equal(c.want))
			g.Expect(reports.Validate(written(t, r))).To(Succeed())
		})
	}
}

func TestASpecThatLeavesSomethingIsTheEvidence(t *testing.T) {
	g := NewWithT(t)
	results := green()
	results[1].Clean = []reports.CleanFinding{{
		Requirement: "JM-CLEAN-01", Verdict: verdict.Fail, Evidence: "239.1.2.3 on eth0",
	}}
	f := find(t, reports.Build(simRun(), results), "JM-CLEAN-01")
	g.Expect(f.Specs).To(HaveLen(1))
	g.Expect(f.Specs[0].Text).To(Equal("gives the context back"))
	g.Expect(f.Specs[0].Failure.Seen).To(Equal("239.1.2.3 on eth0"))
}

func TestAKnownLeakIsFixedOnlyWhenEverySpecRan(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Issues = known(t, "JM-CLEAN-01")
	g.Expect(find(t, reports.Build(run, green()), "JM-CLEAN-01").Verdict).To(Equal(verdict.Fixed))
	skipping := with(green(), reports.SpecResult{ID: "JM-ARG-01", Text: "answers a NULL id", Verdict: verdict.Skip})
	r := reports.Build(run, skipping)
	g.Expect(find(t, r, "JM-CLEAN-01").Verdict).To(Equal(verdict.Pass))
	g.Expect(r.Warnings).To(ConsistOf(
		"known issue KI-2 of JM-CLEAN-01 was not seen, and 1 specs that might show it did not run"))
}

func TestWhatNoDetectorCanTellDoesNotApply(t *testing.T) {
	g := NewWithT(t)
	blind := green()
	blind[1].Verdict, blind[1].Clean = verdict.NA, nil
	blind[1].Skip = &reports.Skipped{Code: "detector", Evidence: "the kernel is built without KASAN"}

	r := reports.Build(simRun(), blind)

	f := find(t, r, "JM-EVT-02")
	g.Expect(f.Verdict).To(Equal(verdict.NA))
	g.Expect(f.Skip).To(Equal(blind[1].Skip))
	g.Expect(r.Summary.Status).To(Equal(verdict.Conformant))
	g.Expect(r.Summary.Counts).To(And(HaveKeyWithValue(verdict.NA, 2), HaveKeyWithValue(verdict.Pass, 3)))
	g.Expect(r.Summary.Levels[spec.Must]).To(HaveKeyWithValue(verdict.NA, 2))
	g.Expect(reports.Validate(written(t, r))).To(Succeed())
	var text bytes.Buffer
	g.Expect(reports.Summary(&text, r, reports.SummaryOptions{})).To(Succeed())
	g.Expect(text.String()).To(ContainSubstring("CONFORMANT: 3 of 3 requirements PASS"))
}

func TestAFilterIsNoNewsOfAKnownLeak(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Issues = known(t, "JM-CLEAN-01")
	r := reports.Build(run, with(green(), reports.SpecResult{
		ID: "JM-ARG-01", Text: "answers a NULL id", Verdict: verdict.NotRun,
	}))
	g.Expect(find(t, r, "JM-CLEAN-01").Verdict).To(Equal(verdict.Pass))
	g.Expect(r.Warnings).To(BeEmpty())
}

func TestASpecThatSaysNothingOfThisStackLeavesNothing(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Issues = known(t, "JM-CLEAN-01")
	r := reports.Build(run, with(green(), reports.SpecResult{
		ID: "JM-ARG-01", Text: "answers a NULL id", Verdict: verdict.NA,
	}))
	g.Expect(find(t, r, "JM-CLEAN-01").Verdict).To(Equal(verdict.Fixed))
}

// An entry with during waits for the specs of that requirement, and for no others.
func TestALeakOfOneRequirementsSpecsIsFixedWhenTheyRan(t *testing.T) {
	during := strings.Replace(issues, "requirement: JM-CLEAN-01", "requirement: JM-CLEAN-01\n  during: JM-EVT-02", 1)
	for id, want := range map[string]verdict.Verdict{"JM-ARG-01": verdict.Fixed, "JM-EVT-02": verdict.Pass} {
		t.Run("skipped "+id, func(t *testing.T) {
			g := NewWithT(t)
			run := simRun()
			run.Issues = knownIn(t, during, "JM-CLEAN-01")
			r := reports.Build(run, append(green(), reports.SpecResult{ID: id, Text: "in vain", Verdict: verdict.Skip}))
			g.Expect(find(t, r, "JM-CLEAN-01").Verdict).To(Equal(want))
		})
	}
}

func TestALiveReportThatDoesNotComeFromThisRunsGuestIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*reports.Run)
		want   string
	}{
		"made without the guest": {
			func(run *reports.Run) { run.Environment = simRun().Environment },
			"target rxe-bookworm-bookworm is a linux stack, and the environment comes from a simulated one",
		},
		"no environment": {
			func(run *reports.Run) { run.Environment = spec.Environment{} },
			"the environment of target rxe-bookworm-bookworm could not be read, so nothing says what was judged",
		},
		"no nonce": {
			func(run *reports.Run) { run.Environment.Nonce = "" },
			`target rxe-bookworm-bookworm gave back nonce "", and this run's is "n0nce": its answers come from elsewhere`,
		},
		"another host": {
			func(run *reports.Run) { run.Environment.Hosts[0].Nonce = "old" },
			`host a of target rxe-bookworm-bookworm gave back nonce "old", and this run's is "n0nce": ` +
				"its answers come from elsewhere",
		},
		"no host": {
			func(run *reports.Run) { run.Environment.Hosts = nil },
			"the environment of target rxe-bookworm-bookworm names no host; want at least the one under test",
		},
		"a run without nonce": {
			func(run *reports.Run) { run.Nonce = "" },
			"this run gave target rxe-bookworm-bookworm no nonce, so nothing shows that the report comes from it",
		},
		"an unknown kind of stack": {
			func(run *reports.Run) { run.Stack = "" },
			`target rxe-bookworm-bookworm is stack ""; want "simulated" or "linux"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			run := liveRun()
			c.change(&run)
			r := reports.Build(run, green())
			g.Expect(r.Summary.Status).To(Equal(verdict.NotQualified))
			g.Expect(r.Summary.Reason).To(Equal(c.want))
		})
	}
}

func TestALiveReportWithThisRunsNonceIsTaken(t *testing.T) {
	g := NewWithT(t)
	g.Expect(reports.Build(liveRun(), green()).Summary.Status).To(Equal(verdict.Conformant))
}

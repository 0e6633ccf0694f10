package reports_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// journalOfChild names the folder whose journal this test binary appends to instead of running tests.
const journalOfChild = "JOINMCAST_TEST_JOURNAL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(journalOfChild); dir != "" {
		os.Exit(childJournals(dir))
	}
	os.Exit(m.Run())
}

// childRows is how many specs a child begins and ends before it dies in the middle of one more.
const childRows = 50

func childJournals(dir string) int {
	j, err := reports.AppendJournal(dir)
	if err != nil {
		return 1
	}
	for i := range childRows {
		s := reports.SpecResult{ID: "JM-EVT-01", Text: fmt.Sprintf("spec %d of %d", i, os.Getpid())}
		if j.SpecBegins(s) != nil {
			return 1
		}
		s.Verdict = verdict.Pass
		if j.SpecEnds(s) != nil {
			return 1
		}
	}
	if j.SpecBegins(reports.SpecResult{ID: "JM-EVT-02", Text: fmt.Sprintf("last of %d", os.Getpid())}) != nil {
		return 1
	}
	return 3 // without closing the journal, as a process that dies
}

func newJournal(t *testing.T, run reports.Run) (*reports.Journal, string) {
	t.Helper()
	dir := t.TempDir()
	j, err := reports.CreateJournal(dir, run)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = j.Close() })
	return j, dir
}

func fromJournal(t *testing.T, dir string) *reports.Report {
	t.Helper()
	g := NewWithT(t)
	rows, torn, err := reports.ReadJournal(filepath.Join(dir, reports.JournalFile))
	g.Expect(err).NotTo(HaveOccurred())
	r, err := reports.FromJournal(rows, torn)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(reports.Validate(written(t, r))).To(Succeed())
	return r
}

func TestAJournalTellsWhichSpecWasRunning(t *testing.T) {
	g := NewWithT(t)
	run := liveRun()
	env := run.Environment
	run.Environment = spec.Environment{}
	j, dir := newJournal(t, run)
	g.Expect(j.EnvironmentRead(env)).To(Succeed())
	results := green()
	g.Expect(j.SpecBegins(results[0])).To(Succeed())
	g.Expect(j.SpecEnds(results[0])).To(Succeed())
	g.Expect(j.SpecBegins(reports.SpecResult{ID: "JM-EVT-02", Text: "gives the context back", Seed: 7})).To(Succeed())

	r := fromJournal(t, dir)
	g.Expect(r.Summary.Status).To(Equal(verdict.NotQualified))
	g.Expect(r.Summary.Reason).To(Equal(
		`the run died while a spec was running: JM-EVT-02 "gives the context back"`))
	g.Expect(r.Environment).To(Equal(env))
	g.Expect(find(t, r, "JM-EVT-01").Verdict).To(Equal(verdict.Pass))
	g.Expect(find(t, r, "JM-EVT-01").Observed).To(HaveKeyWithValue("event", "MULTICAST_JOIN"))
	g.Expect(find(t, r, "JM-EVT-02").Verdict).To(Equal(verdict.Error))
	g.Expect(find(t, r, "JM-EVT-02").Specs[0].Seed).To(BeEquivalentTo(7))
	g.Expect(find(t, r, "JM-ARG-01").Verdict).To(Equal(verdict.NotRun))
	g.Expect(r.Warnings).To(BeEmpty())
}

func TestAJournalOfAGreenRunIsStillNoCertificate(t *testing.T) {
	g := NewWithT(t)
	j, dir := newJournal(t, simRun())
	for _, s := range green() {
		g.Expect(j.SpecBegins(s)).To(Succeed())
		g.Expect(j.SpecEnds(s)).To(Succeed())
	}
	g.Expect(fromJournal(t, dir).Summary.Reason).To(Equal("the run died between two specs"))
	g.Expect(j.RunEnds()).To(Succeed())
	r := fromJournal(t, dir)
	g.Expect(r.Summary.Status).To(Equal(verdict.NotQualified))
	g.Expect(r.Summary.Reason).To(Equal("the run ended and left no report; this one is made from its journal"))
	g.Expect(r.Summary.Counts).To(HaveKeyWithValue(verdict.Pass, 4))
}

func TestATornLastLineIsLeftOutAndTold(t *testing.T) {
	g := NewWithT(t)
	j, dir := newJournal(t, simRun())
	g.Expect(j.SpecBegins(green()[0])).To(Succeed())
	g.Expect(j.SpecEnds(green()[0])).To(Succeed())
	path := filepath.Join(dir, reports.JournalFile)
	text, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(path, text[:len(text)-20], 0o600)).To(Succeed())

	r := fromJournal(t, dir)
	g.Expect(r.Warnings).To(ConsistOf("the journal's last line is torn and was left out"))
	g.Expect(find(t, r, "JM-EVT-01").Verdict).To(Equal(verdict.Error), "its end was torn off")
}

func TestABrokenLineInTheMiddleIsRefusedWithItsNumber(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), reports.JournalFile)
	g.Expect(os.WriteFile(path, []byte("{\"event\":\"run-end\"}\nnonsense\n{}\n"), 0o600)).To(Succeed())
	_, _, err := reports.ReadJournal(path)
	g.Expect(err).To(MatchError(HavePrefix(path + ":2: no row of a journal: ")))
}

func TestAJournalWithoutItsBeginningIsRefused(t *testing.T) {
	g := NewWithT(t)
	_, err := reports.FromJournal([]reports.Row{{Event: reports.RunEnd}}, false)
	g.Expect(err).To(MatchError("the journal has no run-begin row, so nothing says what was run"))
}

func TestSeveralDyingProcessesWriteOneJournal(t *testing.T) {
	g := NewWithT(t)
	_, dir := newJournal(t, simRun())
	var wait sync.WaitGroup
	status := make([]int, 4)
	for i := range status {
		wait.Go(func() {
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), journalOfChild+"="+dir)
			_ = child.Run() // its status is what counts
			status[i] = child.ProcessState.ExitCode()
		})
	}
	wait.Wait()
	g.Expect(status).To(HaveEach(3))

	r := fromJournal(t, dir)
	passed := 0
	for _, s := range find(t, r, "JM-EVT-01").Specs {
		if s.Verdict == verdict.Pass {
			passed++
		}
	}
	g.Expect(passed).To(Equal(4 * childRows))
	g.Expect(find(t, r, "JM-EVT-02").Specs).To(HaveLen(4))
	g.Expect(bytes.Count([]byte(r.Summary.Reason), []byte("last of"))).To(Equal(4))
}

func TestAJournalThatCannotBeWrittenIsToldInOneSentence(t *testing.T) {
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "none")
	_, err := reports.AppendJournal(dir)
	g.Expect(err).To(MatchError(filepath.Join(dir, reports.JournalFile) + " was not written: no such file or directory"))
}

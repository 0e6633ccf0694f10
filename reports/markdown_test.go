package reports_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"gotest.tools/v3/golden"

	"joinmcast/reports"
)

func markdown(t *testing.T, r *reports.Report) string {
	t.Helper()
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(r.WriteMarkdown(dir)).To(Succeed())
	text, err := os.ReadFile(filepath.Join(dir, reports.MarkdownFile))
	g.Expect(err).NotTo(HaveOccurred())
	return string(text)
}

func TestTheReportForAPullRequest(t *testing.T) {
	for name, c := range summaries(t) {
		if c.options.Slowest {
			continue // a report for a pull request does not list them
		}
		t.Run(name, func(t *testing.T) { golden.Assert(t, markdown(t, reports.Build(c.made())), "report-"+name+".md") })
	}
}

// A pull request's comment has room for 65,536 characters.
func TestAReportForAPullRequestStaysShortHoweverMuchIsRed(t *testing.T) {
	g := NewWithT(t)
	run, results := simRun(), green()
	for i := range 99 {
		q, s := run.Requirements[1], failed()
		q.ID = fmt.Sprintf("JM-RED-%02d", i+1)
		s.ID, s.Clean = q.ID, results[0].Clean
		s.Failure.Trace = strings.Split(strings.Repeat("a call of some length, and its answer\n", 500), "\n")
		run.Requirements, results = append(run.Requirements, q), append(results, s)
	}
	text := markdown(t, reports.Build(run, results))
	g.Expect(text).To(ContainSubstring("and 79 more red requirements, all of them in report.json\n"))
	g.Expect(len(text)).To(BeNumerically("<", 65_536))
}

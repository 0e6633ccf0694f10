package reports_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// junitFile is junit.xml as any reader of the form sees it.
type junitFile struct {
	Suites []struct {
		Name       string      `xml:"name,attr"`
		Tests      int         `xml:"tests,attr"`
		Failures   int         `xml:"failures,attr"`
		Errors     int         `xml:"errors,attr"`
		Skipped    int         `xml:"skipped,attr"`
		Properties []property  `xml:"properties>property"`
		Cases      []junitCase `xml:"testcase"`
	} `xml:"testsuite"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class      string     `xml:"classname,attr"`
	Properties []property `xml:"properties>property"`
	Failure    *struct{}  `xml:"failure"`
	Error      *struct{}  `xml:"error"`
	Skipped    *struct{}  `xml:"skipped"`
}

// junitText is junit.xml as it lies on the disk.
func junitText(g Gomega, r *reports.Report, dir string) []byte {
	g.Expect(r.WriteJUnit(dir)).To(Succeed())
	text, err := os.ReadFile(filepath.Join(dir, reports.JUnitFile))
	g.Expect(err).NotTo(HaveOccurred())
	return text
}

func junitOf(g Gomega, r *reports.Report, dir string) junitFile {
	var file junitFile
	g.Expect(xml.Unmarshal(junitText(g, r, dir), &file)).To(Succeed())
	g.Expect(file.Suites).To(HaveLen(1))
	return file
}

// recount is how many requirements of a report have each verdict, of one level or of all.
func recount(r *reports.Report, level spec.Level) map[verdict.Verdict]int {
	counts := map[verdict.Verdict]int{}
	for _, v := range verdict.All() {
		counts[v] = 0
	}
	for _, f := range r.Requirements {
		if level == "" || f.Level == level {
			counts[f.Verdict]++
		}
	}
	return counts
}

// overRandom checks what holds of every report. A failure prints the seed that repeats it.
func overRandom(t *testing.T, check func(g Gomega, run reports.Run, results []reports.SpecResult, dir string)) {
	t.Helper()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		run, results := random(t)
		check(NewGomega(func(message string, _ ...int) { t.Fatal(message) }), run, results, dir)
	})
}

func TestTheJSONCountsWhatItLists(t *testing.T) {
	overRandom(t, func(g Gomega, run reports.Run, results []reports.SpecResult, dir string) {
		g.Expect(reports.Build(run, results).WriteJSON(dir)).To(Succeed())
		read, err := reports.Read(filepath.Join(dir, reports.JSONFile))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(read.Requirements).To(HaveLen(len(run.Requirements)))
		g.Expect(read.Summary.Counts).To(Equal(recount(read, "")))
		for _, level := range spec.Levels() {
			g.Expect(read.Summary.Levels[level]).To(Equal(recount(read, level)), string(level))
		}
	})
}

func TestJUnitTellsEverySpecOnceAndAsItEnded(t *testing.T) {
	overRandom(t, func(g Gomega, run reports.Run, results []reports.SpecResult, dir string) {
		r := reports.Build(run, results)
		want := map[string]int{}
		for _, f := range r.Requirements {
			for _, s := range f.Specs {
				want[f.ID+" "+string(s.Verdict)]++
			}
			if len(f.Specs) == 0 {
				want[f.ID+" "+string(f.Verdict)]++
			}
		}
		if r.Summary.Status == verdict.NotQualified {
			want["run ERROR"]++
		}
		s := junitOf(g, r, dir).Suites[0]
		got := map[string]int{}
		failures, errs, skipped := 0, 0, 0
		for _, c := range s.Cases {
			v := verdict.Error
			for _, p := range c.Properties {
				if p.Name == "verdict" {
					v = verdict.Verdict(p.Value)
				}
			}
			got[c.Class+" "+string(v)]++
			g.Expect(c.Error != nil).To(Equal(v == verdict.Error), string(v))
			g.Expect(c.Failure != nil).To(Equal(v.Red() && v != verdict.Error), string(v))
			g.Expect(c.Skipped != nil).To(Equal(!v.Red() && v != verdict.Pass), string(v))
			failures, errs, skipped = failures+count(c.Failure), errs+count(c.Error), skipped+count(c.Skipped)
		}
		g.Expect(got).To(Equal(want))
		g.Expect([]int{s.Tests, s.Failures, s.Errors, s.Skipped}).To(Equal([]int{len(s.Cases), failures, errs, skipped}))
		g.Expect(s.Properties).To(ContainElement(property{"status", string(r.Summary.Status)}))
	})
}

func count(element *struct{}) int {
	if element == nil {
		return 0
	}
	return 1
}

// chapterCount is one count in a chapter's line of the summary.
var chapterCount = regexp.MustCompile(`(\d+) ([A-Z]+)(?:,|$)`)

func TestTheSummaryCountsWhatTheReportCounts(t *testing.T) {
	overRandom(t, func(g Gomega, run reports.Run, results []reports.SpecResult, _ string) {
		r := reports.Build(run, results)
		var text bytes.Buffer
		g.Expect(reports.Summary(&text, r, reports.SummaryOptions{})).To(Succeed())
		got := map[verdict.Verdict]int{}
		for _, v := range verdict.All() {
			got[v] = 0
		}
		lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
		for _, line := range lines {
			name, counts, ok := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
			if !ok || !regexp.MustCompile(`^JM-[A-Z]+$`).MatchString(name) {
				continue
			}
			for _, m := range chapterCount.FindAllStringSubmatch(counts, -1) {
				n, err := strconv.Atoi(m[1])
				g.Expect(err).NotTo(HaveOccurred())
				got[verdict.Verdict(m[2])] += n
			}
		}
		g.Expect(got).To(Equal(r.Summary.Counts))
		last := lines[len(lines)-1]
		g.Expect(last).To(HavePrefix(string(r.Summary.Status) + ": "))
		if r.Summary.Status != verdict.NotQualified {
			g.Expect(last).To(ContainSubstring(fmt.Sprintf(": %d of %d requirements PASS", r.Summary.Counts[verdict.Pass],
				len(r.Requirements)-r.Summary.Counts[verdict.NA])))
		}
		for _, f := range r.Requirements {
			heading := fmt.Sprintf("%s %s (%s, %s)", f.Verdict, f.ID, f.Level, f.Layer)
			g.Expect(slices.Contains(lines, heading)).To(Equal(f.Verdict.Red()), heading)
		}
	})
}

func TestTheTraceHasEveryCallOfEverySpec(t *testing.T) {
	overRandom(t, func(g Gomega, _ reports.Run, results []reports.SpecResult, dir string) {
		g.Expect(reports.WriteTrace(dir, results)).To(Succeed())
		text, err := os.ReadFile(filepath.Join(dir, reports.TraceFile))
		g.Expect(err).NotTo(HaveOccurred())
		read := map[string][]string{}
		spec := ""
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			if call, ok := strings.CutPrefix(line, "  "); ok {
				read[spec] = append(read[spec], call)
				continue
			}
			spec = line
			read[spec] = []string{}
		}
		want := map[string][]string{}
		for _, s := range results {
			want[fmt.Sprintf("%s %s (seed %d)", s.ID, s.Text, s.Seed)] = append([]string{}, s.Trace...)
		}
		g.Expect(read).To(Equal(want))
	})
}

// What a spec or a finding says in red is never lost on the way to the exit status, nor to whoever reads JUnit alone.
func TestNothingWithAFailureIsGreen(t *testing.T) {
	overRandom(t, func(g Gomega, run reports.Run, results []reports.SpecResult, dir string) {
		red := false
		for _, s := range results {
			red = red || s.Verdict.Red()
			for _, c := range s.Clean {
				red = red || c.Verdict.Red()
			}
		}
		r := reports.Build(run, results)
		for _, f := range r.Requirements {
			red = red || f.Verdict.Red()
		}
		exit := verdict.ExitCode(r.Summary.Status, true)
		s := junitOf(g, r, dir).Suites[0]
		if red {
			g.Expect(exit).NotTo(Equal(verdict.ExitGreen), string(r.Summary.Status))
		}
		shown := Equal(0)
		if exit != verdict.ExitGreen {
			shown = BeNumerically(">", 0)
		}
		g.Expect(s.Failures+s.Errors).To(shown, "%+v", r.Summary)
	})
}

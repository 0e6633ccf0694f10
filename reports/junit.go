package reports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"joinmcast/spec/verdict"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class      string          `xml:"classname,attr"`
	Name       string          `xml:"name,attr"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Failure    *junitText      `xml:"failure"`
	Error      *junitText      `xml:"error"`
	Skipped    *junitText      `xml:"skipped"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes junit.xml into dir, which it makes if need be: a test case a spec, with its requirement's id as the
// class; one for each requirement that has no spec to show; and an error for a run that is NOT-QUALIFIED. FAIL, FIXED,
// HANG and CRASH are failures, ERROR is an error, and KNOWN, SKIP, NA and NOTRUN are skipped with the reason. Its
// properties are the verdict, the requirement's level, layer and source, and what was observed.
func (r *Report) WriteJUnit(dir string) error {
	text, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{r.junit()}}, "", "  ")
	if err != nil {
		return fmt.Errorf("the report cannot be put into JUnit XML: %w", err)
	}
	return WriteFile(filepath.Join(dir, JUnitFile), slices.Concat([]byte(xml.Header), text, []byte("\n")))
}

func (r *Report) junit() junitSuite {
	s := junitSuite{Name: r.Target, Time: seconds(r.Summary.Seconds), Properties: []junitProperty{
		{"status", string(r.Summary.Status)}, {"seed", fmt.Sprint(r.Seed)}, {"command", r.Command},
	}}
	for _, f := range r.Requirements {
		for _, found := range f.Specs {
			s.add(caseOf(f, found))
		}
		if len(f.Specs) == 0 {
			s.add(caseOf(f, SpecFinding{Text: f.Says, Verdict: f.Verdict, Observed: f.Observed}))
		}
	}
	if r.Summary.Status == verdict.NotQualified {
		s.add(junitCase{
			Class: "run", Name: "the run qualifies", Time: seconds(0),
			Error: &junitText{Message: r.Summary.Reason, Type: string(verdict.NotQualified)},
		})
	}
	return s
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func seconds(t float64) string { return fmt.Sprintf("%.3f", t) }

func caseOf(f RequirementFinding, found SpecFinding) junitCase {
	c := junitCase{Class: f.ID, Name: found.Text, Time: seconds(found.Seconds), Properties: []junitProperty{
		{"verdict", string(found.Verdict)}, {"level", string(f.Level)}, {"layer", string(f.Layer)}, {"source", f.Source},
	}}
	for _, field := range slices.Sorted(maps.Keys(found.Observed)) {
		c.Properties = append(c.Properties, junitProperty{"observed." + field, found.Observed[field]})
	}
	switch found.Verdict {
	case verdict.Pass:
	case verdict.Error:
		c.Error = failureText(f, found)
	case verdict.Fail, verdict.Fixed, verdict.Hang, verdict.Crash:
		c.Failure = failureText(f, found)
	case verdict.Known, verdict.Skip, verdict.NA, verdict.NotRun:
		c.Skipped = &junitText{Message: excuse(f, found.Verdict)}
	}
	return c
}

func excuse(f RequirementFinding, v verdict.Verdict) string {
	switch {
	case v == verdict.Known:
		return fmt.Sprintf("%s: %s", v, cmp.Or(f.KnownIssue, "a known issue"))
	case f.Skip != nil && v != verdict.NotRun:
		return fmt.Sprintf("%s: %s: %s", v, f.Skip.Code, f.Skip.Evidence)
	}
	return string(v)
}

func failureText(f RequirementFinding, found SpecFinding) *junitText {
	why := Failure{Message: "no reason was recorded"}
	if found.Failure != nil {
		why = *found.Failure
	}
	var text strings.Builder
	for _, part := range []struct{ name, value string }{
		{"requirement", f.Says},
		{"source", f.Source},
		{"blocked by", f.BlockedBy},
		{"expected", why.Expected},
		{"seen", why.Seen},
		{"at", why.Location},
		{"rerun", found.Rerun},
	} {
		if part.value != "" {
			fmt.Fprintf(&text, "%s: %s\n", part.name, part.value)
		}
	}
	if len(why.Trace) > 0 {
		fmt.Fprintf(&text, "trace:\n%s\n", strings.Join(why.Trace, "\n"))
	}
	return &junitText{Message: why.Message, Type: string(found.Verdict), Text: text.String()}
}

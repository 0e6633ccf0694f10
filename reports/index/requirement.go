package index

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"joinmcast/reports"
	"joinmcast/reports/diff"
	"joinmcast/spec/verdict"
)

// requirement is one requirement as the page shows it.
type requirement struct {
	reports.RequirementFinding
	Fields []field // observed, by name
	Rerun  string
	Change *diff.Change // against the baseline; nil: none
	Specs  []*result
	Leaks  []leftover // of chapter CLEAN: what which spec left
	Left   []leftover // what its own specs left, in the eyes of chapter CLEAN
	Issues []issue
}

// field is one observed field.
type field struct{ Name, Value string }

// result is one spec of a requirement.
type result struct {
	reports.SpecFinding
	Lanes    *lanes
	Programs []program
}

// leftover is what a spec left on the hosts.
type leftover struct {
	Requirement string // the other end: that of chapter CLEAN, or that of the spec
	Spec        string
	Verdict     verdict.Verdict
	NotKnown    string
	Lines       []string
	More        int // lines that are not shown
}

// linesShown is how many lines of what a spec left the page shows: a limit's spec may leave thousands.
const linesShown = 40

func leftoverOf(other string, s reports.SpecFinding) leftover {
	lines := s.Failure.Left
	shown := min(len(lines), linesShown)
	return leftover{other, s.Text, s.Verdict, s.Failure.NotKnown, lines[:shown], len(lines) - shown}
}

// program is a C program that makes a spec's calls. Text is empty where the page has no room for it.
type program struct{ Path, Text string }

// programShown bounds a C program that a page holds, in bytes, since nobody reads a race for 150 groups there; and
// programsShown all of them, so that a run in which all is red stays readable.
const (
	programShown  = 30_000
	programsShown = 300_000
)

// evidence is what stands behind the findings of a run, beside the report.
type evidence struct {
	programs map[string]program    // by path
	left     map[string][]leftover // by requirement
	traces   map[string]map[string][]string
}

func (r Run) evidence() (*evidence, error) {
	e := &evidence{programs: r.programs(), left: map[string][]leftover{}}
	for _, f := range r.Report.Requirements {
		for _, s := range f.Specs {
			if s.During != "" && s.Failure != nil {
				e.left[s.During] = append(e.left[s.During], leftoverOf(f.ID, s))
			}
		}
	}
	if len(r.Traces) == 0 {
		return e, nil
	}
	var err error
	e.traces, err = reports.ReadTrace(r.Dir, r.Traces...)
	return e, err
}

func (e *evidence) requirement(f reports.RequirementFinding, c *diff.Change, issues []issue) *requirement {
	q := &requirement{RequirementFinding: f, Change: c, Left: e.left[f.ID]}
	for _, name := range slices.Sorted(maps.Keys(f.Observed)) {
		q.Fields = append(q.Fields, field{name, f.Observed[name]})
	}
	for _, k := range issues {
		if k.Requirement == f.ID {
			q.Issues = append(q.Issues, k)
		}
	}
	for _, s := range f.Specs {
		q.Rerun = cmp.Or(q.Rerun, s.Rerun)
		if s.During != "" && s.Failure != nil {
			q.Leaks = append(q.Leaks, leftoverOf(s.During, s))
		} else {
			q.Specs = append(q.Specs, e.result(f.ID, s))
		}
	}
	return q
}

func (e *evidence) result(id string, s reports.SpecFinding) *result {
	shown := &result{SpecFinding: s}
	calls := e.traces[id][s.Text]
	if s.Failure != nil {
		for _, path := range s.Failure.Programs {
			if p, kept := e.programs[path]; kept {
				shown.Programs = append(shown.Programs, p)
			}
		}
		if len(s.Failure.Trace) > 0 {
			calls = s.Failure.Trace
		}
	}
	shown.Lanes = lanesOf(calls)
	return shown
}

// programs reads those that the folder has, and keeps the text of as many as there is room for, the gravest failures'
// first.
func (r Run) programs() map[string]program {
	findings := slices.Clone(r.Report.Requirements)
	slices.SortStableFunc(findings, func(a, b reports.RequirementFinding) int {
		return slices.Index(verdict.All(), a.Verdict) - slices.Index(verdict.All(), b.Verdict)
	})
	all := map[string]program{}
	room := programsShown
	for _, f := range findings {
		for _, s := range f.Specs {
			if s.Failure == nil {
				continue
			}
			for _, path := range s.Failure.Programs {
				if _, shown := all[path]; shown {
					continue // what a spec leaves behind is a finding of its own, with the same program
				}
				text, err := os.ReadFile(filepath.Join(r.Dir, path))
				if err != nil {
					continue // it was not kept beside the report
				}
				shown := program{Path: filepath.ToSlash(path)}
				if len(text) <= min(room, programShown) {
					room -= len(text)
					shown.Text = strings.TrimRight(string(text), "\n")
				}
				all[path] = shown
			}
		}
	}
	return all
}

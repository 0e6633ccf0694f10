// Package reports says what a run found: the report and its schema, the files written from it, the terminal summary,
// and the journal that outlives a dying run.
package reports

import (
	"slices"

	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// Schema names the form of report.json; it changes whenever a field changes its name or meaning.
const Schema = "joinmcast-report/1"

// Report is report.json. Maps are written in the order of their keys and lists in the catalogue's order, so two reports
// of equal findings differ in times alone.
type Report struct {
	Schema       string               `json:"schema"`
	Suite        Suite                `json:"suite"`
	Target       string               `json:"target"`
	Seed         int64                `json:"seed"`
	Command      string               `json:"command"` // repeats the run
	Environment  spec.Environment     `json:"environment"`
	Summary      Totals               `json:"summary"`
	Requirements []RequirementFinding `json:"requirements"`
	KnownIssues  []KnownIssue         `json:"known_issues,omitempty"` // that its requirements name
	Warnings     []string             `json:"warnings"`
	Slowest      []SlowSpec           `json:"slowest"` // at most ten, the slowest first
}

// Suite is what judged.
type Suite struct {
	Version   string `json:"version"`
	Catalogue string `json:"catalogue"` // a digest or version of the law
}

// Totals sum up a run. Counts and Levels name every verdict, with 0 where there is none.
type Totals struct {
	Status  verdict.Status                         `json:"status"`
	Reason  string                                 `json:"reason,omitempty"` // of NOT-QUALIFIED: one sentence
	Layers  map[spec.Layer]verdict.Status          `json:"layers"`
	Seconds float64                                `json:"seconds"` // of the whole run
	Counts  map[verdict.Verdict]int                `json:"counts"`
	Levels  map[spec.Level]map[verdict.Verdict]int `json:"levels"`
}

// RequirementFinding is one requirement with what became of it.
type RequirementFinding struct {
	ID         string            `json:"id"`
	Level      spec.Level        `json:"level"`
	Layer      spec.Layer        `json:"layer"`
	Chapter    string            `json:"chapter"`
	Says       string            `json:"says"`
	Source     string            `json:"source"`
	Verdict    verdict.Verdict   `json:"verdict"`
	Observed   map[string]string `json:"observed"` // of all its specs; values that differ are joined by " | "
	Specs      []SpecFinding     `json:"specs"`
	KnownIssue string            `json:"known_issue,omitempty"` // the first of those its specs name
	BlockedBy  string            `json:"blocked_by,omitempty"`  // the requirement that a failing arrange step leans on
	Skip       *Skipped          `json:"skip,omitempty"`
}

// KnownIssues are the ids of those that the requirement's specs show.
func (f RequirementFinding) KnownIssues() []string {
	var ids []string
	for _, s := range f.Specs {
		if s.Verdict == verdict.Known && !slices.Contains(ids, s.KnownIssue) {
			ids = append(ids, s.KnownIssue)
		}
	}
	return ids
}

// SpecFinding is one spec with what became of it. Of a requirement about what specs leave behind it is a spec that left
// something.
type SpecFinding struct {
	Text       string            `json:"text"`
	During     string            `json:"during,omitempty"` // the requirement whose spec it is, where that is another
	Verdict    verdict.Verdict   `json:"verdict"`
	Seconds    float64           `json:"seconds"`
	Seed       int64             `json:"seed,omitempty"`
	Observed   map[string]string `json:"observed,omitempty"`
	KnownIssue string            `json:"known_issue,omitempty"` // that it shows, or no longer shows
	Failure    *Failure          `json:"failure,omitempty"`
	Rerun      string            `json:"rerun,omitempty"` // the command that repeats this spec
}

// Failure is why a spec is not green.
type Failure struct {
	Message  string   `json:"message"`
	Expected string   `json:"expected,omitempty"`
	Seen     string   `json:"seen,omitempty"`
	Location string   `json:"location,omitempty"`  // file:line
	NotKnown string   `json:"not_known,omitempty"` // why it is no known issue, and the edit if it is one
	Left     []string `json:"left,omitempty"`      // kernel log, taint and leaks, a line each
	Trace    []string `json:"trace,omitempty"`     // the last calls and answers, oldest first
	Programs []string `json:"programs,omitempty"`  // C programs that make the same calls, as paths in the report's folder
}

// Skipped is why a requirement was not judged.
type Skipped struct {
	Code     string `json:"code"`     // the lacking capability, or one of the Skip constants
	Evidence string `json:"evidence"` // how that is known
}

// Codes of what is not judged for another reason than a lacking capability.
const (
	SkipTransport = "on"       // it does not speak of this transport
	SkipDetector  = "detector" // the kernel has none that would tell
	SkipNoSpec    = "why_not"  // no spec judges it
	SkipUnseen    = "unseen"   // no spec ran that could leave something
)

// SlowSpec is a spec that took long.
type SlowSpec struct {
	ID      string  `json:"id"`
	Text    string  `json:"text"`
	Seconds float64 `json:"seconds"`
}

// Folder is the name of the folder that a run's files belong in: its target's, with -selection when a filter narrows
// the run, which is then no certificate.
func Folder(target string, narrowed bool) string {
	if narrowed {
		return target + "-selection"
	}
	return target
}

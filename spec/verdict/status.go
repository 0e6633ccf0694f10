package verdict

import (
	"fmt"
	"slices"

	"joinmcast/spec"
)

// Result is one requirement's part of a run.
type Result struct {
	ID    string
	Level spec.Level
	Layer spec.Layer
	Specs []Verdict // one of each spec
}

// Verdict is the requirement's, merged from its specs'.
func (r Result) Verdict() Verdict { return Merge(r.Specs...) }

// Status is what a run says about a stack.
type Status string

// Statuses.
const (
	Conformant      Status = "CONFORMANT"
	WithKnownIssues Status = "CONFORMANT-WITH-KNOWN-ISSUES"
	Partial         Status = "PARTIAL"        // a MUST was skipped
	NonConformant   Status = "NON-CONFORMANT" // something ended FAIL, FIXED, HANG, CRASH or ERROR
	Selection       Status = "SELECTION"      // a filter left out a MUST: what ran is green, and it is no certificate
	NotQualified    Status = "NOT-QUALIFIED"  // nothing ran, the environment is unreadable, or the run did not end
)

// Statuses is every status.
func Statuses() []Status {
	return []Status{Conformant, WithKnownIssues, Partial, NonConformant, Selection, NotQualified}
}

// StatusOf is the status of a whole run, with a sentence of why when it is NotQualified.
//
// A red verdict makes the run NonConformant at any level: a MAY or a HAZARD lists the outcomes it allows, so another
// outcome, or a control that does not hold, breaks the law as well; and an ERROR leaves something unjudged. A MUST of
// which only some specs were skipped or left out is skipped or left out, even when the others are KNOWN. Without a
// filter, a run in which no MUST passed is NotQualified.
func StatusOf(results []Result) (Status, string) {
	status, why := judge(results)
	switch status {
	case NonConformant, Selection, NotQualified:
		return status, why
	}
	passed := func(r Result) bool { return r.Level == spec.Must && r.Verdict() == Pass }
	if !slices.ContainsFunc(results, passed) {
		return NotQualified, "no MUST passed"
	}
	return status, ""
}

// LayerStatuses is the status of each layer that some result names. A layer of which nothing ran is NotQualified.
func LayerStatuses(results []Result) map[spec.Layer]Status {
	parts := map[spec.Layer][]Result{}
	for _, r := range results {
		parts[r.Layer] = append(parts[r.Layer], r)
	}
	statuses := map[spec.Layer]Status{}
	for layer, part := range parts {
		statuses[layer], _ = judge(part)
	}
	return statuses
}

func judge(results []Result) (Status, string) {
	var red, ran, known, skippedMust, leftOutMust bool
	for _, r := range results {
		v := r.Verdict()
		red = red || v.Red()
		known = known || v == Known
		for _, s := range r.Specs {
			ran = ran || s.Ran()
		}
		if r.Level == spec.Must {
			skippedMust = skippedMust || slices.Contains(r.Specs, Skip)
			leftOutMust = leftOutMust || slices.Contains(r.Specs, NotRun) || len(r.Specs) == 0
		}
	}
	switch {
	case red:
		return NonConformant, ""
	case !ran:
		return NotQualified, fmt.Sprintf("nothing ran: of %d requirements none was judged", len(results))
	case leftOutMust:
		return Selection, ""
	case skippedMust:
		return Partial, ""
	case known:
		return WithKnownIssues, ""
	}
	return Conformant, ""
}

// Exit statuses of a run.
const (
	ExitGreen         = 0
	ExitNotConformant = 1
	ExitRunFailed     = 2
)

// ExitCode is the exit status of a run that ended with s. allowPartial is what the target file says about PARTIAL.
func ExitCode(s Status, allowPartial bool) int {
	switch s {
	case Conformant, WithKnownIssues, Selection:
		return ExitGreen
	case Partial:
		if allowPartial {
			return ExitGreen
		}
		return ExitNotConformant
	case NonConformant:
		return ExitNotConformant
	}
	return ExitRunFailed
}

// Package diff says what changed between two reports: of every requirement that both judged what became better, worse
// or other, what only one could judge, and in what the stacks themselves differ.
package diff

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// Class is what kind of difference there is.
type Class string

// Classes, the gravest first. ENVIRONMENT is the one that is about no requirement: see Diff.Environment.
const (
	Regressed   Class = "REGRESSED"   // A was better: B fails where A did not, or worse
	Lost        Class = "LOST"        // A judged it and B could not
	Changed     Class = "CHANGED"     // the same outcome, seen another way
	New         Class = "NEW"         // only B's law speaks of this stack
	Gone        Class = "GONE"        // only A's law does
	Gained      Class = "GAINED"      // B judged it and A could not
	Fixed       Class = "FIXED"       // A failed, B does not
	Environment Class = "ENVIRONMENT" // a field of the two environments
)

// Classes is every class, the gravest first.
func Classes() []Class {
	return []Class{Regressed, Lost, Changed, New, Gone, Gained, Fixed, Environment}
}

// Field is one value on which A and B differ; it is empty where there is none.
type Field struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Change is one requirement on which two reports differ.
type Change struct {
	Class      Class           `json:"class"`
	ID         string          `json:"id"`
	Level      spec.Level      `json:"level"`
	Layer      spec.Layer      `json:"layer"`
	Chapter    string          `json:"chapter"`
	Says       string          `json:"says"`
	A          verdict.Verdict `json:"a,omitempty"` // empty where the report does not have the requirement
	B          verdict.Verdict `json:"b,omitempty"`
	KnownIssue string          `json:"known_issue,omitempty"` // the one that B shows
	Lacks      string          `json:"lacks,omitempty"`       // of LOST and GAINED: what lacked, and how that is known
	Observed   []Field         `json:"observed,omitempty"`    // where both judged it: the fields that differ, by name
	Announced  string          `json:"announced,omitempty"`   // what says that such stacks differ so; it is then not red
	Red        bool            `json:"red"`                   // whether it makes the diff not green
}

// Diff is all that two reports differ in.
type Diff struct {
	A, B        string  // what was judged, in a line each
	Same        bool    // A and B are one and the same report
	Unqualified string  // why a report is none to compare with: it is NOT-QUALIFIED; empty when both will do
	Environment []Field // in the order of the report
	Changes     []Change
	Compared    int // requirements that both reports have, and no filter left out
	LeftOut     int // requirements that a filter left out of one of them or of both
}

// Comparable tells whether the diff says anything: not when a report is NOT-QUALIFIED, or nothing ran in both.
func (d *Diff) Comparable() bool { return d.Unqualified == "" && d.Compared > 0 }

// Green tells whether B is as good as A: they are comparable, and no change is red.
func (d *Diff) Green() bool {
	return d.Comparable() && !slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Red })
}

// Of are the changes of one class, in the law's order.
func (d *Diff) Of(class Class) []Change {
	var some []Change
	for _, c := range d.Changes {
		if c.Class == class {
			some = append(some, c)
		}
	}
	return some
}

// Find is how the law is asked for a requirement: catalogue.Catalogue's Find.
type Find func(id string) (catalogue.Requirement, bool)

// Compare says what changed from A to B. Changes are in the order of A's law, then those that only B's has.
//
// Red are REGRESSED and LOST, and CHANGED of a MUST or IS between kernels of one release series; not what is announced:
// by the law's field varies, or by a known issue that fits B alone. What may vary from run to run is no change.
func Compare(a, b *reports.Report, law Find) *Diff {
	d := &Diff{
		A: reports.Headline(a), B: reports.Headline(b), Same: reflect.DeepEqual(a, b),
		Environment: environment(a, b), Changes: []Change{},
	}
	for _, side := range []struct {
		name string
		r    *reports.Report
	}{{"A", a}, {"B", b}} {
		if s := side.r.Summary; s.Status == verdict.NotQualified && d.Unqualified == "" {
			d.Unqualified = fmt.Sprintf("%s is %s: %s", side.name, s.Status, s.Reason)
		}
	}
	c := comparison{law: law, stacks: stacksOf(a, b), narrowed: narrowed(a) || narrowed(b)}
	others := map[string]reports.RequirementFinding{}
	for _, f := range b.Requirements {
		others[f.ID] = f
	}
	for _, f := range a.Requirements {
		d.add(c, f, others[f.ID])
		delete(others, f.ID)
	}
	for _, f := range b.Requirements {
		if _, onlyB := others[f.ID]; onlyB {
			d.add(c, reports.RequirementFinding{}, f)
		}
	}
	return d
}

// narrowed tells whether a filter left something out of the run.
func narrowed(r *reports.Report) bool {
	leftOut := func(f reports.RequirementFinding) bool { return f.Verdict == verdict.NotRun }
	return slices.ContainsFunc(r.Requirements, leftOut)
}

func (d *Diff) add(c comparison, a, b reports.RequirementFinding) {
	q, _ := c.law(cmp.Or(b.ID, a.ID))
	switch {
	case a.Verdict == verdict.NotRun || b.Verdict == verdict.NotRun,
		c.narrowed && q.JudgedBySuite(): // fewer specs leave less behind
		d.LeftOut++
		return
	case a.ID != "" && b.ID != "":
		d.Compared++
	}
	if change, differ := c.requirement(a, b); differ {
		d.Changes = append(d.Changes, change)
	}
}

// comparison is what two requirements are compared by.
type comparison struct {
	law      Find
	stacks   stacks
	narrowed bool // a filter left specs out of one of the runs
}

// requirement compares what two reports found about one requirement; one of them may not have it.
func (c comparison) requirement(a, b reports.RequirementFinding) (Change, bool) {
	from, to := standingOf(a), standingOf(b)
	class := transition(from, to)
	if class == none {
		return Change{}, false
	}
	one := b
	if b.ID == "" {
		one = a
	}
	change := Change{
		Class: class, ID: one.ID, Level: one.Level, Layer: one.Layer, Chapter: one.Chapter, Says: one.Says,
		A: a.Verdict, B: b.Verdict, KnownIssue: b.KnownIssue,
	}
	q, _ := c.law(one.ID)
	switch class {
	case Lost:
		change.Lacks = lacks(b)
	case Gained:
		change.Lacks = lacks(a)
	case Regressed, Changed, Fixed:
		if !q.VariesByRun() && from.judged() && to.judged() {
			change.Observed = differing(a.Observed, b.Observed)
		}
	}
	if class == Changed && a.Verdict == b.Verdict && len(change.Observed) == 0 {
		return Change{}, false
	}
	change.Announced = c.announced(change, q)
	change.Red = change.Announced == "" && c.red(change)
	return change, true
}

// red tells whether a change that nothing announces makes the diff not green.
func (c comparison) red(change Change) bool {
	switch change.Class {
	case Regressed, Lost:
		return true
	case Changed:
		binding := change.Level == spec.Must || change.Level == spec.Is
		return binding && len(change.Observed) > 0 && !c.stacks.kernels
	}
	return false
}

func lacks(f reports.RequirementFinding) string {
	switch {
	case f.Verdict == verdict.Error:
		return "the suite itself failed"
	case f.Skip == nil:
		return "no reason was recorded"
	}
	return f.Skip.Code + ": " + f.Skip.Evidence
}

// differing are the fields with another value in b, or only on one side, by name.
func differing(a, b map[string]string) []Field {
	names := maps.Clone(a)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, b)
	var fields []Field
	for _, name := range slices.Sorted(maps.Keys(names)) {
		from, inA := a[name]
		to, inB := b[name]
		if from != to || inA != inB {
			fields = append(fields, Field{Name: name, A: from, B: to})
		}
	}
	return fields
}

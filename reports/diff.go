package reports

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"joinmcast/spec/verdict"
)

// Difference is one requirement on which two reports disagree. A verdict is empty where the report does not have the
// requirement. Observed has the fields that differ, each with both values; a field that was not observed is "".
type Difference struct {
	ID       string
	Says     string
	A, B     verdict.Verdict
	Observed map[string][2]string
}

// Diff is the requirements whose verdict or observation differ, in the order of a, then those that only b has.
func Diff(a, b *Report) []Difference {
	others := map[string]RequirementFinding{}
	for _, f := range b.Requirements {
		others[f.ID] = f
	}
	var all []Difference
	for _, f := range a.Requirements {
		other := others[f.ID]
		delete(others, f.ID)
		d := Difference{ID: f.ID, Says: f.Says, A: f.Verdict, B: other.Verdict, Observed: differing(f, other)}
		if d.A != d.B || len(d.Observed) > 0 {
			all = append(all, d)
		}
	}
	for _, f := range b.Requirements {
		if _, onlyB := others[f.ID]; onlyB {
			d := Difference{ID: f.ID, Says: f.Says, B: f.Verdict, Observed: differing(RequirementFinding{}, f)}
			all = append(all, d)
		}
	}
	return all
}

func differing(a, b RequirementFinding) map[string][2]string {
	fields := map[string][2]string{}
	for field, value := range a.Observed {
		if other, ok := b.Observed[field]; !ok || other != value {
			fields[field] = [2]string{value, other}
		}
	}
	for field, value := range b.Observed {
		if _, ok := a.Observed[field]; !ok {
			fields[field] = [2]string{"", value}
		}
	}
	return fields
}

// WriteDiff writes Diff as text: what A and B are, then a line a requirement and an indented one a field.
func WriteDiff(w io.Writer, a, b *Report) error {
	var text strings.Builder
	fmt.Fprintf(&text, "A: %s\nB: %s\n", headline(a), headline(b))
	all := Diff(a, b)
	for _, d := range all {
		verdicts := fmt.Sprintf("%s in A, %s in B", orAbsent(string(d.A)), orAbsent(string(d.B)))
		if d.A == d.B {
			verdicts = string(d.A) + " in both"
		}
		fmt.Fprintf(&text, "%s: %s: %s\n", d.ID, verdicts, d.Says)
		for _, field := range slices.Sorted(maps.Keys(d.Observed)) {
			v := d.Observed[field]
			fmt.Fprintf(&text, "    %s: %s in A, %s in B\n", field, orAbsent(v[0]), orAbsent(v[1]))
		}
	}
	fmt.Fprintf(&text, "%d of %d requirements differ\n", len(all), max(len(a.Requirements), len(b.Requirements)))
	_, err := io.WriteString(w, text.String())
	return err
}

func orAbsent(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

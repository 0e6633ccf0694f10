package diff

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Conclusion is the diff in one line: what there is of each class, and whether it is green.
func (d *Diff) Conclusion() string {
	switch {
	case !d.Comparable():
		return "NOT COMPARABLE: " + cmp.Or(d.Unqualified, "there is no requirement that both A and B ran")
	case d.Same:
		return fmt.Sprintf("GREEN: A and B are the same report, of %d requirements", d.Compared)
	}
	verdict := "GREEN"
	if !d.Green() {
		verdict = "NOT GREEN"
	}
	var counts []string
	for _, class := range Classes() {
		if n := d.count(class); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, class))
		}
	}
	what := cmp.Or(strings.Join(counts, ", "), "no difference")
	text := fmt.Sprintf("%s: %s; %d requirements compared", verdict, what, d.Compared)
	if d.LeftOut > 0 {
		text += fmt.Sprintf(", %d left out by a filter", d.LeftOut)
	}
	return text
}

func (d *Diff) count(class Class) int {
	if class == Environment {
		return len(d.Environment)
	}
	return len(d.Of(class))
}

// WriteText writes the diff for a terminal: what A and B are, each class with its changes, a line a requirement and an
// indented one a field, and the conclusion as the last line.
func (d *Diff) WriteText(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "A: %s\nB: %s\n", d.A, d.B)
	if len(d.Environment) > 0 {
		fmt.Fprintf(&text, "%s\n", Environment)
	}
	for _, f := range d.Environment {
		fmt.Fprintf(&text, "  %s\n", f)
	}
	for _, class := range Classes() {
		changes := d.Of(class)
		if len(changes) > 0 {
			fmt.Fprintf(&text, "%s\n", class)
		}
		for _, c := range changes {
			fmt.Fprintf(&text, "  %s %s %s: %s: %s\n", c.ID, c.Level, c.Layer, c.Verdicts(), c.Says)
			for _, f := range c.Observed {
				fmt.Fprintf(&text, "      %s\n", f)
			}
			for _, note := range c.Notes() {
				fmt.Fprintf(&text, "      %s\n", note)
			}
		}
	}
	fmt.Fprintf(&text, "%s\n", d.Conclusion())
	_, err := io.WriteString(w, text.String())
	return err
}

// String is the field with both values.
func (f Field) String() string {
	return fmt.Sprintf("%s: %s in A, %s in B", f.Name, orAbsent(f.A), orAbsent(f.B))
}

// Verdicts says what became of the requirement in A and in B.
func (c Change) Verdicts() string {
	if c.A == c.B {
		return string(c.A) + " in both"
	}
	return fmt.Sprintf("%s in A, %s in B", orAbsent(string(c.A)), orAbsent(string(c.B)))
}

// Notes are the sentences about a change: what was lacking, which known issue B shows, why it is not red.
func (c Change) Notes() []string {
	var notes []string
	if c.Lacks != "" {
		notes = append(notes, map[Class]string{Lost: "not judged in B: ", Gained: "not judged in A: "}[c.Class]+c.Lacks)
	}
	if c.KnownIssue != "" {
		notes = append(notes, "known issue "+c.KnownIssue)
	}
	if c.Announced != "" {
		notes = append(notes, "announced by "+c.Announced)
	}
	return notes
}

func orAbsent(s string) string { return cmp.Or(s, "absent") }

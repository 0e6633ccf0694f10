package diff

import (
	"fmt"
	"io"
	"strings"

	"joinmcast/reports/md"
)

// WriteMarkdown writes the diff for a pull request: the conclusion, a table of what is red, and the rest collapsed.
func (d *Diff) WriteMarkdown(w io.Writer) error {
	var text strings.Builder
	word, rest, _ := strings.Cut(d.Conclusion(), ": ")
	fmt.Fprintf(&text, "**%s**: %s\n\n* A: %s\n* B: %s\n", word, md.Escape(rest), md.Escape(d.A), md.Escape(d.B))
	var red, others []Change
	for _, class := range Classes() {
		for _, c := range d.Of(class) {
			if c.Red {
				red = append(red, c)
			} else {
				others = append(others, c)
			}
		}
	}
	text.WriteString(table(red))
	if len(others) > 0 {
		text.WriteString(md.Details(fmt.Sprintf("%d changes that are not red", len(others)), table(others)))
	}
	if len(d.Environment) > 0 {
		rows := [][]string{}
		for _, f := range d.Environment {
			rows = append(rows, []string{f.Name, orAbsent(f.A), orAbsent(f.B)})
		}
		text.WriteString(md.Details(fmt.Sprintf("%s: %d fields differ", Environment, len(rows)),
			md.Table([]string{"field", "A", "B"}, rows)))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func table(changes []Change) string {
	var rows [][]string
	for _, c := range changes {
		a, b := []string{orAbsent(string(c.A))}, []string{orAbsent(string(c.B))}
		for _, f := range c.Observed {
			a = append(a, fmt.Sprintf("%s: %s", f.Name, orAbsent(f.A)))
			b = append(b, fmt.Sprintf("%s: %s", f.Name, orAbsent(f.B)))
		}
		what := append([]string{c.Says}, c.Notes()...)
		rows = append(rows, []string{
			string(c.Class), fmt.Sprintf("%s\n%s, %s", c.ID, c.Level, c.Layer),
			strings.Join(what, "\n"), strings.Join(a, "\n"), strings.Join(b, "\n"),
		})
	}
	return md.Table([]string{"", "requirement", "", "A", "B"}, rows)
}

package catalogue

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// List writes the law chapter by chapter, each under its title, a requirement a line: id, level, layer and sentence,
// aligned over all chapters.
func (c *Catalogue) List(w io.Writer) error {
	var id, level, layer int
	for _, r := range c.All() {
		id, level, layer = max(id, len(r.ID)), max(level, len(r.Level)), max(layer, len(r.Layer))
	}
	var b strings.Builder
	for i, chapter := range c.chapters {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", chapter.Code, chapter.Title)
		for _, r := range chapter.Requirements {
			fmt.Fprintf(&b, "%-*s  %-*s  %-*s  %s\n", id, r.ID, level, r.Level, layer, r.Layer, r.Says)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Row is a name and what stands beside it, a line each.
type Row struct {
	Name   string
	Values []string
}

// Explain writes all that the law holds about one requirement, and then the rows that others add. An unknown id is an
// error that names the nearest ids.
func (c *Catalogue) Explain(w io.Writer, id string, more ...Row) error {
	r, ok := c.Find(id)
	if !ok {
		return fmt.Errorf("unknown requirement %q, the nearest are %s", id, strings.Join(c.nearest(id), ", "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s\n\n%s\n\n", r.ID, r.Level, c.title(r.Chapter), r.Says)
	row(&b, "source", r.Source...)
	row(&b, "relied on", r.ReliedOn...)
	row(&b, "layer", string(r.Layer))
	row(&b, "on", join(r.On))
	row(&b, "needs", join(r.Needs))
	row(&b, "detector", r.Detector)
	row(&b, "varies", r.Varies...)
	var seen []string
	for _, transport := range r.On {
		seen = append(seen, fmt.Sprintf("%s: %s", transport, r.Seen[transport]))
	}
	row(&b, "seen", seen...)
	row(&b, "records", join(r.Observe))
	row(&b, "no spec", r.WhyNot)
	if r.JudgedBySuite() {
		row(&b, "judged", "after every spec, with the spec as evidence")
	}
	for _, added := range more {
		row(&b, added.Name, added.Values...)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Catalogue) title(code string) string {
	for _, chapter := range c.chapters {
		if chapter.Code == code {
			return chapter.Title
		}
	}
	return code
}

// row writes a name and its values, a line each; nothing when there is no value.
func row(b *strings.Builder, name string, values ...string) {
	for _, value := range values {
		if value == "" {
			continue
		}
		fmt.Fprintf(b, "  %-10s %s\n", name, value)
		name = ""
	}
}

func join[T ~string](values []T) string {
	var names []string
	for _, v := range values {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// nearest are the three ids that take the fewest edits, the earlier in the catalogue first.
func (c *Catalogue) nearest(id string) []string {
	var ids []string
	for _, r := range c.All() {
		ids = append(ids, r.ID)
	}
	id = strings.ToUpper(id)
	distance := func(to string) int { return levenshtein.Distance(id, to, nil) }
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	return ids[:min(3, len(ids))]
}

package catalogue

import (
	"fmt"
	"io"
	"strings"
)

//go:generate go run joinmcast/conformance/joinmcast spec ../SPEC.md

// preface stands above the chapters of the law in Markdown.
const preface = `<!-- Generated from spec/catalogue by "make generate". Edit the catalogue, not this file. -->

# The law of rdma_join_multicast

What joinmcast judges, chapter by chapter. An id is never renumbered and never reused. A defect of a stack is never law:
it stands in fixtures/known-issues beside the requirement that it breaks.

| level | |
|---|---|
| MUST | a page promises it |
| IS | no page does, and a named application, example or test relies on it |
| MAY | several answers are right; the one seen is recorded |
| HAZARD | undefined use; the allowed outcomes are listed |

The layer is the part of a stack that mends a violation. A requirement speaks of the transports it names; on others it
does not apply. What it records are the fields of its observation in the report.

`

// Markdown writes the whole law as one page: contents, then the chapters with all that is held about each requirement.
func (c *Catalogue) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(preface)
	for _, chapter := range c.chapters {
		fmt.Fprintf(&b, "* [%s](#%s): %s\n", heading(chapter), anchor(heading(chapter)), ids(chapter.Requirements))
	}
	for _, chapter := range c.chapters {
		fmt.Fprintf(&b, "\n## %s\n", heading(chapter))
		for _, r := range chapter.Requirements {
			r.markdown(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func heading(c Chapter) string { return c.Code + ": " + c.Title }

// anchor is the name that forges give a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z':
			return r
		}
		return -1
	}, strings.ToLower(heading))
}

// ids are the first and the last id of a chapter.
func ids(all []Requirement) string {
	if len(all) == 1 {
		return all[0].ID
	}
	return fmt.Sprintf("%s to %s, %d requirements", all[0].ID, all[len(all)-1].ID, len(all))
}

func (r Requirement) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", r.ID, literal(r.Says))
	item(b, "Level", string(r.Level)+", layer "+string(r.Layer)+", on "+join(r.On))
	item(b, "Source", r.Source...)
	item(b, "Relied on by", r.ReliedOn...)
	item(b, "Needs", join(r.Needs))
	item(b, "Told only by the kernel's detector", r.Detector)
	item(b, "Varies", r.Varies...)
	item(b, "Seen", r.sightings()...)
	item(b, "Records", join(r.Observe))
	item(b, "No spec", r.WhyNot)
	if r.JudgedBySuite() {
		item(b, "Judged", "after every spec, with the spec as evidence")
	}
}

// sightings say where the requirement was measured: transports of which the same is said stand together.
func (r Requirement) sightings() []string {
	var seen []string
	for i, transport := range r.On {
		where := r.Seen[transport]
		if i > 0 && where == r.Seen[r.On[i-1]] {
			last := &seen[len(seen)-1]
			*last = strings.Replace(*last, ": ", ", "+string(transport)+": ", 1)
			continue
		}
		seen = append(seen, string(transport)+": "+where)
	}
	return seen
}

// item writes a name and its values as one item of a list; nothing when there is no value.
func item(b *strings.Builder, name string, values ...string) {
	if text := strings.Join(values, "; "); text != "" {
		fmt.Fprintf(b, "* %s: %s\n", name, literal(text))
	}
}

// literal keeps a forge from taking a sentence for markup.
func literal(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`).Replace(text)
}

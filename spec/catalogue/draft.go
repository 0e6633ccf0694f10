package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"joinmcast/spec"
)

// unwritten stands in a draft for what its author is to say.
const unwritten = "to be written"

// Draft is the entry of a requirement that is new, as YAML to be put at the end of a file of the law. It parses, and
// leaves open whatever Unwritten lists. The error is one sentence: the id is malformed, of a chapter that the law does
// not have or whose requirements have no specs, or it is used, or may have been.
func (c *Catalogue) Draft(id string) (file, entry string, err error) {
	form := idForm.FindStringSubmatch(id)
	if form == nil {
		return "", "", fmt.Errorf("id %q is malformed, want JM-<CHAPTER>-<two digits>, as in JM-LV-34", id)
	}
	var codes []string
	for _, chapter := range c.chapters {
		codes = append(codes, chapter.Code)
	}
	i := slices.Index(codes, form[1])
	if i < 0 {
		return "", "", fmt.Errorf("the law has no chapter %s, want one of %s", form[1], strings.Join(codes, ", "))
	}
	last := slices.MaxFunc(c.chapters[i].Requirements, func(a, b Requirement) int { return strings.Compare(a.ID, b.ID) })
	switch used, ok := c.Find(id); {
	case last.JudgedBySuite():
		return "", "", fmt.Errorf("chapter %s has no specs to begin: the suite itself judges it, after every spec", form[1])
	case ok:
		return "", "", fmt.Errorf("id %s is used, in %s:%d, and is never reused; the last of its chapter is %s",
			id, used.File, used.Line, last.ID)
	case id < last.ID:
		return "", "", fmt.Errorf("id %s may have been used before, and is never reused; want one after %s", id, last.ID)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  - id: %s\n    level: %s\n    says: %s is %s.\n", id, spec.Must, id, unwritten)
	fmt.Fprintf(&b, "    source:\n      - %s\n    layer: %s\n", unwritten, last.Layer)
	fmt.Fprintf(&b, "    on: [%s]\n    seen:\n", join(transports))
	for _, transport := range transports {
		fmt.Fprintf(&b, "      %s: %s\n", transport, unwritten)
	}
	b.WriteString("    observe: [answer]\n")
	return last.File, b.String(), nil
}

// Unwritten are the fields that are still as Draft left them.
func (r Requirement) Unwritten() []string {
	var fields []string
	open := func(field string, texts ...string) {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, unwritten) }) {
			fields = append(fields, field)
		}
	}
	open("says", r.Says)
	open("source", r.Source...)
	for _, transport := range r.On {
		open("seen on "+string(transport), r.Seen[transport])
	}
	return fields
}

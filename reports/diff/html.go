package diff

import (
	_ "embed"
	"io"
	"strings"

	"joinmcast/reports/page"
	"joinmcast/spec"
)

//go:embed diff.html
var bodyText string

var body = page.Parse(bodyText)

// WriteHTML writes the diff as one page that needs no network, with filters by class, level and layer.
func (d *Diff) WriteHTML(w io.Writer) error {
	word, rest, _ := strings.Cut(d.Conclusion(), ": ")
	view := struct {
		*Diff
		Word, Rest, Tone string
		Classes          []Class
		Filters          *page.Filters
	}{d, word, rest, "bad", nil, d.filters()}
	if d.Green() {
		view.Tone = "good"
	}
	for _, class := range Classes() {
		if len(d.Of(class)) > 0 {
			view.Classes = append(view.Classes, class)
		}
	}
	return page.Write(w, "What changed from A to B", body, view)
}

// filters are the facets of the changes.
func (d *Diff) filters() *page.Filters {
	facet := func(name string, values []string, of func(Change) string) page.Facet {
		f := page.Facet{Name: name}
		for _, value := range values {
			count := 0
			for _, c := range d.Changes {
				if of(c) == value {
					count++
				}
			}
			if count > 0 {
				f.Values = append(f.Values, page.Value{Name: value, Count: count})
			}
		}
		return f
	}
	return &page.Filters{Of: "changes", Total: len(d.Changes), Facets: []page.Facet{
		facet("class", words(Classes()), func(c Change) string { return string(c.Class) }),
		facet("level", words(spec.Levels()), func(c Change) string { return string(c.Level) }),
		facet("layer", words(spec.Layers()), func(c Change) string { return string(c.Layer) }),
		facet("green", []string{yes, no}, Change.green),
	}}
}

// Values of the facet green.
const (
	yes = "yes"
	no  = "no"
)

func (c Change) green() string {
	if c.Red {
		return no
	}
	return yes
}

func words[T ~string](all []T) []string {
	var texts []string
	for _, w := range all {
		texts = append(texts, string(w))
	}
	return texts
}

package matrix

import (
	_ "embed"
	"io"
	"strings"

	"joinmcast/reports/diff"
	"joinmcast/reports/page"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

//go:embed matrix.html
var bodyText string

var body = page.Parse(bodyText)

// column is a kernel's cells side by side.
type column struct {
	Kernel string
	Cells  int
}

// WriteHTML writes the table as one page that needs no network, with filters by class, level and layer. Its links lead
// to the cells' own pages, in folders beside its own.
func (t *Table) WriteHTML(w io.Writer) error {
	word, rest, _ := strings.Cut(t.Conclusion(), ": ")
	view := struct {
		*Table
		Word, Rest, Tone string
		Kernels          []column
		Lines            []line
		Filters          *page.Filters
	}{t, word, rest, "bad", t.columns(), t.lines(), t.filters()}
	if t.Status() == verdict.ExitGreen {
		view.Tone = "good"
	}
	return page.Write(w, "Kernels and rdma-cores", body, view)
}

func (t *Table) columns() []column {
	var all []column
	for i, c := range t.Cells {
		if i == 0 || c.Kernel != t.Cells[i-1].Kernel {
			all = append(all, column{Kernel: c.KernelVersion()})
		}
		all[len(all)-1].Cells++
	}
	return all
}

// line is a row whose neighbouring cells of a kernel are one where they have the same.
type line struct {
	Row
	Spans []span
}

// span is a value of so many cells side by side.
type span struct {
	Value
	Cells int
}

func (t *Table) lines() []line {
	var all []line
	for _, r := range t.Rows {
		l := line{Row: r}
		for i, v := range r.Values {
			if i > 0 && t.Cells[i].Kernel == t.Cells[i-1].Kernel && v.String() == r.Values[i-1].String() {
				l.Spans[len(l.Spans)-1].Cells++
				continue
			}
			l.Spans = append(l.Spans, span{v, 1})
		}
		all = append(all, l)
	}
	return all
}

func (t *Table) filters() *page.Filters {
	return &page.Filters{Of: "differences", Total: len(t.Rows), Facets: []page.Facet{
		facet(t.Rows, "class", diff.Classes(), func(r Row) diff.Class { return r.Class }),
		facet(t.Rows, "level", spec.Levels(), func(r Row) spec.Level { return r.Level }),
		facet(t.Rows, "layer", spec.Layers(), func(r Row) spec.Layer { return r.Layer }),
	}}
}

func facet[T ~string](rows []Row, name string, values []T, of func(Row) T) page.Facet {
	f := page.Facet{Name: name}
	for _, value := range values {
		count := 0
		for _, r := range rows {
			if of(r) == value {
				count++
			}
		}
		if count > 0 {
			f.Values = append(f.Values, page.Value{Name: string(value), Count: count})
		}
	}
	return f
}

// Counts is how the cell's requirements ended, for the page.
func (c *Cell) Counts() string { return c.counts() }

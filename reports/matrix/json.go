package matrix

import (
	"encoding/json"
	"io"

	"joinmcast/reports/diff"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// Schema names the form of matrix.json; it changes whenever a field changes its name or meaning.
const Schema = "joinmcast-matrix/1"

type jsonTable struct {
	Schema string     `json:"schema"`
	Result string     `json:"result"` // Conclusion
	Cells  []jsonCell `json:"cells"`
	Rows   []jsonRow  `json:"rows"` // differences
	Alike  int        `json:"alike"`
	Owns   []jsonOwn  `json:"own_builds"`
}

type jsonCell struct {
	Target   string                  `json:"target"`
	Kernel   string                  `json:"kernel"`
	RDMACore string                  `json:"rdma_core"`
	Status   verdict.Status          `json:"status"`
	Reason   string                  `json:"reason,omitempty"`
	Counts   map[verdict.Verdict]int `json:"counts,omitempty"`
	Seconds  float64                 `json:"seconds,omitempty"`
}

type jsonRow struct {
	ID     string     `json:"id"`
	Level  spec.Level `json:"level"`
	Layer  spec.Layer `json:"layer"`
	Says   string     `json:"says"`
	Class  diff.Class `json:"class"`
	Began  []string   `json:"began"`
	Values []Value    `json:"values"` // one a cell, in their order
}

type jsonOwn struct {
	Target  string        `json:"target"`
	Base    string        `json:"base"`
	Result  string        `json:"result"`
	Changes []diff.Change `json:"changes"`
}

// WriteJSON writes the table for programs.
func (t *Table) WriteJSON(w io.Writer) error {
	out := jsonTable{
		Schema: Schema, Result: t.Conclusion(), Alike: t.Alike, Cells: []jsonCell{}, Rows: []jsonRow{}, Owns: []jsonOwn{},
	}
	for _, c := range t.Cells {
		cell := jsonCell{
			Target: c.Target, Kernel: c.KernelVersion(), RDMACore: c.RDMACoreVersion(), Status: c.Status(), Reason: c.Why(),
		}
		if c.Report != nil {
			cell.Counts, cell.Seconds = c.Report.Summary.Counts, c.Report.Summary.Seconds
		}
		out.Cells = append(out.Cells, cell)
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, jsonRow{
			ID: r.ID, Level: r.Level, Layer: r.Layer, Says: r.Says, Class: r.Class, Began: r.began(), Values: r.Values,
		})
	}
	for _, o := range t.Owns {
		out.Owns = append(out.Owns, jsonOwn{
			Target: o.Cell.Target, Base: o.Base.Target, Result: o.Diff.Conclusion(), Changes: o.Diff.Changes,
		})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

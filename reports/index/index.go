// Package index writes index.html, the page of one run: what the stack is worth, what to do first, and each requirement
// with its evidence.
package index

import (
	"bytes"
	_ "embed"
	"io"
	"path/filepath"
	"time"

	"joinmcast/reports"
	"joinmcast/reports/page"
)

// File is the name of the page in the folder of its run.
const File = "index.html"

//go:embed index.html
var text string

var body = page.Parse(text)

// Run is what a page is made from.
type Run struct {
	Report   *reports.Report
	Dir      string          // folder of the report: programs and traces are read from there, and links lead there
	Now      time.Time       // from which the days of known issues are counted
	Baseline *reports.Report // what the report is compared with; nil: nothing
	Traces   []string        // ids of green requirements whose calls are shown too, from trace.txt
}

// Write writes the page. What the folder lacks is left out of it; only traces that were asked for must be there.
func (r Run) Write(w io.Writer) error {
	v, err := r.view()
	if err != nil {
		return err
	}
	return page.Write(w, "rdma_join_multicast on "+r.Report.Target, body, v)
}

// WriteFile writes the page as index.html into the run's folder.
func (r Run) WriteFile() error {
	var whole bytes.Buffer
	if err := r.Write(&whole); err != nil {
		return err
	}
	return reports.WriteFile(filepath.Join(r.Dir, File), whole.Bytes())
}

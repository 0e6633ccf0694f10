package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// TraceFile is the name of the file with every spec's calls and answers.
const TraceFile = "trace.txt"

// WriteTrace writes trace.txt into dir, which it makes if need be: the calls of every spec, in the order of the specs'
// requirements and names. No clock, process number or order of running enters it, so two runs of one seed on one
// deterministic stack give the same bytes.
func WriteTrace(dir string, results []SpecResult) error {
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b SpecResult) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Text, b.Text))
	})
	var text bytes.Buffer
	for _, s := range results {
		fmt.Fprintf(&text, "%s %s (seed %d)\n", s.ID, s.Text, s.Seed)
		for _, line := range s.Trace {
			fmt.Fprintf(&text, "  %s\n", line)
		}
	}
	return writeWhole(filepath.Join(dir, TraceFile), text.Bytes())
}

package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	return WriteFile(filepath.Join(dir, TraceFile), text.Bytes())
}

// ReadTrace reads from the trace.txt in dir the calls of the requirements with these ids: by requirement, then by spec.
// An id without a spec there is an error.
func ReadTrace(dir string, ids ...string) (map[string]map[string][]string, error) {
	path := filepath.Join(dir, TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the trace cannot be read: %w", err)
	}
	all := map[string]map[string][]string{}
	var id, spec string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if call, isCall := strings.CutPrefix(line, "  "); isCall {
			if slices.Contains(ids, id) {
				all[id][spec] = append(all[id][spec], call)
			}
			continue
		}
		id, spec, _ = strings.Cut(line, " ")
		spec = spec[:max(0, strings.LastIndex(spec, " (seed "))]
		if all[id] == nil && slices.Contains(ids, id) {
			all[id] = map[string][]string{}
		}
	}
	for _, id := range ids {
		if all[id] == nil {
			return nil, fmt.Errorf("%s has no spec of requirement %q", path, id)
		}
	}
	return all, nil
}

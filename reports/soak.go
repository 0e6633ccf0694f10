package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Soak compares many reports on one stack, the first run's first: a line for every verdict and every observed field on
// which they disagree, in the order of the catalogue. What a requirement observed may differ where varies says so.
func Soak(runs []*Report, varies func(id string) bool) []string {
	findings := make([]map[string]RequirementFinding, len(runs))
	var ids []string
	for i, r := range runs {
		findings[i] = map[string]RequirementFinding{}
		for _, f := range r.Requirements {
			findings[i][f.ID] = f
			if !slices.Contains(ids, f.ID) {
				ids = append(ids, f.ID)
			}
		}
	}
	var lines []string
	for _, id := range ids {
		verdicts := make([]string, len(runs))
		observed := map[string][]string{}
		for i := range runs {
			f := findings[i][id]
			verdicts[i] = string(f.Verdict)
			for field, value := range f.Observed {
				if observed[field] == nil {
					observed[field] = make([]string, len(runs))
				}
				observed[field][i] = value
			}
		}
		lines = append(lines, disagreement(id, verdicts)...)
		if varies(id) {
			continue
		}
		for _, field := range slices.Sorted(maps.Keys(observed)) {
			lines = append(lines, disagreement(id+" "+field, observed[field])...)
		}
	}
	return lines
}

// disagreement is a line about values of which not all are the same: each with the runs that gave it, counted from 1.
func disagreement(of string, values []string) []string {
	var distinct []string
	in := map[string][]string{}
	for i, v := range values {
		if in[v] == nil {
			distinct = append(distinct, v)
		}
		in[v] = append(in[v], fmt.Sprint(i+1))
	}
	if len(distinct) < 2 {
		return nil
	}
	var parts []string
	for _, v := range distinct {
		parts = append(parts, fmt.Sprintf("%s in %s", orAbsent(v), strings.Join(in[v], ", ")))
	}
	return []string{of + ": " + strings.Join(parts, "; ")}
}

func orAbsent(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

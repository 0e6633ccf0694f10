package reports

import "joinmcast/spec"

// Baseline is the report without what is another in every run: nonce, seeds, times, commands, warnings, and how
// failures were told, whose traces name the addresses that a seed drew. Two runs that found the same on the same stack
// have the same baseline, byte for byte. It is a report of the schema still, and what others are compared with.
func (r *Report) Baseline() *Report {
	b := &Report{
		Schema: r.Schema, Suite: r.Suite, Target: r.Target, Environment: r.Environment, Summary: r.Summary,
		Requirements: []RequirementFinding{}, Warnings: []string{}, Slowest: []SlowSpec{},
	}
	b.Summary.Seconds = 0
	b.Environment.Nonce = ""
	b.Environment.Hosts = []spec.HostEnvironment{}
	for _, h := range r.Environment.Hosts {
		h.Nonce = ""
		b.Environment.Hosts = append(b.Environment.Hosts, h)
	}
	for _, f := range r.Requirements {
		specs := []SpecFinding{}
		for _, s := range f.Specs {
			specs = append(specs, SpecFinding{
				Text: s.Text, During: s.During, Verdict: s.Verdict, Observed: s.Observed, KnownIssue: s.KnownIssue,
			})
		}
		f.Specs = specs
		b.Requirements = append(b.Requirements, f)
	}
	return b
}

package diff_test

import (
	"joinmcast/reports"
	"joinmcast/reports/diff"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// stack is the environment of a guest.
func stack(kernel, rdmaCore string) spec.Environment {
	host := func(name string) spec.HostEnvironment {
		return spec.HostEnvironment{
			Name: name, Nonce: kernel + rdmaCore, KernelRelease: kernel, RDMACore: rdmaCore, Driver: "rdma_rxe", Device: "rxe0",
			Libraries: map[string]string{"/usr/lib/librdmacm.so.1.3." + rdmaCore: "id of " + rdmaCore},
			Modules:   map[string]string{"rdma_rxe": "id of " + kernel}, MTU: 1500,
		}
	}
	return spec.Environment{
		Stack: reports.Linux, Transport: spec.RoCEv2, Nonce: kernel + rdmaCore,
		Hosts: []spec.HostEnvironment{host("a"), host("b")},
	}
}

// report is one of a green run over a small law, after the changes.
func report(changes ...func(r *reports.Report)) *reports.Report {
	r := &reports.Report{
		Suite: reports.Suite{Version: "1.0", Catalogue: "abc"}, Target: "rxe-bookworm-bookworm",
		Environment: stack("6.1.0-57-amd64", "44.0-2"), Summary: reports.Totals{Status: verdict.Conformant},
		Requirements: []reports.RequirementFinding{
			finding("JM-EVT-01", spec.Must, "A join ends in exactly one event.", "event", "MULTICAST_JOIN"),
			finding("JM-EVT-02", spec.Is, "The event carries the context of its join.", "context", "own"),
			finding("JM-EVT-03", spec.May, "The event has a status.", "status", "0"),
			finding("JM-ARG-01", spec.Must, "A NULL id is refused.", "errno", "EINVAL"),
		},
	}
	for _, change := range changes {
		change(r)
	}
	return r
}

func finding(id string, level spec.Level, says, field, value string) reports.RequirementFinding {
	return reports.RequirementFinding{
		ID: id, Level: level, Layer: spec.Librdmacm, Chapter: id[3:6], Says: says, Verdict: verdict.Pass,
		Observed: map[string]string{field: value},
	}
}

// ended gives a requirement another verdict.
func ended(id string, v verdict.Verdict) func(r *reports.Report) {
	return with(id, func(f *reports.RequirementFinding) {
		f.Verdict = v
		switch v {
		case verdict.Known:
			f.KnownIssue = "KI-1"
		case verdict.Skip:
			f.Skip = &reports.Skipped{Code: "mischief", Evidence: "nothing there does mischief"}
		case verdict.NA:
			f.Skip = &reports.Skipped{Code: reports.SkipTransport, Evidence: "it speaks of ib, this stack is rocev2"}
		}
	})
}

// saw gives a requirement another observation.
func saw(id, field, value string) func(r *reports.Report) {
	return with(id, func(f *reports.RequirementFinding) { f.Observed = map[string]string{field: value} })
}

func with(id string, change func(f *reports.RequirementFinding)) func(r *reports.Report) {
	return func(r *reports.Report) {
		for i := range r.Requirements {
			if r.Requirements[i].ID == id {
				change(&r.Requirements[i])
			}
		}
	}
}

// without takes a requirement out.
func without(id string) func(r *reports.Report) {
	return func(r *reports.Report) {
		var others []reports.RequirementFinding
		for _, f := range r.Requirements {
			if f.ID != id {
				others = append(others, f)
			}
		}
		r.Requirements = others
	}
}

func on(kernel, rdmaCore string) func(r *reports.Report) {
	return func(r *reports.Report) {
		r.Target, r.Environment = "rxe-other", stack(kernel, rdmaCore)
	}
}

// varying is a law in which every answer varies so.
func varying(items ...string) diff.Find {
	return func(id string) (catalogue.Requirement, bool) {
		return catalogue.Requirement{ID: id, Varies: items}, true
	}
}

package matrix_test

import (
	"path"
	"strings"

	"joinmcast/reports"
	"joinmcast/reports/matrix"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// lawful is a law in which nothing varies.
func lawful(id string) (catalogue.Requirement, bool) { return catalogue.Requirement{ID: id}, true }

// versions of the stacks of the tests, by what they are asked for.
var versions = map[string]string{
	"bookworm": "6.1.192", "trixie": "6.12.118", "sid": "7.2.13",
	"lib-bookworm": "44.0-2", "lib-trixie": "56.1-1",
	"/src/build": "44.0 of /src/build", "/src/newer": "60.1 of /src/newer",
}

// cell is a cell that passes two requirements, changed by what differs.
func cell(kernel, rdmaCore string, differ ...func(*reports.Report)) *matrix.Cell {
	library := versions["lib-"+rdmaCore]
	if library == "" {
		library = versions[rdmaCore]
	}
	r := &reports.Report{
		Target: "rxe-" + kernel + "-" + path.Base(rdmaCore),
		Environment: spec.Environment{Transport: spec.RoCEv2, Hosts: []spec.HostEnvironment{{
			KernelRelease: versions[kernel], RDMACore: library, Driver: "rdma_rxe",
		}}},
		Summary: reports.Totals{Status: verdict.Conformant, Counts: map[verdict.Verdict]int{verdict.Pass: 2}},
		Requirements: []reports.RequirementFinding{
			{
				ID: "JM-ARG-01", Level: spec.Must, Layer: spec.Librdmacm, Chapter: "ARG", Says: "refuses NULL.",
				Verdict: verdict.Pass, Observed: map[string]string{"errno": "EINVAL", "ret": "-1"},
			},
			{
				ID: "JM-EVT-01", Level: spec.Must, Layer: spec.RDMACM, Chapter: "EVT", Says: "gives one event.",
				Verdict: verdict.Pass, Observed: map[string]string{"event": "MULTICAST_JOIN"},
			},
		},
	}
	for _, change := range differ {
		change(r)
	}
	return &matrix.Cell{
		Target: r.Target, Kernel: kernel, RDMACore: rdmaCore, Own: strings.Contains(rdmaCore, "/"), Report: r,
	}
}

// fails makes a requirement fail.
func fails(i int) func(*reports.Report) {
	return func(r *reports.Report) {
		r.Requirements[i].Verdict = verdict.Fail
		r.Summary.Status = verdict.NonConformant
		r.Summary.Counts = map[verdict.Verdict]int{verdict.Pass: 1, verdict.Fail: 1}
	}
}

// answersEFAULT makes the first requirement's errno another.
func answersEFAULT(r *reports.Report) { r.Requirements[0].Observed["errno"] = "EFAULT" }

// dead is a cell whose run could not begin.
func dead(kernel, rdmaCore string) *matrix.Cell {
	c := cell(kernel, rdmaCore)
	c.Report, c.Reason = nil, "suite buster has no package librdmacm1"
	return c
}

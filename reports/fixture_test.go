package reports_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// law is a small catalogue with a requirement of every kind.
func law() []reports.Requirement {
	return []reports.Requirement{
		{
			ID: "JM-EVT-01", Level: spec.Must, Layer: spec.RDMACM, Chapter: "JM-EVT events",
			Says: "A join ends in exactly one event.", Source: "rdma_join_multicast(3), DESCRIPTION",
		},
		{
			ID: "JM-EVT-02", Level: spec.Must, Layer: spec.Librdmacm, Chapter: "JM-EVT events",
			Says: "The event carries the context of its join.", Source: "rdma_get_cm_event(3), UD EVENT DATA",
		},
		{
			ID: "JM-ARG-01", Level: spec.May, Layer: spec.Librdmacm, Chapter: "JM-ARG arguments",
			Says: "A NULL id is refused, or the program crashes.", Source: "librdmacm cma.c rdma_join_multicast",
		},
		{
			ID: "JM-IB-01", Level: spec.Must, Layer: spec.Fabric, Chapter: "JM-IB InfiniBand",
			Says: "The MLID lies in the multicast range.", Source: "IBTA 4.1.1", On: []spec.Transport{spec.InfiniBand},
		},
		{
			ID: "JM-CLEAN-01", Level: spec.Must, Layer: spec.RDMACM, Chapter: "JM-CLEAN what is left",
			Says: "No IGMP membership outlives its process.", Source: "Linux cma.c destroy_mc", Clean: true,
		},
	}
}

// green is a result of every requirement that has specs, all passing.
func green() []reports.SpecResult {
	clean := []reports.CleanFinding{{Requirement: "JM-CLEAN-01", Verdict: verdict.Pass}}
	return []reports.SpecResult{
		{
			ID: "JM-EVT-01", Text: "gives one MULTICAST_JOIN", Verdict: verdict.Pass, Seconds: 0.02, Seed: 7,
			Observed: map[string]string{"event": "MULTICAST_JOIN", "status": "0"}, Clean: clean,
		},
		{ID: "JM-EVT-02", Text: "gives the context back", Verdict: verdict.Pass, Seconds: 0.01, Clean: clean},
		{
			ID: "JM-ARG-01", Text: "answers a NULL id", Verdict: verdict.Pass, Seconds: 0.03, Clean: clean,
			Observed: map[string]string{"errno": "EINVAL"},
		},
	}
}

func failed() reports.SpecResult {
	return reports.SpecResult{
		ID: "JM-EVT-02", Text: "gives the context back", Verdict: verdict.Fail, Seconds: 0.01, Seed: 7,
		Observed: map[string]string{"context": "0"},
		Rerun:    "go tool ginkgo --label-filter=JM-EVT-02 ./conformance -- -seed=7",
		Failure: &reports.Failure{
			Message: "the event has another context", Expected: "context 0xC0FFEE", Seen: "context NULL (0)",
			Location: "conformance/events.go:42",
			Trace:    []string{"rdma_join_multicast(id 1, 239.1.2.3, 0xC0FFEE) = 0", "rdma_get_cm_event(channel 1) = 0"},
		},
	}
}

// simRun is a run on the simulated stack.
func simRun() reports.Run {
	return reports.Run{
		Suite: reports.Suite{Version: "1.0", Catalogue: "sha256:abc"}, Target: "sim", Stack: reports.Simulated, Seed: 1,
		Command: "joinmcast run -target=sim -seed=1", Seconds: 0.4, Requirements: law(),
		Environment: spec.Environment{
			Stack: "simulated", Imitates: "Linux 6.12, rdma-core 56", Transport: spec.RoCEv2, Detectors: []string{},
			Hosts: []spec.HostEnvironment{{Name: "a", KernelRelease: "6.12", RDMACore: "56.0"}},
		},
	}
}

// liveRun is a run on a guest.
func liveRun() reports.Run {
	run := simRun()
	run.Target, run.Stack, run.Nonce = "rxe-bookworm-bookworm", reports.Linux, "n0nce"
	run.Environment = spec.Environment{
		Stack: "linux", Transport: spec.RoCEv2, Nonce: "n0nce", Detectors: []string{"KASAN"},
		Hosts: []spec.HostEnvironment{{
			Name: "a", Nonce: "n0nce", KernelRelease: "6.1.0-57-amd64", KernelVersion: "#1 SMP Debian 6.1.192-1",
			RDMACore: "44.0-2", Driver: "rdma_rxe", Device: "rxe0", RoCEMode: "RoCE v2", MTU: 1500,
			Libraries: map[string]string{"/usr/lib/librdmacm.so.1": "0a1b"}, Modules: map[string]string{"rdma_rxe": "2c3d"},
		}},
	}
	return run
}

// with replaces the result of the same requirement and text, or adds it.
func with(results []reports.SpecResult, changed reports.SpecResult) []reports.SpecResult {
	for i, s := range results {
		if s.ID == changed.ID && s.Text == changed.Text {
			if changed.Clean == nil {
				changed.Clean = s.Clean
			}
			results[i] = changed
			return results
		}
	}
	return append(results, changed)
}

func find(t *testing.T, r *reports.Report, id string) reports.RequirementFinding {
	t.Helper()
	for _, f := range r.Requirements {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("the report has no %s", id)
	return reports.RequirementFinding{}
}

const issues = `- id: KI-1
  requirement: JM-EVT-02
  layer: librdmacm
  when: {target: sim}
  symptom: {verdict: FAIL, observed: {context: "0"}}
  reference: https://example.org/1
  owner: someone
  added: 2026-01-01
  expires: 2027-01-01
- id: KI-2
  requirement: JM-CLEAN-01
  layer: rdma_cm
  when: {target: sim}
  symptom: {verdict: FAIL, observed: {left: group}}
  reference: https://example.org/2
  owner: someone
  added: 2026-01-01
  expires: 2027-01-01
`

func known(t *testing.T, requirement string) verdict.Issues {
	t.Helper()
	return knownIn(t, issues, requirement)
}

// knownIn are the known issues of a requirement in a text. The law of these tests observes whatever they say.
func knownIn(t *testing.T, text, requirement string) verdict.Issues {
	t.Helper()
	find := func(id string) (catalogue.Requirement, bool) {
		q := catalogue.Requirement{ID: id, Observe: []string{"context", "left"}}
		if strings.HasPrefix(id, "JM-CLEAN-") {
			q.Judged = catalogue.AfterEverySpec
		}
		return q, true
	}
	all, err := verdict.ParseIssues(find,
		verdict.File{Name: "fixtures/known-issues/sim.yaml", Data: []byte(text)})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return all.Of(requirement)
}

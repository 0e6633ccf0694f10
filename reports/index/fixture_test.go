package index_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/reports/index"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// today is when the pages of these tests are written.
var today = time.Date(2026, time.December, 1, 12, 0, 0, 0, time.UTC)

const program = "reproduce/JM-EVT-03-gives-the-context-back-host0-1.c"

// law is a small one, with a requirement of every kind.
func law() []reports.Requirement {
	requirement := func(id string, level spec.Level, layer spec.Layer, says string) reports.Requirement {
		return reports.Requirement{
			ID: id, Level: level, Layer: layer, Chapter: strings.Split(id, "-")[1], Says: says, Source: "a page",
		}
	}
	clean := requirement("JM-CLEAN-01", spec.Must, spec.RDMACM, "The kernel log stays quiet.")
	clean.Clean = true
	infiniband := requirement("JM-MAP-09", spec.Must, spec.Fabric, "The MLID lies in the multicast range.")
	infiniband.On = []spec.Transport{spec.InfiniBand}
	return []reports.Requirement{
		requirement("JM-EVT-01", spec.Must, spec.RDMACM, "A join ends in exactly one event."),
		requirement("JM-EVT-03", spec.Must, spec.Librdmacm, "The event carries the context of its join."),
		requirement("JM-ARG-01", spec.May, spec.Librdmacm, "A NULL id is refused, or the program crashes."),
		requirement("JM-LV-26", spec.Is, spec.RDMACM, "A leave returns."),
		requirement("JM-RET-05", spec.Must, spec.Librdmacm, "A failing allocation gives ENOMEM."),
		infiniband, clean,
	}
}

// results hold every verdict that a spec may end with.
func results() []reports.SpecResult {
	return []reports.SpecResult{
		{
			ID: "JM-EVT-01", Text: "gives one event", Verdict: verdict.Pass, Seconds: 0.25, Rerun: "go run JM-EVT-01",
			Observed: map[string]string{"first": "MULTICAST_JOIN"},
			Clean: []reports.CleanFinding{{
				Requirement: "JM-CLEAN-01", Verdict: verdict.Known, KnownIssue: "KI-LOG",
				Evidence: "host0: WARNING: at cma.c", Left: []string{"host0: WARNING: at cma.c", "host0: taint 0 -> 512"},
			}},
		},
		{
			ID: "JM-EVT-03", Text: "gives the context back", Verdict: verdict.Fail, Seconds: 0.5, Rerun: "go run JM-EVT-03",
			Observed: map[string]string{"context": "<NULL>"},
			Failure: &reports.Failure{
				Message: "the event has another context", Expected: "own", Seen: "<NULL>", Location: "event.go:7",
				Trace: []string{
					"  1  host0/1  rdma_create_id(channel=1, context=0x0, ps=RDMA_PS_UDP) -> 0 id=1",
					"  2  host0/1  rdma_get_cm_event(channel=1) -> 0 event=1  [until 4]",
					"  3  host1/1  rdma_create_id(channel=1, context=0x0, ps=RDMA_PS_UDP) -> 0 id=1",
					"  4  host0/1  rdma_join_multicast(id=1, addr=239.1.2.3, context=0xab) -> 0",
					"  5  host0/1  rdma_leave_multicast(id=1, addr=239.1.2.3) has not returned",
				},
			},
			Programs: []string{program},
		},
		{
			ID: "JM-ARG-01", Text: "takes a NULL id", Verdict: verdict.Crash, Seconds: 0.1,
			Failure: &reports.Failure{Message: "the process died by SIGSEGV"},
		},
		{
			ID: "JM-LV-26", Text: "leaves beside a join", Verdict: verdict.Hang, Seconds: 2, BlockedBy: "JM-EVT-03",
			Failure: &reports.Failure{Message: "rdma_leave_multicast has not returned"},
		},
		{
			ID: "JM-RET-05", Text: "fails an allocation", Verdict: verdict.Skip,
			Skip: &reports.Skipped{Code: "mischief", Evidence: "the agent has no preload"},
		},
	}
}

const issues = `- id: KI-LOG
  requirement: JM-CLEAN-01
  layer: rdma_cm
  when: {target: sim}
  symptom: {verdict: FAIL, observed: {log: defect}}
  reference: https://example.org/1
  owner: somebody
  added: 2026-01-01
  expires: 2026-12-20
- id: KI-GONE
  requirement: JM-EVT-01
  layer: rdma_cm
  when: {target: sim}
  symptom: {verdict: FAIL, observed: {log: defect}}
  reference: https://example.org/2
  owner: somebody
  added: 2026-01-01
  expires: 2027-01-01
`

// run is one whose folder has the files of a run.
func run(t *testing.T) index.Run {
	t.Helper()
	g := NewWithT(t)
	find := func(id string) (catalogue.Requirement, bool) {
		return catalogue.Requirement{ID: id, Observe: []string{"log"}}, true
	}
	known, err := verdict.ParseIssues(find, verdict.File{Name: "fixtures/known-issues/sim.yaml", Data: []byte(issues)})
	g.Expect(err).NotTo(HaveOccurred())
	r := reports.Build(reports.Run{
		Suite: reports.Suite{Version: "1", Catalogue: "cafe"}, Target: "sim", Stack: reports.Simulated, Seed: 7,
		Command: "go tool ginkgo --seed=7 ./conformance -- -target=sim",
		Environment: spec.Environment{
			Stack: reports.Simulated, Imitates: "Linux 6.1", Transport: spec.RoCEv2, Hosts: []spec.HostEnvironment{
				{Name: "host0", KernelRelease: "6.1.0", Libraries: map[string]string{"librdmacm.so": "c0ffee"}},
				{Name: "host1", KernelRelease: "6.1.0"},
			},
		},
		Requirements: law(), Seconds: 3, Issues: known,
	}, results())
	dir := t.TempDir()
	g.Expect(os.Mkdir(filepath.Join(dir, "reproduce"), 0o700)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(dir, program), []byte("int main(void) { return 0 < 1; }\n"), 0o600)).To(Succeed())
	g.Expect(r.WriteJSON(dir)).To(Succeed())
	traced := results()
	traced[0].Trace = []string{"  1  host0/1  rdma_get_cm_event(channel=1) -> 0 event=1"}
	g.Expect(reports.WriteTrace(dir, traced)).To(Succeed())
	return index.Run{Report: r, Dir: dir, Now: today}
}

// written is the page's text.
func written(t *testing.T, r index.Run) string {
	t.Helper()
	var text strings.Builder
	NewWithT(t).Expect(r.Write(&text)).To(Succeed())
	return text.String()
}

// part is the text from one word up to another.
func part(t *testing.T, text, from, to string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, from)
	NewWithT(t).Expect(ok).To(BeTrue(), "the page has no %q", from)
	inside, _, ok := strings.Cut(after, to)
	NewWithT(t).Expect(ok).To(BeTrue(), "the page has no %q after %q", to, from)
	return inside
}

package diff_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/reports/diff"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

const (
	kernel6_1   = "6.1.0-57-amd64"
	kernel6_12  = "6.12.38-1-amd64"
	rdmaCore44  = "44.0-2"
	rdmaCore56  = "56.1-1"
	byKernel    = "kernel: before 6.3 the join returns 0"
	byRDMACore  = "rdma-core: ENOSYS from 17 to 27"
	requirement = "JM-EVT-01"
)

func TestWhatIsRedBetweenTwoStacks(t *testing.T) {
	fails, hangs := ended(requirement, verdict.Fail), ended(requirement, verdict.Hang)
	known, skipped := ended(requirement, verdict.Known), ended(requirement, verdict.Skip)
	other := saw(requirement, "event", "MULTICAST_ERROR")
	for name, c := range map[string]struct {
		kernel, rdmaCore string
		change           func(*reports.Report)
		varies           string
		red              bool
	}{
		"a change on another kernel":                   {kernel6_12, rdmaCore44, other, "", false},
		"a change with another rdma-core":              {kernel6_1, rdmaCore56, other, "", true},
		"a change with another package of the kernel":  {"6.1.0-60-amd64", rdmaCore44, other, "", true},
		"an announced change with another rdma-core":   {kernel6_1, rdmaCore56, other, byRDMACore, false},
		"a change that speaks of the kernel, on equal": {kernel6_1, rdmaCore56, other, byKernel, true},
		"a failure on another kernel":                  {kernel6_12, rdmaCore44, fails, "", true},
		"an announced failure on another kernel":       {kernel6_12, rdmaCore44, fails, byKernel, false},
		"a hang where an answer is announced":          {kernel6_12, rdmaCore44, hangs, byKernel, true},
		"a skip where an answer is announced":          {kernel6_12, rdmaCore44, skipped, byKernel, true},
		"a known issue on another kernel":              {kernel6_12, rdmaCore44, known, "", false},
		"a known issue on an equal stack":              {kernel6_1, rdmaCore44, known, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			d := diff.Compare(report(), report(on(c.kernel, c.rdmaCore), c.change), varying(c.varies))
			g.Expect(d.Changes).To(HaveLen(1))
			g.Expect(d.Changes[0].Red).To(Equal(c.red))
			g.Expect(d.Green()).To(Equal(!c.red))
		})
	}
}

// Transport and driver are two things, and either is another stack.
func TestALawThatVariesByTransportSpeaksOfTheDriverToo(t *testing.T) {
	for name, other := range map[string]func(*reports.Report){
		"transport": func(r *reports.Report) { r.Environment.Transport = spec.RoCEv1 },
		"driver": func(r *reports.Report) {
			for i := range r.Environment.Hosts {
				r.Environment.Hosts[i].Driver = "mlx5_core"
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := report(other, ended(requirement, verdict.Fail))
			d := diff.Compare(report(), b, varying("transport: another answer"))
			NewWithT(t).Expect(d.Green()).To(BeTrue())
		})
	}
}

func TestAnAnnouncedFailureSaysByWhat(t *testing.T) {
	g := NewWithT(t)
	b := report(on(kernel6_12, rdmaCore44), ended(requirement, verdict.Fail))
	g.Expect(diff.Compare(report(), b, varying(byKernel)).Changes[0].Notes()).To(ConsistOf(
		"announced by the law, which varies by " + byKernel))
}

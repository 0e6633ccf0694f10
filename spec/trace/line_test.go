package trace_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/trace"
)

func TestALineTellsWhatItsRowWroteOfItself(t *testing.T) {
	destroy := &call.DestroyIDArgs{ID: 3}
	refused := &spec.CallError{Method: "rdma_destroy_id", Ret: -1, Errno: spec.EINVAL}
	for name, c := range map[string]struct {
		row  trace.Row
		line trace.Line
	}{
		"that succeeded": {
			trace.Row{
				Begin: 7, End: 7, Process: "host0/1", Method: "rdma_create_id", Args: &call.CreateIDArgs{},
				Answer: &call.CreateIDAnswer{ID: 1},
			},
			trace.Line{
				Begin: 7, End: 7, Process: "host0/1", Call: "rdma_create_id(channel=0, context=0x0, ps=port space 0x0)",
				Answer: "0 id=1",
			},
		},
		"that was refused beside others": {
			trace.Row{Begin: 12, End: 1400, Process: "host1/2", Method: "rdma_destroy_id", Args: destroy, Err: refused},
			trace.Line{
				Begin: 12, End: 1400, Process: "host1/2", Call: "rdma_destroy_id(id=3)", Answer: "-1, errno EINVAL (22)",
			},
		},
		"that is open": {
			trace.Row{Begin: 1, Process: "host0/1", Method: "rdma_destroy_id", Args: destroy},
			trace.Line{Begin: 1, Process: "host0/1", Call: "rdma_destroy_id(id=3)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			line, ok := trace.ParseLine(c.row.String())
			g.Expect(ok).To(BeTrue(), c.row.String())
			g.Expect(line).To(Equal(c.line))
		})
	}
}

func TestATextThatIsNoRowIsNoLine(t *testing.T) {
	_, ok := trace.ParseLine("host0/1  rdma_destroy_id")
	NewWithT(t).Expect(ok).To(BeFalse())
}

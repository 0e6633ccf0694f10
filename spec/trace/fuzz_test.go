package trace_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec/trace"
)

// A line that is read tells all that it would take to write it.
func FuzzParseLine(f *testing.F) {
	f.Add("  1  host0/1  rdma_create_id(channel=1, context=0x2a, ps=RDMA_PS_UDP) -> 0 id=1")
	f.Add(" 12  host1/1  rdma_get_cm_event(channel=1, nowhere=false) has not returned")
	f.Add("  3  host0/1  rdma_join_multicast(id=1, addr=, context=0) -> -1, errno EINVAL (22)  [until 7]")
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		line, ok := trace.ParseLine(text)
		if !ok {
			return
		}
		again := fmt.Sprintf("%3d  %s  %s", line.Begin, line.Process, line.Call)
		switch line.End {
		case 0:
			again += " has not returned"
		case line.Begin:
			again += " -> " + line.Answer
		default:
			again += fmt.Sprintf(" -> %s  [until %d]", line.Answer, line.End)
		}
		read, ok := trace.ParseLine(again)
		g.Expect(ok).To(BeTrue(), again)
		g.Expect(read).To(Equal(line))
	})
}

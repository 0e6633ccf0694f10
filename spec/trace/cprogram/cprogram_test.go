package cprogram_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/trace"
	"joinmcast/spec/trace/cprogram"
)

var (
	own   = spec.NewSockaddr(netip.MustParseAddr("192.0.2.7"), 0)
	group = spec.NewSockaddr(netip.MustParseAddr("239.1.2.3"), 0)
)

// done is a finished row of process p that overlapped none.
func done(begin int, method string, args, answer any, err error) trace.Row {
	return trace.Row{Begin: begin, End: begin, Process: "p", Method: method, Args: args, Answer: answer, Err: err}
}

func TestProgramMakesTheCallsOfItsProcessAlone(t *testing.T) {
	g := NewWithT(t)
	other := done(2, "rdma_destroy_id", &call.DestroyIDArgs{ID: 9}, &call.Void{}, nil)
	other.Process = "q"
	rows := []trace.Row{
		done(1, "rdma_bind_addr", &call.BindAddrArgs{ID: 1, Addr: own}, &call.Void{}, nil),
		other,
		done(3, "rdma_join_multicast", &call.JoinMulticastArgs{ID: 1, Addr: group, Context: 0xab}, &call.Void{},
			&spec.CallError{Method: "rdma_join_multicast", Ret: -1, Errno: spec.EINVAL}),
		done(4, "rdma_leave_multicast", &call.LeaveMulticastArgs{}, &call.Void{}, nil),
	}

	g.Expect(cprogram.Processes(rows)).To(Equal([]string{"p", "q"}))
	text := string(cprogram.Write("JM-X-01: a title", "p", rows))

	g.Expect(text).To(HavePrefix("/*\n * JM-X-01: a title\n"))
	g.Expect(text).To(ContainSubstring(`rdma_bind_addr(id_1, local("192.0.2.7"))`))
	g.Expect(text).To(ContainSubstring(
		`rdma_join_multicast(id_1, bytes("02000000ef0102030000000000000000") /* 239.1.2.3 */, (void *)0xab)`))
	g.Expect(text).To(ContainSubstring(`said(3, "rdma_join_multicast", ret, "-1, errno EINVAL (22)");`))
	g.Expect(text).To(ContainSubstring("rdma_leave_multicast(NULL, NULL)"))
	g.Expect(text).NotTo(ContainSubstring("id_9"))
}

func TestEventThatASynchronousIDHoldsIsTakenFromItBeforeItIsAcknowledged(t *testing.T) {
	g := NewWithT(t)
	state := spec.IDState{QP: 3, Event: &spec.Event{Ref: 5}}
	rows := []trace.Row{
		done(1, "read_id", &call.ReadIDArgs{ID: 1}, &call.ReadIDAnswer{State: state}, nil),
		done(2, "rdma_ack_cm_event", &call.AckEventArgs{Event: 5}, &call.Void{}, nil),
	}

	text := string(cprogram.Write("JM-X-01: a title", "p", rows))

	g.Expect(text).To(ContainSubstring("qp_3 = id_1->qp;"))
	g.Expect(text).To(ContainSubstring("static struct rdma_cm_event *event_5;"))
	g.Expect(text).To(MatchRegexp(
		`(?s)event_5 = id_1->event;.*id_1->event = NULL;.*rdma_ack_cm_event\(event_5\)`))
}

func TestOverlappingCallRunsInAThreadUntilItEnded(t *testing.T) {
	g := NewWithT(t)
	leave := done(1, "rdma_leave_multicast", &call.LeaveMulticastArgs{ID: 1, Addr: group}, &call.Void{}, nil)
	leave.End = 2
	rows := []trace.Row{leave, done(2, "rdma_ack_cm_event", &call.AckEventArgs{Event: 5}, &call.Void{}, nil)}

	text := string(cprogram.Write("", "p", rows))

	g.Expect(text).To(MatchRegexp(`(?s)pthread_create\(&thread_1, NULL, call_1, NULL\);.*` +
		`rdma_ack_cm_event\(event_5\).*pthread_join\(thread_1, NULL\);`))
}

func TestCallThatNeverReturnedIsNotWaitedFor(t *testing.T) {
	g := NewWithT(t)
	hung := done(1, "rdma_destroy_id", &call.DestroyIDArgs{ID: 1}, &call.Void{}, nil)
	hung.End = 0

	text := string(cprogram.Write("", "p", []trace.Row{hung}))

	g.Expect(text).To(ContainSubstring(`said(1, "rdma_destroy_id", ret, "no answer");`))
	g.Expect(text).NotTo(ContainSubstring("pthread_join(thread_1"))
}

// The table of calls and this package know the same ones.
func TestEveryCallOfThePortHasItsC(t *testing.T) {
	for _, method := range call.Methods() {
		args, answer, _ := call.New(method)
		text := string(cprogram.Write("", "p", []trace.Row{done(1, method, args, answer, nil)}))
		NewWithT(t).Expect(text).To(ContainSubstring("said(1, \"" + method + "\""))
	}
}

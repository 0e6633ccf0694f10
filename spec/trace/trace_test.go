package trace_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/specmock"
	"joinmcast/spec/trace"
)

func TestRowNamesArgumentsAndErrno(t *testing.T) {
	g := NewWithT(t)
	next := specmock.NewMockProcess(gomock.NewController(t))
	group := spec.NewSockaddr(netip.MustParseAddr("239.1.2.3"), 0)
	next.EXPECT().JoinMulticast(gomock.Any(), spec.ID(4), group, spec.Context(0xab)).
		Return(&spec.CallError{Method: "rdma_join_multicast", Ret: -1, Errno: spec.EINVAL})
	log := &trace.Log{}

	err := trace.Record(log, "host0/1", next).JoinMulticast(t.Context(), 4, group, 0xab)

	g.Expect(err).To(HaveOccurred())
	g.Expect(log.Lines()).To(Equal([]string{
		"  1  host0/1  rdma_join_multicast(id=4, addr=239.1.2.3, context=0xab) -> -1, errno EINVAL (22)",
	}))
}

func TestRowShowsNullAndTheAnswer(t *testing.T) {
	g := NewWithT(t)
	next := specmock.NewMockProcess(gomock.NewController(t))
	next.EXPECT().CreateID(gomock.Any(), spec.Channel(0), spec.Context(0), spec.PSUDP).Return(spec.ID(1), nil)
	next.EXPECT().JoinMulticastEx(gomock.Any(), spec.ID(1), nil, spec.Context(0)).Return(nil)
	log := &trace.Log{}
	p := trace.Record(log, "host0/1", next)

	_, err := p.CreateID(t.Context(), 0, 0, spec.PSUDP)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.JoinMulticastEx(t.Context(), 1, nil, 0)).To(Succeed())

	g.Expect(log.Lines()).To(Equal([]string{
		"  1  host0/1  rdma_create_id(channel=0, context=0x0, ps=RDMA_PS_UDP) -> 0 id=1",
		"  2  host0/1  rdma_join_multicast_ex(id=1, attr=NULL, context=0x0) -> 0",
	}))
}

func TestRowShowsAScriptsSteps(t *testing.T) {
	g := NewWithT(t)
	next := specmock.NewMockProcess(gomock.NewController(t))
	step := call.Step("rdma_destroy_id", &call.DestroyIDArgs{ID: 3})
	tally := spec.Tally{Outcomes: map[string]int{"0": 2}, Slowest: time.Millisecond}
	next.EXPECT().Script(gomock.Any(), gomock.Any()).Return([][]spec.Tally{{tally}}, nil)
	log := &trace.Log{}

	_, err := trace.Record(log, "host0/1", next).Script(t.Context(), spec.Script{
		Rounds: 2, Sequences: [][]spec.Step{{step}},
	})

	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(log.Lines()).To(Equal([]string{
		`  1  host0/1  script(script={rounds=2, sequences=[[{method=rdma_destroy_id, args={"id":3}, advance=false}]]})` +
			` -> 0 tallies=[[{outcomes=map[0:2], events=map[], slowest=1ms}]]`,
	}))
}

func TestOverlapIsVisibleWithoutAClock(t *testing.T) {
	g := NewWithT(t)
	next := specmock.NewMockProcess(gomock.NewController(t))
	begun, acked := make(chan struct{}), make(chan struct{})
	next.EXPECT().LeaveMulticast(gomock.Any(), spec.ID(1), gomock.Any()).
		DoAndReturn(func(context.Context, spec.ID, spec.Sockaddr) error { close(begun); <-acked; return nil })
	next.EXPECT().AckEvent(gomock.Any(), spec.EventRef(1)).
		DoAndReturn(func(context.Context, spec.EventRef) error { close(acked); return nil })
	log := &trace.Log{}
	p := trace.Record(log, "host0/1", next)

	left := make(chan error)
	go func() { left <- p.LeaveMulticast(t.Context(), 1, nil) }()
	<-begun
	g.Expect(log.Rows()[0].End).To(BeZero(), "an open call has no end")
	g.Expect(p.AckEvent(t.Context(), 1)).To(Succeed())
	g.Expect(<-left).To(Succeed())

	g.Expect(log.Rows()[0]).To(And(HaveField("Begin", 1), HaveField("End", 2)))
}

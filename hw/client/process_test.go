package client_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/hw/client"
	"joinmcast/spec"
)

var group = spec.NewSockaddr(netip.MustParseAddr("239.1.2.3"), 0)

// start starts an agent on a backend of one host.
func start(t *testing.T, h *fakeHost) *client.Process {
	t.Helper()
	p, err := dial(t, h).Hosts()[0].Start(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return p.(*client.Process)
}

// untilEnd is a call that returns when its agent ends, or when release is called.
func untilEnd() (leave func(context.Context, spec.ID, spec.Sockaddr) error, begun chan struct{}, release func()) {
	released := make(chan struct{})
	begun = make(chan struct{}, 1)
	release = func() { close(released) }
	return func(ctx context.Context, _ spec.ID, _ spec.Sockaddr) error {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
		case <-released:
		}
		return nil
	}, begun, release
}

func TestACallReachesTheAgentWithItsArguments(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.process.EXPECT().JoinMulticast(gomock.Any(), spec.ID(7), group, spec.Context(0x2a)).Return(nil)
	g.Expect(start(t, h).JoinMulticast(t.Context(), 7, group, 0x2a)).To(Succeed())
}

func TestAnAnswerComesBack(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	event := spec.Event{Ref: 3, ID: 7, Type: spec.MulticastError, Status: -1, Errno: spec.EINVAL}
	h.process.EXPECT().GetEvent(gomock.Any(), spec.Channel(1)).Return(event, nil)
	g.Expect(start(t, h).GetEvent(t.Context(), 1)).To(Equal(event))
}

func TestARefusedCallKeepsItsRawReturnAndErrno(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	refused := &spec.CallError{Method: "ibv_attach_mcast", Ret: 22, Errno: spec.EINVAL}
	h.process.EXPECT().AttachMulticast(gomock.Any(), spec.QP(1), spec.GID{}, uint16(0)).Return(refused)
	g.Expect(start(t, h).AttachMulticast(t.Context(), 1, spec.GID{}, 0)).To(Equal(refused))
}

func TestAnAgentThatDiesInACallIsCrashedWithTheExitOfItsHost(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.process.EXPECT().JoinMulticast(gomock.Any(), spec.ID(0), group, spec.Context(0)).
		DoAndReturn(func(context.Context, spec.ID, spec.Sockaddr, spec.Context) error {
			h.Agent(1).End(spec.Exit{Signal: "SIGSEGV", Status: 139})
			return nil
		})
	err := start(t, h).JoinMulticast(t.Context(), 0, group, 0)
	g.Expect(err).To(Equal(&spec.Crashed{
		Method: "rdma_join_multicast", Exit: spec.Exit{Signal: "SIGSEGV", Status: 139},
	}))
}

func TestACallOnADeadAgentIsCrashed(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	p := start(t, h)
	h.Agent(1).End(spec.Exit{Status: 3})
	g.Expect(p.DestroyID(t.Context(), 1)).To(Equal(&spec.Crashed{Method: "rdma_destroy_id", Exit: spec.Exit{Status: 3}}))
}

func TestACrashQuotesTheAgentsStandardError(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.Stderr = "free(): double free detected\n"
	p := start(t, h)
	h.Agent(1).End(spec.Exit{Signal: "SIGABRT"})
	err := p.DestroyID(t.Context(), 1)
	g.Expect(spec.Outcome(err)).To(Equal("SIGABRT"))
	g.Expect(err).To(MatchError(HaveSuffix("its standard error ends: free(): double free detected")))
}

func TestACallThatOutlivesItsContextIsHungWithTheOpenCalls(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	leave, begun, _ := untilEnd()
	h.process.EXPECT().LeaveMulticast(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(leave)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	g.Expect(start(t, h).LeaveMulticast(ctx, 1, group)).To(Equal(&spec.Hung{
		Method: "rdma_leave_multicast", Proof: "deadline", Open: []string{"rdma_leave_multicast"},
	}))
}

func TestACallThatNothingCanWakeIsHungAtOnce(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	leave, _, _ := untilEnd()
	h.blocked["rdma_leave_multicast"] = true
	h.process.EXPECT().LeaveMulticast(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(leave)
	g.Expect(start(t, h).LeaveMulticast(t.Context(), 1, group)).To(Equal(&spec.Hung{
		Method: "rdma_leave_multicast", Proof: "asleep in an untimed futex", Open: []string{"rdma_leave_multicast (blocked)"},
	}))
}

func TestABlockedCallOfAConcurrentCallerIsLeftToItsContext(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	leave, begun, release := untilEnd()
	h.blocked["rdma_leave_multicast"] = true
	h.process.EXPECT().LeaveMulticast(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(leave)
	p := start(t, h)
	go func() {
		<-begun
		// Longer than the client would look at a call of a caller who is alone.
		time.AfterFunc(300*time.Millisecond, release)
	}()
	g.Expect(p.LeaveMulticast(spec.Concurrent(t.Context()), 1, group)).To(Succeed())
}

func TestALateAnswerIsDropped(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	leave, begun, release := untilEnd()
	h.process.EXPECT().LeaveMulticast(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(leave)
	h.process.EXPECT().CreateEventChannel(gomock.Any()).Return(spec.Channel(9), nil)
	p := start(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	g.Expect(spec.Outcome(p.LeaveMulticast(ctx, 1, group))).To(Equal("HANG"))
	release()
	g.Expect(p.CreateEventChannel(t.Context())).To(Equal(spec.Channel(9)))
}

func TestAnAgentThatSaysNothingOnALivingHostIsHung(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	leave, begun, _ := untilEnd()
	h.InFlight = mute
	h.process.EXPECT().LeaveMulticast(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(leave)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	g.Expect(start(t, h).LeaveMulticast(ctx, 1, group)).To(Equal(&spec.Hung{
		Method: "rdma_leave_multicast", Proof: "deadline, and the agent does not say what it is doing",
	}))
}

func TestOpenCallsAreListed(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	leave, begun, release := untilEnd()
	h.blocked["rdma_leave_multicast"] = true
	h.process.EXPECT().LeaveMulticast(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(leave)
	p := start(t, h)
	left := make(chan error, 1)
	go func() { left <- p.LeaveMulticast(spec.Concurrent(t.Context()), 1, group) }()
	<-begun
	g.Expect(p.InFlight(t.Context())).To(Equal([]spec.InFlight{{Method: "rdma_leave_multicast", Blocked: true}}))
	release()
	g.Expect(<-left).To(Succeed())
}

func TestKillEndsAnAgentWithAnOpenCall(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	leave, begun, _ := untilEnd()
	h.process.EXPECT().LeaveMulticast(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(leave)
	p := start(t, h)
	left := make(chan error, 1)
	go func() { left <- p.LeaveMulticast(spec.Concurrent(t.Context()), 1, group) }()
	<-begun
	g.Expect(p.Kill(t.Context())).To(Equal(spec.Exit{Signal: "SIGKILL"}))
	g.Expect(spec.Outcome(<-left)).To(Equal("SIGKILL"))
}

func TestKillOfADeadAgentTellsHowItDied(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	p := start(t, h)
	h.Agent(1).End(spec.Exit{Signal: "SIGSEGV"})
	g.Expect(p.Kill(t.Context())).To(Equal(spec.Exit{Signal: "SIGSEGV"}))
}

func TestCloseEndsAnAgentInOrder(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	g.Expect(start(t, h).Close(t.Context())).To(Equal(spec.Exit{Status: 0}))
}

func TestACallIsNotMadeWithAnEndedContext(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	p := start(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g.Expect(p.DestroyID(ctx, 1)).To(MatchError("host0, agent 1: rdma_destroy_id was not called: context canceled"))
}

// leaveOnADyingHost is what a leave answers on a host that dies meanwhile.
func leaveOnADyingHost(t *testing.T, h *fakeHost) error {
	leave, begun, _ := untilEnd()
	h.process.EXPECT().LeaveMulticast(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(leave)
	p := start(t, h)
	go func() {
		<-begun
		_ = h.conn.Close()
	}()
	return p.LeaveMulticast(t.Context(), 1, group)
}

func TestAHostThatDiesDuringACallIsTheHarnessWithItsLastWords(t *testing.T) {
	g := NewWithT(t)
	err := leaveOnADyingHost(t, newFakeHost(t, "host0"))
	g.Expect(spec.Outcome(err)).To(Equal("harness"))
	g.Expect(err).To(MatchError(And(ContainSubstring("host0 is gone"), HaveSuffix("last words of host0"))))
}

func TestAKernelThatPanicsDuringACallIsACrash(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.words = "[   12.3] Kernel panic - not syncing: Fatal exception"
	err := leaveOnADyingHost(t, h)
	g.Expect(spec.Outcome(err)).To(Equal("kernel panic"))
	g.Expect(err).To(MatchError(HaveSuffix("not syncing: Fatal exception")))
}

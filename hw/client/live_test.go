//go:build live

package client_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"joinmcast/hw/client"
	"joinmcast/hw/vm"
	"joinmcast/spec"
)

// lab is opened once; every test has a pair of guests of its own from it.
var lab *vm.Lab

func TestMain(m *testing.M) { os.Exit(withLab(m)) }

func withLab(m *testing.M) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir, err := os.MkdirTemp("", "joinmcast-test-")
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	c := vm.Config{
		Kernel: getenv("KERNEL", "bookworm"), RDMACore: getenv("RDMA_CORE", "bookworm"),
		HostBinary: filepath.Join(dir, "joinmcast-host"), AgentBinary: filepath.Join(dir, "joinmcast-agent"),
		Ahead:    true,
		Mischief: filepath.Join(dir, "joinmcast-mischief.so"),
		Progress: func(line string) { fmt.Fprintln(os.Stderr, line) },
	}
	if err := build(c.HostBinary, c.AgentBinary, c.Mischief); err != nil {
		return fail(err)
	}
	if lab, err = vm.Open(ctx, c); err != nil {
		return fail(err)
	}
	defer lab.Close()
	return m.Run()
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func getenv(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

func build(host, agent, mischief string) error {
	sources, err := filepath.Glob("../agent/*.c")
	if err != nil {
		return err
	}
	cc := append([]string{"-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-o", agent}, sources...)
	cc = append(cc, "-Wl,-Bstatic", "-ljansson", "-Wl,-Bdynamic", "-lrdmacm", "-libverbs", "-lpthread")
	preload := []string{"-std=gnu11", "-O2", "-shared", "-fPIC", "-o", mischief, "../agent/mischief/mischief.c"}
	goBuild := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", host, "../host")
	goBuild.Env = append(os.Environ(), "CGO_ENABLED=0")
	for _, cmd := range []*exec.Cmd{goBuild, exec.Command("cc", cc...), exec.Command("cc", preload...)} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
	}
	return nil
}

// freshGuests is a Backend of two guests nobody has used.
func freshGuests(t *testing.T) (*client.Backend, *vm.Pair) {
	t.Helper()
	g := NewWithT(t)
	pair, err := lab.Fresh()
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(pair.Close)
	for _, guest := range pair.Guests {
		g.Expect(guest.Wake(t.Context())).To(Succeed())
	}
	conns := make([]client.HostConn, len(pair.Guests))
	for i, guest := range pair.Guests {
		conns[i] = client.HostConn{Name: guest.Name(), Conn: guest, LastWords: guest.LastWords}
	}
	b, err := client.Dial(t.Context(), conns, client.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(b.Close(context.Background())).To(Succeed()) })
	return b, pair
}

// app is an agent with a bound id, and mostly a QP.
type app struct {
	*client.Process
	t       *testing.T
	channel spec.Channel
	id      spec.ID
	qp      spec.QP
}

func startApp(t *testing.T, h spec.Host) *app {
	t.Helper()
	g := NewWithT(t)
	p, err := h.Start(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	return (&app{Process: p.(*client.Process), t: t}).bound(h)
}

// bound gives the app an id bound to its host's address.
func (a *app) bound(h spec.Host) *app {
	a.t.Helper()
	g, t := NewWithT(a.t), a.t
	var err error
	a.channel, err = a.CreateEventChannel(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	a.id, err = a.CreateID(t.Context(), a.channel, 0, spec.PSUDP)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(a.BindAddr(t.Context(), a.id, ownAddr(t, h))).To(Succeed())
	return a
}

// withQP gives the app's id a UD QP.
func (a *app) withQP() *app {
	a.t.Helper()
	var err error
	a.qp, err = a.CreateQP(a.t.Context(), a.id, spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 4, MaxRecvWR: 4})
	NewWithT(a.t).Expect(err).NotTo(HaveOccurred())
	return a
}

// join joins the group and retrieves the event.
func (a *app) join() spec.Event {
	a.t.Helper()
	g := NewWithT(a.t)
	g.Expect(a.JoinMulticast(a.t.Context(), a.id, group, 0)).To(Succeed())
	event, err := a.GetEvent(a.t.Context(), a.channel)
	g.Expect(err).NotTo(HaveOccurred())
	return event
}

func (a *app) attached() string {
	a.t.Helper()
	return spec.Outcome(a.DetachMulticast(a.t.Context(), a.qp, spec.MGIDOf(group.Addr()), 0))
}

// destroy takes everything down in order and ends the agent.
func (a *app) destroy() {
	a.t.Helper()
	g, ctx := NewWithT(a.t), a.t.Context()
	if a.qp != 0 {
		g.Expect(a.DestroyQP(ctx, a.id)).To(Succeed())
	}
	g.Expect(a.DestroyID(ctx, a.id)).To(Succeed())
	g.Expect(a.DestroyEventChannel(ctx, a.channel)).To(Succeed())
	g.Expect(a.Close(ctx)).To(Equal(spec.Exit{Status: 0}))
}

func ownAddr(t *testing.T, h spec.Host) spec.Sockaddr {
	t.Helper()
	g := NewWithT(t)
	ports, err := h.Ports(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ports).NotTo(BeEmpty())
	g.Expect(ports[0].Addrs).NotTo(BeEmpty())
	return spec.NewSockaddr(ports[0].Addrs[0].Addr(), 0)
}

func TestLiveEnvironmentIsReadFromTheGuests(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	env, err := b.Environment(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("%+v", env)
	g.Expect(env.Transport).To(Equal(spec.RoCEv2))
	g.Expect(env.Hosts).To(HaveLen(2))
	g.Expect(env.Hosts[0].Libraries).To(And(
		HaveKeyWithValue(ContainSubstring("librdmacm.so"), MatchRegexp("^[0-9a-f]{40}$")),
		HaveKeyWithValue(ContainSubstring("librxe-rdmav"), MatchRegexp("^[0-9a-f]{40}$")),
	))
	all, err := b.Capabilities(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("%+v", all)
	for _, c := range []spec.Capability{spec.UDQP, spec.McastQP, spec.TwoHosts, spec.Configure, spec.SeesRDMA} {
		g.Expect(all[c].Has).To(BeTrue(), string(c))
	}
}

func TestLiveJoinAttachesAtRetrievalAndLeaveDetaches(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	before, err := host.Observe(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	a := startApp(t, host).withQP()

	g.Expect(a.JoinMulticast(t.Context(), a.id, group, 0x2a)).To(Succeed())
	g.Expect(a.PollChannel(t.Context(), a.channel)).To(Succeed())
	g.Expect(a.attached()).To(Equal("EINVAL"))
	event, err := a.GetEvent(t.Context(), a.channel)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(event.Type).To(Equal(spec.MulticastJoin))
	g.Expect(event.ID).To(Equal(a.id))
	g.Expect(event.UD.PrivateData).To(Equal(spec.Context(0x2a)))
	g.Expect(event.UD.AH.GRH.DGID).To(Equal(spec.MGIDOf(group.Addr())))
	g.Expect(event.UD.QPNum).To(Equal(uint32(spec.MulticastQPN)))
	g.Expect(event.UD.QKey).To(Equal(uint32(spec.UDPQKey)))
	g.Expect(a.attached()).To(Equal("0"))

	g.Expect(a.AckEvent(t.Context(), event.Ref)).To(Succeed())
	g.Expect(a.LeaveMulticast(t.Context(), a.id, group)).To(Succeed())
	g.Expect(spec.Outcome(a.LeaveMulticast(t.Context(), a.id, group))).To(Equal("EADDRNOTAVAIL"))
	a.destroy()

	after, err := host.Observe(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(after.Resources).To(Equal(before.Resources))
	g.Expect(after.IGMP).To(Equal(before.IGMP))
}

func TestLiveNonblockingChannelWithoutEventIsEAGAIN(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	g.Expect(a.SetNonblock(t.Context(), a.channel, true)).To(Succeed())
	_, err := a.GetEvent(t.Context(), a.channel)
	g.Expect(err).To(Equal(&spec.CallError{Method: "rdma_get_cm_event", Ret: -1, Errno: spec.EAGAIN}))
}

func TestLiveJoinOnNullCrashes(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	p, err := b.Hosts()[0].Start(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(spec.Outcome(p.JoinMulticast(t.Context(), 0, group, 0))).To(Equal("SIGSEGV"))
}

func TestLiveJoinExPassesTheStructOn(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	ctx := t.Context()
	g.Expect(spec.Outcome(a.JoinMulticastEx(ctx, a.id, &spec.JoinAttr{CompMask: 7}, 0))).To(Equal("EOPNOTSUPP"))
	g.Expect(spec.Outcome(a.JoinMulticastEx(ctx, a.id, &spec.JoinAttr{CompMask: 3, JoinFlags: 0x10000}, 0))).
		To(Equal("EINVAL"))
	g.Expect(a.JoinMulticastEx(ctx, a.id, &spec.JoinAttr{CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: group}, 0)).
		To(Succeed())
	g.Expect(spec.Outcome(a.JoinMulticastEx(ctx, a.id, nil, 0))).To(Equal("SIGSEGV"))
}

func TestLiveLeaveWithAnUnackedEventHangsByProof(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	a.join()
	g.Expect(a.LeaveMulticast(t.Context(), a.id, group)).To(Equal(&spec.Hung{
		Method: "rdma_leave_multicast", Proof: "asleep in an untimed futex", Open: []string{"rdma_leave_multicast (blocked)"},
	}))
	g.Expect(a.Kill(t.Context())).To(HaveField("Signal", "SIGKILL"))
}

func TestLiveLeaveIsWokenByTheAck(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	event := a.join()
	left := make(chan error, 1)
	go func() { left <- a.LeaveMulticast(spec.Concurrent(t.Context()), a.id, group) }()
	g.Eventually(a.InFlight).WithContext(t.Context()).
		Should(Equal([]spec.InFlight{{Method: "rdma_leave_multicast", Blocked: true}}))
	g.Expect(a.AckEvent(t.Context(), event.Ref)).To(Succeed())
	g.Expect(<-left).To(Succeed())
	a.destroy()
}

func TestLivePollWithoutEventIsBlocked(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	polled := make(chan error, 1)
	go func() { polled <- a.PollChannel(spec.Concurrent(t.Context()), a.channel) }()
	g.Eventually(a.InFlight).WithContext(t.Context()).Should(Equal([]spec.InFlight{{Method: "poll", Blocked: true}}))
	g.Expect(a.JoinMulticast(t.Context(), a.id, group, 0)).To(Succeed())
	g.Expect(<-polled).To(Succeed())
}

func TestLiveGetWithoutEventIsHungButNotBlocked(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := a.GetEvent(ctx, a.channel)
	g.Expect(err).To(Equal(&spec.Hung{
		Method: "rdma_get_cm_event", Proof: "deadline", Open: []string{"rdma_get_cm_event"},
	}))
}

func TestLiveAStoppedAgentIsHung(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	g.Expect(a.Signal(t.Context(), int(syscall.SIGSTOP))).To(Succeed())
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	g.Expect(a.DestroyID(ctx, a.id)).To(HaveField("Proof", "deadline, and the agent does not say what it is doing"))
	g.Expect(a.Kill(t.Context())).To(HaveField("Signal", "SIGKILL"))
}

func TestLiveTheEndOfInputEndsAnAgentWithAnOpenCall(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	polled := make(chan error, 1)
	go func() { polled <- a.PollChannel(spec.Concurrent(t.Context()), a.channel) }()
	g.Eventually(a.InFlight).WithContext(t.Context()).Should(Equal([]spec.InFlight{{Method: "poll", Blocked: true}}))
	g.Expect(a.Close(t.Context())).To(Equal(spec.Exit{Status: 0}))
	g.Expect(<-polled).To(Equal(&spec.Crashed{Method: "poll", Exit: spec.Exit{Status: 0}}))
}

func TestLiveDatagramCrossesTheWireOnce(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	ctx := t.Context()
	receiver, sender := startApp(t, b.Hosts()[1]).withQP(), startApp(t, b.Hosts()[0]).withQP()
	joined, sent := receiver.join(), sender.join()
	g.Expect(receiver.PostRecv(ctx, receiver.qp, spec.RecvWR{WRID: 77, Size: 256})).To(Succeed())

	ah, err := sender.CreateAH(ctx, sender.id, sent.UD.AH)
	g.Expect(err).NotTo(HaveOccurred())
	imm := uint32(0x01020304)
	g.Expect(sender.PostSend(ctx, sender.qp, spec.SendWR{
		WRID: 5, AH: ah, RemoteQPN: sent.UD.QPNum, QKey: sent.UD.QKey, Imm: &imm, Data: spec.Bytes("hello"),
	})).To(Succeed())
	done, err := sender.WaitCompletion(ctx, sender.qp, spec.SendQueue)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(done.WRID).To(Equal(uint64(5)))
	g.Expect(done.Status).To(Equal(spec.WCSuccess))
	got, err := receiver.WaitCompletion(ctx, receiver.qp, spec.RecvQueue)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.WRID).To(Equal(uint64(77)))
	g.Expect(got.Data).To(Equal(spec.Bytes("hello")))
	g.Expect(got.ByteLen).To(Equal(uint32(spec.GRHBytes + len("hello"))))
	g.Expect(got.HasGRH).To(BeTrue())
	g.Expect(got.GRH).To(HaveLen(spec.GRHBytes))
	g.Expect(got.Imm).To(HaveValue(Equal(imm)))

	g.Expect(sender.DestroyAH(ctx, ah)).To(Succeed())
	for _, end := range []struct {
		a *app
		e spec.Event
	}{{sender, sent}, {receiver, joined}} {
		g.Expect(end.a.AckEvent(ctx, end.e.Ref)).To(Succeed())
		g.Expect(end.a.LeaveMulticast(ctx, end.a.id, group)).To(Succeed())
		end.a.destroy()
	}
}

func TestLiveTwoWaitsOnOneQueueAreRefused(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0]).withQP()
	waited := make(chan error, 1)
	go func() {
		_, err := a.WaitCompletion(spec.Concurrent(t.Context()), a.qp, spec.RecvQueue)
		waited <- err
	}()
	g.Eventually(a.InFlight).WithContext(t.Context()).Should(HaveLen(1))
	_, err := a.WaitCompletion(t.Context(), a.qp, spec.RecvQueue)
	g.Expect(err).To(MatchError(HaveSuffix("ibv_poll_cq: another call already waits on this completion queue")))
	g.Expect(a.Kill(t.Context())).To(HaveField("Signal", "SIGKILL"))
	g.Expect(spec.Outcome(<-waited)).To(Equal("SIGKILL"))
}

func TestLiveBuffersNeverFilledAreFreedWithTheQP(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	before, err := host.Observe(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	a := startApp(t, host).withQP()
	g.Expect(a.PostRecv(t.Context(), a.qp, spec.RecvWR{WRID: 1, Size: 64})).To(Succeed())
	during, err := host.Observe(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(during.Resources["mr"]).To(Equal(before.Resources["mr"] + 1))
	a.destroy()
	after, err := host.Observe(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(after.Resources).To(Equal(before.Resources))
}

func TestLiveAQPThatSurvivesItsDestructionKeepsItsHandle(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0]).withQP()
	g.Expect(a.join().Type).To(Equal(spec.MulticastJoin))
	g.Expect(a.DestroyQP(t.Context(), a.id)).To(Succeed())
	state, err := a.ReadID(t.Context(), a.id)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(state.QP).To(Equal(spec.QP(0)))
	g.Expect(a.attached()).To(Equal("0"))
}

func TestLiveASynchronousJoinKeepsItsEventInTheID(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host, ctx := b.Hosts()[0], t.Context()
	p, err := host.Start(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	id, err := p.CreateID(ctx, 0, 0, spec.PSUDP)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.BindAddr(ctx, id, ownAddr(t, host))).To(Succeed())
	g.Expect(p.JoinMulticast(ctx, id, group, 0x2a)).To(Succeed())
	state, err := p.ReadID(ctx, id)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(state.Event).To(HaveValue(HaveField("Type", spec.MulticastJoin)))
	g.Expect(state.Event.UD.PrivateData).To(Equal(spec.Context(0x2a)))

	g.Expect(p.AckEvent(ctx, state.Event.Ref)).To(Succeed())
	state, err = p.ReadID(ctx, id)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(state.Event).To(BeNil())
	g.Expect(p.LeaveMulticast(ctx, id, group)).To(Succeed())
	g.Expect(p.DestroyID(ctx, id)).To(Succeed())
}

func TestLiveAddressesThatNoPortHasAreRefused(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	id, err := a.CreateID(t.Context(), a.channel, 0, spec.PSUDP)
	g.Expect(err).NotTo(HaveOccurred())
	err = a.BindAddr(t.Context(), id, spec.NewSockaddr(netip.MustParseAddr("203.0.113.1"), 0))
	g.Expect(spec.Outcome(err)).To(Equal("EADDRNOTAVAIL"))
}

func TestLiveAGuestThatDiesDuringACallIsGone(t *testing.T) {
	g := NewWithT(t)
	b, pair := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	polled := make(chan error, 1)
	go func() { polled <- a.PollChannel(spec.Concurrent(t.Context()), a.channel) }()
	g.Eventually(a.InFlight).WithContext(t.Context()).Should(HaveLen(1))
	pair.Close()
	err := <-polled
	g.Expect(spec.Outcome(err)).To(Equal("harness"))
	g.Expect(err).To(MatchError(ContainSubstring(pair.Guests[0].Name() + " is gone")))
}

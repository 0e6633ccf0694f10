//go:build live

package vm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"
	. "github.com/onsi/gomega"

	"joinmcast/hw/client"
	"joinmcast/spec"
)

// programs builds the host program and the agent once for all tests.
var programs struct{ host, agent string }

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "joinmcast-test-")
	if err != nil {
		panic(err)
	}
	programs.host, programs.agent = filepath.Join(dir, "joinmcast-host"), filepath.Join(dir, "joinmcast-agent")
	sources, _ := filepath.Glob("../agent/*.c")
	cc := append([]string{"-std=gnu11", "-O2", "-g", "-o", programs.agent}, sources...)
	cc = append(cc, "-Wl,-Bstatic", "-ljansson", "-Wl,-Bdynamic", "-lrdmacm", "-libverbs", "-lpthread")
	host := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", programs.host, "../host")
	host.Env = append(os.Environ(), "CGO_ENABLED=0")
	for _, cmd := range []*exec.Cmd{host, exec.Command("cc", cc...)} {
		if out, err := cmd.CombinedOutput(); err != nil {
			panic(string(out) + err.Error())
		}
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// versions is the kernel and rdma-core that the tests boot: of the environment, or bookworm's.
func versions() (kernel, rdmaCore string) {
	kernel, rdmaCore = os.Getenv("KERNEL"), os.Getenv("RDMA_CORE")
	if kernel == "" {
		kernel = "bookworm"
	}
	if rdmaCore == "" {
		rdmaCore = "bookworm"
	}
	return kernel, rdmaCore
}

func openLab(t *testing.T, change func(*Config)) *Lab {
	t.Helper()
	kernel, rdmaCore := versions()
	c := Config{
		Kernel: kernel, RDMACore: rdmaCore, HostBinary: programs.host, AgentBinary: programs.agent,
		Progress: func(line string) { t.Log(line) },
	}
	if change != nil {
		change(&c)
	}
	start := time.Now()
	lab, err := Open(t.Context(), c)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Logf("open: %s; kernel %s, rdma-core %s", time.Since(start), lab.Kernel(), lab.RDMACore())
	t.Cleanup(lab.Close)
	return lab
}

func freshPair(t *testing.T, lab *Lab) *Pair {
	t.Helper()
	start := time.Now()
	must := NewWithT(t)
	pair, err := lab.Fresh()
	must.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(pair.Close)
	for _, guest := range pair.Guests {
		must.Expect(guest.Wake(t.Context())).To(Succeed())
	}
	t.Logf("fresh: %s", time.Since(start))
	return pair
}

// backend greets a pair.
func backend(t *testing.T, pair *Pair, nonce string) *client.Backend {
	t.Helper()
	conns := make([]client.HostConn, len(pair.Guests))
	for i, g := range pair.Guests {
		conns[i] = client.HostConn{Name: g.Name(), Conn: g, LastWords: g.LastWords}
	}
	start := time.Now()
	b, err := client.Dial(t.Context(), conns, client.Options{Nonce: nonce})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Logf("hello: %s", time.Since(start))
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	return b
}

func TestEveryFreshPairSaysHelloAndKeepsItsOwnNonce(t *testing.T) {
	must := NewWithT(t)
	lab := openLab(t, nil)
	for _, nonce := range []string{"first", "second"} {
		pair := freshPair(t, lab)
		env, err := backend(t, pair, nonce).Environment(t.Context())
		must.Expect(err).NotTo(HaveOccurred())
		must.Expect(env.Hosts).To(HaveLen(2))
		for i, h := range env.Hosts {
			t.Logf("%+v", h)
			must.Expect(h.Name).To(Equal(pair.Guests[i].Name()))
			must.Expect(h.Nonce).To(Equal(nonce))
			must.Expect(h.KernelRelease).To(Equal(lab.Kernel()))
			must.Expect(h.RDMACore).To(Equal(lab.RDMACore()))
			must.Expect(h.Driver).To(Equal("rdma_rxe"))
			must.Expect(h.RoCEMode).To(Equal("RoCE v2"))
			must.Expect(h.GID).To(HaveSuffix("ffffc0a8b10" + string(rune('1'+i))))
			must.Expect(h.Modules).To(HaveKeyWithValue("rdma_rxe", Not(BeEmpty())))
		}
		pair.Close()
	}
}

// member is a process with an id bound to its host's address, a UD QP and a membership of group.
type member struct {
	spec.Process
	id    spec.ID
	qp    spec.QP
	event spec.Event
}

var group = spec.NewSockaddr(netip.MustParseAddr("239.1.2.3"), 0)

func join(t *testing.T, h spec.Host) member {
	t.Helper()
	must, ctx := NewWithT(t), t.Context()
	ports, err := h.Ports(ctx)
	must.Expect(err).NotTo(HaveOccurred())
	p, err := h.Start(ctx)
	must.Expect(err).NotTo(HaveOccurred())
	m := member{Process: p}
	ch, err := p.CreateEventChannel(ctx)
	must.Expect(err).NotTo(HaveOccurred())
	m.id, err = p.CreateID(ctx, ch, 7, spec.PSUDP)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(p.BindAddr(ctx, m.id, spec.NewSockaddr(ports[0].Addrs[0].Addr(), 0))).To(Succeed())
	m.qp, err = p.CreateQP(ctx, m.id, spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 4, MaxRecvWR: 4})
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(p.JoinMulticast(ctx, m.id, group, 9)).To(Succeed())
	m.event, err = p.GetEvent(ctx, ch)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(m.event.Type).To(Equal(spec.MulticastJoin))
	return m
}

func TestARestoredWireCarriesMulticast(t *testing.T) {
	must, ctx := NewWithT(t), t.Context()
	b := backend(t, freshPair(t, openLab(t, nil)), "wire")
	receiver, sender := join(t, b.Hosts()[0]), join(t, b.Hosts()[1])
	must.Expect(receiver.PostRecv(ctx, receiver.qp, spec.RecvWR{WRID: 1, Size: 256})).To(Succeed())
	ah, err := sender.CreateAH(ctx, sender.id, sender.event.UD.AH)
	must.Expect(err).NotTo(HaveOccurred())
	imm := uint32(5)
	must.Expect(sender.PostSend(ctx, sender.qp, spec.SendWR{
		WRID: 2, AH: ah, RemoteQPN: spec.MulticastQPN, QKey: spec.UDPQKey, Imm: &imm, Data: spec.Bytes("hello"),
	})).To(Succeed())
	wc, err := receiver.WaitCompletion(ctx, receiver.qp, spec.RecvQueue)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(string(wc.Data)).To(Equal("hello"))
}

// frames are those that a pair's wire has carried.
func frames(t *testing.T, pair *Pair) [][]byte {
	t.Helper()
	must := NewWithT(t)
	var wire bytes.Buffer
	must.Expect(pair.WriteWire(&wire)).To(Succeed())
	in, err := pcapgo.NewNgReader(&wire, pcapgo.DefaultNgReaderOptions)
	must.Expect(err).NotTo(HaveOccurred())
	var all [][]byte
	for {
		frame, _, err := in.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return all
		}
		must.Expect(err).NotTo(HaveOccurred())
		all = append(all, frame)
	}
}

func TestACapturedWireShowsWhatEachGuestSends(t *testing.T) {
	must, ctx := NewWithT(t), t.Context()
	pair := freshPair(t, openLab(t, func(c *Config) { c.Capture = true }))
	b := backend(t, pair, "capture")
	members := []member{join(t, b.Hosts()[0]), join(t, b.Hosts()[1])}
	for i, m := range members {
		ah, err := m.CreateAH(ctx, m.id, m.event.UD.AH)
		must.Expect(err).NotTo(HaveOccurred())
		must.Expect(m.PostSend(ctx, m.qp, spec.SendWR{
			AH: ah, RemoteQPN: spec.MulticastQPN, QKey: spec.UDPQKey, Data: spec.Bytes("from " + guestNames[i]),
		})).To(Succeed())
	}
	for _, name := range guestNames {
		must.Eventually(func() [][]byte { return frames(t, pair) }).WithTimeout(restoreWithin).
			Should(ContainElement(ContainSubstring("from " + name)))
	}
}

func TestAWireThatIsNotCapturedCannotBeWritten(t *testing.T) {
	pair := freshPair(t, openLab(t, nil))
	NewWithT(t).Expect(pair.WriteWire(io.Discard)).To(MatchError(ContainSubstring("opened without Capture")))
}

func TestAMembershipIsObservedAndLeavesWithItsProcess(t *testing.T) {
	must, ctx := NewWithT(t), t.Context()
	host := backend(t, freshPair(t, openLab(t, nil)), "observe").Hosts()[0]
	before, err := host.Observe(ctx)
	must.Expect(err).NotTo(HaveOccurred())
	m := join(t, host)
	during, err := host.Observe(ctx)
	must.Expect(err).NotTo(HaveOccurred())
	membership := spec.Membership{Netdev: "eth0", Group: netip.MustParseAddr("239.1.2.3"), Users: 1}
	must.Expect(during.IGMP).To(ContainElement(membership))
	must.Expect(during.Filters).To(ContainElement(HaveField("Addr", "01:00:5e:01:02:03")))
	must.Expect(during.Resources["cm_id"]).To(Equal(before.Resources["cm_id"] + 1))
	exit, err := m.Kill(ctx)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(exit.Signal).To(Equal("SIGKILL"))
	after, err := host.Observe(ctx)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(after.IGMP).NotTo(ContainElement(HaveField("Group", membership.Group)))
	must.Expect(after.Resources).To(Equal(before.Resources))
	t.Logf("before %+v\nafter %+v", before, after)
}

func TestEveryChangeIsShownAndTakenBack(t *testing.T) {
	must, ctx := NewWithT(t), t.Context()
	host := backend(t, freshPair(t, openLab(t, nil)), "configure").Hosts()[0]
	port := func() spec.Port {
		ports, err := host.Ports(ctx)
		must.Expect(err).NotTo(HaveOccurred())
		return ports[0]
	}
	change := func(c spec.Change) (undo func()) {
		take, err := host.(spec.Configurer).Configure(ctx, c)
		must.Expect(err).NotTo(HaveOccurred())
		return func() { must.Expect(take(ctx)).To(Succeed()) }
	}
	first := port()
	more := netip.MustParsePrefix("192.168.178.1/24")

	undo := change(spec.Change{AddAddr: &spec.NetdevAddr{Netdev: "eth0", Prefix: more}})
	must.Expect(port().Addrs).To(ContainElement(more))
	undo()
	must.Expect(port()).To(Equal(first))

	undo = change(spec.Change{DelAddr: &spec.NetdevAddr{Netdev: "eth0", Prefix: first.Addrs[0]}})
	must.Expect(port().Addrs).NotTo(ContainElement(first.Addrs[0]))
	undo()
	must.Expect(port()).To(Equal(first))

	undo = change(spec.Change{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 1300}})
	must.Expect(port().MTU).To(Equal(1300))
	undo()
	must.Expect(port()).To(Equal(first))

	undo = change(spec.Change{AddRoute: &spec.Route{Netdev: "eth0", Prefix: netip.MustParsePrefix("224.0.0.0/4")}})
	_, err := host.(spec.Configurer).Configure(ctx,
		spec.Change{AddRoute: &spec.Route{Netdev: "eth0", Prefix: netip.MustParsePrefix("224.0.0.0/4")}})
	must.Expect(err).To(MatchError(ContainSubstring("file exists")))
	undo()

	undo = change(spec.Change{SetLink: &spec.LinkChange{Netdev: "eth0", Up: false}})
	undo()
	must.Expect(port().Addrs).To(ContainElement(first.Addrs[0]))

	_, err = host.(spec.Configurer).Configure(ctx, spec.Change{})
	must.Expect(err).To(MatchError(ContainSubstring("want exactly one")))
}

func TestAPanicIsTheGuestsLastWord(t *testing.T) {
	must, ctx := NewWithT(t), t.Context()
	pair := freshPair(t, openLab(t, nil))
	b := backend(t, pair, "panic")
	must.Expect(pair.Guests[1].Panic(ctx)).To(Succeed())
	must.Expect(pair.Guests[1].Err()).To(MatchError(ContainSubstring("Kernel panic")))
	_, err := b.Hosts()[1].Observe(ctx)
	must.Expect(err).To(MatchError(ContainSubstring("Kernel panic")))
	_, err = b.Hosts()[0].Observe(ctx)
	must.Expect(err).NotTo(HaveOccurred())
}

func TestAKilledEmulatorEndsItsConnectionOnly(t *testing.T) {
	must, ctx := NewWithT(t), t.Context()
	pair := freshPair(t, openLab(t, nil))
	b := backend(t, pair, "kill")
	must.Expect(pair.Guests[0].process.cmd.Process.Kill()).To(Succeed())
	_, err := b.Hosts()[0].Observe(ctx)
	must.Expect(err).To(HaveOccurred())
	<-pair.Guests[0].Ended()
	must.Expect(pair.Guests[0].Err()).To(MatchError(ContainSubstring("signal: killed")))
	_, err = b.Hosts()[1].Observe(ctx)
	must.Expect(err).NotTo(HaveOccurred())
}

func TestAGuestPowersOffWhenItsSessionEnds(t *testing.T) {
	pair := freshPair(t, openLab(t, nil))
	must := NewWithT(t)
	must.Expect(backend(t, pair, "end").Close(t.Context())).To(Succeed())
	for _, g := range pair.Guests {
		must.Eventually(g.Ended()).WithTimeout(restoreWithin).Should(BeClosed())
		must.Expect(g.Err()).NotTo(HaveOccurred())
	}
}

// emulators lists the QEMUs that run in a lab's folder.
func emulators(runDir string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, d := range dirs {
		if target, err := os.Readlink(d); err == nil && strings.HasPrefix(target, runDir) {
			found = append(found, d)
		}
	}
	return found
}

func TestNothingIsLeftOfAClosedLab(t *testing.T) {
	must := NewWithT(t)
	lab := openLab(t, nil)
	for range 3 {
		freshPair(t, lab)
	}
	must.Expect(emulators(lab.runDir)).NotTo(BeEmpty())
	lab.Close()
	must.Expect(emulators(lab.runDir)).To(BeEmpty())
	must.Expect(lab.runDir).NotTo(BeADirectory())
	_, err := lab.Fresh()
	must.Expect(err).To(MatchError(errClosed))
}

func TestASleepingGuestRunsNoEmulatorUntilItIsWoken(t *testing.T) {
	must := NewWithT(t)
	lab := openLab(t, nil)
	pair, err := lab.Fresh()
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(emulators(lab.runDir)).To(BeEmpty())
	must.Expect(pair.Guests[1].Wake(t.Context())).To(Succeed())
	must.Expect(emulators(lab.runDir)).To(HaveLen(1))
	pair.Close()
	must.Expect(emulators(lab.runDir)).To(BeEmpty())
	must.Expect(pair.Guests[0].Wake(t.Context())).To(MatchError(errClosed))
}

func TestALabEndsWithItsContext(t *testing.T) {
	must := NewWithT(t)
	openLab(t, nil) // boots, if need be, outside of the context that ends
	ctx, cancel := context.WithCancel(t.Context())
	kernel, rdmaCore := versions()
	lab, err := Open(ctx, Config{
		Kernel: kernel, RDMACore: rdmaCore, HostBinary: programs.host, AgentBinary: programs.agent,
	})
	must.Expect(err).NotTo(HaveOccurred())
	pair := freshPair(t, lab)
	cancel()
	must.Eventually(pair.Guests[0].Ended()).WithTimeout(restoreWithin).Should(BeClosed())
	lab.Close()
	must.Expect(emulators(lab.runDir)).To(BeEmpty())
}

func TestADamagedSavedPairIsBootedAgain(t *testing.T) {
	must := NewWithT(t)
	lab := openLab(t, nil)
	state := lab.saved.stateFile(0)
	lab.Close()
	must.Expect(os.Truncate(state, 1<<20)).To(Succeed())
	var said []string
	lab = openLab(t, func(c *Config) { c.Progress = func(line string) { said = append(said, line) } })
	must.Expect(said).To(ContainElement(ContainSubstring("the saved pair is no good (a.state is damaged)")))
	backend(t, freshPair(t, lab), "healed")
}

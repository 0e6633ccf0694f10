package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/hw/client"
	"joinmcast/hw/fakehost"
	"joinmcast/spec"
)

// expectSurvey lets an agent answer the survey of a host.
func expectSurvey(h *fakeHost, attr spec.DeviceAttr, udQP error) {
	p := h.process.EXPECT()
	p.CreateEventChannel(gomock.Any()).Return(spec.Channel(1), nil)
	p.CreateID(gomock.Any(), spec.Channel(1), spec.Context(0), spec.PSUDP).Return(spec.ID(1), nil)
	p.BindAddr(gomock.Any(), spec.ID(1), spec.NewSockaddr(h.About.Addr, 0)).Return(nil)
	p.QueryDevice(gomock.Any(), spec.ID(1)).Return(attr, nil)
	p.CreateQP(gomock.Any(), spec.ID(1), gomock.Any()).Return(spec.QP(1), udQP)
	if udQP == nil {
		p.DestroyQP(gomock.Any(), spec.ID(1)).Return(nil)
	}
	p.DestroyID(gomock.Any(), spec.ID(1)).Return(nil)
	p.DestroyEventChannel(gomock.Any(), spec.Channel(1)).Return(nil)
}

func TestAHostOfAnotherRunIsRefused(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.About.Nonce = "yesterday"
	_, err := client.Dial(t.Context(), connect(h), client.Options{Nonce: "today"})
	g.Expect(err).To(MatchError(`host0 answers with nonce "yesterday", want "today": it serves another run`))
}

func TestWhatDoesNotGreetAsAHostIsRefused(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.Greeting = "SSH-2.0-OpenSSH_9.2\n"
	_, err := client.Dial(t.Context(), connect(h), client.Options{})
	g.Expect(err).To(MatchError(ContainSubstring(`host0 greets with "SSH-2.0-OpenSSH_9.2\n", want "joinmcast-host 1\n"`)))
}

func TestAHostThatEndsBeforeItGreetsIsQuoted(t *testing.T) {
	g := NewWithT(t)
	near, far := net.Pipe()
	g.Expect(far.Close()).To(Succeed())
	_, err := client.Dial(t.Context(), []client.HostConn{
		{Name: "host0", Conn: near, LastWords: func() string { return "Kernel panic" }},
	}, client.Options{})
	g.Expect(err).To(MatchError("host0 does not greet: EOF; its console ends:\nKernel panic"))
}

func TestDialEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	near, far := net.Pipe()
	defer func() { _ = far.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client.Dial(ctx, []client.HostConn{{Name: "host0", Conn: near}}, client.Options{})
	g.Expect(err).To(MatchError(context.Canceled))
}

func TestNoHostIsRefused(t *testing.T) {
	_, err := client.Dial(t.Context(), nil, client.Options{})
	NewWithT(t).Expect(err).To(MatchError("no host to connect to: want at least one"))
}

func TestARefusalOfTheHostIsQuoted(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.changes.EXPECT().Observe(gomock.Any()).Return(spec.HostState{}, errors.New("the kernel log cannot be read"))
	_, err := dial(t, h).Hosts()[0].Observe(t.Context())
	g.Expect(err).To(MatchError("host0: observe: the kernel log cannot be read"))
}

func TestPortsAreThoseOfTheGreetingUntilAChange(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.About.Capabilities = spec.Capabilities{spec.Configure: {Has: true, How: "a guest"}}
	h.About.Ports = []spec.Port{{Device: "rxe0", Num: 1, MTU: 1500}}
	host := dial(t, h).Hosts()[0]
	g.Expect(host.Ports(t.Context())).To(Equal(h.About.Ports))
	_, err := host.(spec.Configurer).Configure(t.Context(), spec.Change{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 200}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(host.Ports(t.Context())).To(Equal([]spec.Port{{Device: "rxe0", Num: 1, MTU: 200}}))
}

func TestARequestToADeadHostSaysThatItIsGone(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	host := dial(t, h).Hosts()[0]
	g.Expect(h.conn.Close()).To(Succeed())
	_, err := host.Observe(t.Context())
	g.Expect(err).To(MatchError(And(HavePrefix("host0 is gone: observe: "), HaveSuffix("last words of host0"))))
}

func TestAChangeCanBeUndone(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.About.Capabilities = spec.Capabilities{spec.Configure: {Has: true, How: "a guest"}}
	ours, ok := dial(t, h).Hosts()[0].(spec.Configurer)
	g.Expect(ok).To(BeTrue())
	undo, err := ours.Configure(t.Context(), spec.Change{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 200}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(undo(t.Context())).To(Succeed())
	g.Expect(h.changes.set).To(Equal([]string{"eth0"}))
	g.Expect(h.changes.undone).To(Equal([]int{1}))
}

func TestAHostThatIsNotOursIsNoConfigurer(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	_, ok := dial(t, h).Hosts()[0].(spec.Configurer)
	g.Expect(ok).To(BeFalse())
}

func TestTheEnvironmentJoinsHostAndAgent(t *testing.T) {
	g, h0, h1 := NewWithT(t), newFakeHost(t, "host0"), newFakeHost(t, "host1")
	h0.Env = spec.HostEnvironment{KernelRelease: "6.1", Device: "rxe0"}
	h0.About.Detectors = []string{"lockdep", "KASAN"}
	h1.About.Detectors = []string{"KASAN"}
	expectSurvey(h0, spec.DeviceAttr{FWVer: "1.0", NodeGUID: "ab", SysImageGUID: "cd"}, nil)
	expectSurvey(h1, spec.DeviceAttr{}, nil)
	env, err := dial(t, h0, h1).Environment(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(env).To(Equal(spec.Environment{
		Stack: "linux", Transport: spec.RoCEv2, Nonce: "n0", Detectors: []string{"KASAN", "lockdep"},
		Hosts: []spec.HostEnvironment{
			{
				Name: "host0", Nonce: "n0", KernelRelease: "6.1", Device: "rxe0", Libraries: fakehost.Libraries,
				Firmware: "1.0", NodeGUID: "ab", SysImageGUID: "cd",
			},
			{Name: "host1", Nonce: "n0", Libraries: fakehost.Libraries},
		},
	}))
}

func TestHostsOfTwoTransportsAreRefused(t *testing.T) {
	g, h0, h1 := NewWithT(t), newFakeHost(t, "host0"), newFakeHost(t, "host1")
	h1.About.Transport = spec.IWARP
	expectSurvey(h0, spec.DeviceAttr{}, nil)
	expectSurvey(h1, spec.DeviceAttr{}, nil)
	_, err := dial(t, h0, h1).Environment(t.Context())
	g.Expect(err).To(MatchError("host0 speaks rocev2 and host1 speaks iwarp: want one transport"))
}

func TestACapabilityIsWhatAllHostsHave(t *testing.T) {
	g, h0, h1 := NewWithT(t), newFakeHost(t, "host0"), newFakeHost(t, "host1")
	h0.About.Capabilities = spec.Capabilities{spec.SeesIGMP: {Has: true, How: "/proc/net/igmp"}}
	h1.About.Capabilities = spec.Capabilities{spec.SeesIGMP: {Has: false, How: "no /proc/net/igmp"}}
	expectSurvey(h0, spec.DeviceAttr{MaxMcastGrp: 8192, MaxMcastQPAttach: 56}, nil)
	expectSurvey(h1, spec.DeviceAttr{MaxMcastGrp: 8192, MaxMcastQPAttach: 56},
		&spec.CallError{Method: "rdma_create_qp", Ret: -1, Errno: spec.EOPNOTSUPP})
	all, err := dial(t, h0, h1).Capabilities(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all).To(Equal(spec.Capabilities{
		spec.SeesIGMP: {Has: false, How: "host0: /proc/net/igmp; host1: no /proc/net/igmp"},
		spec.UDQP: {
			Has: false,
			How: "host0: rdma_create_qp makes a UD QP; host1: rdma_create_qp: -1, errno EOPNOTSUPP (95)",
		},
		spec.McastQP: {
			Has: true,
			How: "host0: ibv_query_device: max_mcast_grp 8192, max_mcast_qp_attach 56; " +
				"host1: ibv_query_device: max_mcast_grp 8192, max_mcast_qp_attach 56",
		},
		spec.TwoHosts: {Has: true, How: "connected to host0, host1"},
	}))
}

func TestACapabilityWithoutEvidenceIsRefused(t *testing.T) {
	for lacking, has := range map[string]bool{"there": true, "lacking": false} {
		g, h := NewWithT(t), newFakeHost(t, "host0")
		h.About.Capabilities = spec.Capabilities{spec.SeesIGMP: {Has: has}}
		expectSurvey(h, spec.DeviceAttr{}, nil)
		_, err := dial(t, h).Capabilities(t.Context())
		g.Expect(err).To(MatchError(
			`host0 says of capability "sees-igmp" that it is ` + lacking + `, and not how that is known`))
	}
}

func TestADeviceWithoutGroupsHasNoMulticastQPs(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	expectSurvey(h, spec.DeviceAttr{}, nil)
	all, err := dial(t, h).Capabilities(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all[spec.McastQP].Has).To(BeFalse())
	g.Expect(all[spec.TwoHosts].Has).To(BeFalse())
}

func TestASleepingHostIsWokenByItsFirstUse(t *testing.T) {
	g := NewWithT(t)
	awake, asleep := newFakeHost(t, "host0"), newFakeHost(t, "host1")
	conns := connect(awake, asleep)
	wakings := 0
	connection := conns[1].Conn
	conns[1].Conn, conns[1].Wake = nil, func(context.Context) (io.ReadWriteCloser, error) {
		wakings++
		return connection, nil
	}
	b, err := client.Dial(t.Context(), conns, client.Options{Nonce: "n0"})
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = b.Close(t.Context()) }()
	_, err = b.Hosts()[0].Ports(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(wakings).To(BeZero(), "nobody has used it")

	for range 2 {
		_, err = b.Hosts()[1].Ports(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
	}

	g.Expect(wakings).To(Equal(1))
}

func TestAHostThatDoesNotWakeStaysLost(t *testing.T) {
	g := NewWithT(t)
	awake := newFakeHost(t, "host0")
	fast := errors.New("fast asleep")
	conns := append(connect(awake), client.HostConn{
		Name: "host1", Wake: func(context.Context) (io.ReadWriteCloser, error) { return nil, fast },
	})
	b, err := client.Dial(t.Context(), conns, client.Options{Nonce: "n0"})
	g.Expect(err).NotTo(HaveOccurred())

	for range 2 {
		_, err = b.Hosts()[1].Ports(t.Context())
		g.Expect(err).To(MatchError(fast))
	}
	g.Expect(b.Close(t.Context())).To(Succeed())
}

func TestHostsThatAreAsTheyWereAreRenewed(t *testing.T) {
	g := NewWithT(t)
	spoiled, err := dial(t, newFakeHost(t, "host0"), newFakeHost(t, "host1")).Renew(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(spoiled).To(BeEmpty())
}

func TestWhatSpoilsAHostIsToldWithItsName(t *testing.T) {
	g := NewWithT(t)
	clean, dirty := newFakeHost(t, "host0"), newFakeHost(t, "host1")
	dirty.Spoiled = []string{"taint: 0 -> 512"}
	spoiled, err := dial(t, clean, dirty).Renew(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(spoiled).To(Equal([]string{"host1: taint: 0 -> 512"}))
}

func TestAHostThatSleepsIsNotWokenToBeRenewed(t *testing.T) {
	g := NewWithT(t)
	conns := append(connect(newFakeHost(t, "host0")), client.HostConn{
		Name: "host1", Wake: func(context.Context) (io.ReadWriteCloser, error) { return nil, errors.New("fast asleep") },
	})
	b, err := client.Dial(t.Context(), conns, client.Options{Nonce: "n0"})
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = b.Close(t.Context()) }()
	_, err = b.Renew(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
}

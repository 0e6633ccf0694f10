package client_test

import (
	"context"
	"net"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"
	"go.uber.org/mock/gomock"

	"joinmcast/hw/client"
	"joinmcast/hw/fakehost"
	"joinmcast/hw/wire"
	"joinmcast/spec"
	"joinmcast/spec/specmock"
)

// fakeHost is a host program whose agents all make their calls on one mock.
type fakeHost struct {
	fakehost.Host
	name    string
	process *specmock.MockProcess
	blocked map[string]bool // what in_flight says of an open call
	words   string          // its last

	conn    net.Conn
	changes *changes
}

// changes is a host that is ours, with one MTU: what a change sets.
type changes struct {
	*specmock.MockHost
	set    []string // netdevs
	undone []int
	mtu    int
}

func (c *changes) Ports(context.Context) ([]spec.Port, error) {
	return []spec.Port{{Device: "rxe0", Num: 1, MTU: c.mtu}}, nil
}

func (c *changes) Configure(_ context.Context, change spec.Change) (func(context.Context) error, error) {
	c.set, c.mtu = append(c.set, change.SetMTU.Netdev), change.SetMTU.MTU
	number := len(c.set)
	return func(context.Context) error {
		c.undone = append(c.undone, number)
		return nil
	}, nil
}

func newFakeHost(t *testing.T, name string) *fakeHost {
	ctrl := gomock.NewController(t)
	served := &changes{MockHost: specmock.NewMockHost(ctrl)}
	h := &fakeHost{
		Host: fakehost.Host{
			Host: served, About: wire.HelloAnswer{Transport: spec.RoCEv2, Addr: netip.MustParseAddr("192.168.1.1")},
		},
		name: name, words: "last words of " + name, process: specmock.NewMockProcess(ctrl), blocked: map[string]bool{},
		changes: served,
	}
	served.EXPECT().Start(gomock.Any()).Return(h.process, nil).AnyTimes()
	h.process.EXPECT().Kill(gomock.Any()).AnyTimes()
	h.InFlight = func(_ context.Context, open []string) ([]spec.InFlight, error) {
		calls := []spec.InFlight{}
		for _, method := range open {
			calls = append(calls, spec.InFlight{Method: method, Blocked: h.blocked[method]})
		}
		return calls, nil
	}
	return h
}

// mute is an agent that does not say what it is doing.
func mute(ctx context.Context, _ []string) ([]spec.InFlight, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// dial connects a Backend to the hosts; all of it ends with the test, and nothing may be left running then.
func dial(t *testing.T, hosts ...*fakeHost) *client.Backend {
	t.Helper()
	g := NewWithT(t)
	before := gleak.Goroutines()
	b, err := client.Dial(t.Context(), connect(hosts...), client.Options{Nonce: "n0"})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		g.Expect(b.Close(context.Background())).To(Succeed())
		g.Eventually(gleak.Goroutines).ShouldNot(gleak.HaveLeaked(before))
	})
	return b
}

func connect(hosts ...*fakeHost) []client.HostConn {
	conns := make([]client.HostConn, len(hosts))
	for i, h := range hosts {
		near, far := net.Pipe()
		h.conn = far
		go func() { _ = h.Serve(far) }()
		conns[i] = client.HostConn{Name: h.name, Conn: near, LastWords: func() string { return h.words }}
	}
	return conns
}

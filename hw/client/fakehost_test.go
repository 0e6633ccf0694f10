package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
	"github.com/hashicorp/yamux"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"
	"go.uber.org/mock/gomock"

	"joinmcast/hw/client"
	"joinmcast/hw/wire"
	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/specmock"
)

// fakeHost is a host program whose agents are goroutines over one mock.
type fakeHost struct {
	name     string
	greeting string
	about    wire.HelloAnswer
	env      spec.HostEnvironment
	process  *specmock.MockProcess
	blocked  map[string]bool // what in_flight says of an open call
	mute     bool            // in_flight gets no answer
	stderr   string          // what every agent writes to its standard error
	words    string          // its last

	conn    net.Conn
	changes []string
	spoiled []string // what renew answers
	undone  []int

	mu     sync.Mutex
	agents []*fakeAgent
}

// fakeAgent serves the mock over its stdio stream.
type fakeAgent struct {
	host  *fakeHost
	ended chan struct{}
	exit  spec.Exit
	once  sync.Once

	mu    sync.Mutex
	stdio net.Conn
	open  []string
}

func newFakeHost(t *testing.T, name string) *fakeHost {
	return &fakeHost{
		name: name, greeting: wire.Greeting, words: "last words of " + name,
		about:   wire.HelloAnswer{Transport: spec.RoCEv2, Addr: netip.MustParseAddr("192.168.1.1")},
		process: specmock.NewMockProcess(gomock.NewController(t)),
		blocked: map[string]bool{},
	}
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
		go h.serve(far)
		conns[i] = client.HostConn{Name: h.name, Conn: near, LastWords: func() string { return h.words }}
	}
	return conns
}

func (h *fakeHost) serve(conn net.Conn) {
	if _, err := io.WriteString(conn, h.greeting); err != nil {
		return
	}
	config := yamux.DefaultConfig()
	config.EnableKeepAlive = false
	config.LogOutput = io.Discard
	session, err := yamux.Server(conn, config)
	if err != nil {
		return
	}
	for {
		s, err := session.AcceptStream()
		if err != nil {
			break
		}
		go h.serveStream(s)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.agents {
		a.end(spec.Exit{Signal: "SIGKILL"})
	}
}

func (h *fakeHost) serveStream(s net.Conn) {
	defer func() { _ = s.Close() }()
	in := bufio.NewReader(s)
	line, _ := in.ReadString('\n')
	var header wire.Stream
	if json.Unmarshal([]byte(line), &header) != nil {
		return
	}
	switch header.Kind {
	case wire.Control:
		server := jrpc2.NewServer(h.control(), &jrpc2.ServerOptions{Concurrency: 64})
		_ = server.Start(channel.Line(in, s)).Wait()
	case wire.Stdio:
		h.agent(header.Agent).serve(in, s)
	case wire.Stderr:
		_, _ = io.WriteString(s, h.stderr)
		<-h.agent(header.Agent).ended
	}
}

func (h *fakeHost) agent(number int) *fakeAgent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.agents[number-1]
}

func (h *fakeHost) control() handler.Map {
	return handler.Map{
		wire.HostHello: handler.New(func(_ context.Context, p wire.HelloParams) wire.HelloAnswer {
			if h.about.Nonce == "" {
				h.about.Nonce = p.Nonce
			}
			return h.about
		}),
		wire.HostEnvironment: handler.New(func(context.Context) spec.HostEnvironment {
			h.env.Nonce = h.about.Nonce
			return h.env
		}),
		wire.HostPorts: handler.New(func(context.Context) wire.PortsAnswer {
			return wire.PortsAnswer{Ports: []spec.Port{{Device: "rxe0", Num: 1, MTU: 200}}}
		}),
		wire.HostObserve: handler.New(func(context.Context) (spec.HostState, error) {
			return spec.HostState{}, errors.New("the kernel log cannot be read")
		}),
		wire.HostRenew: handler.New(func(context.Context) wire.RenewAnswer { return wire.RenewAnswer{Spoiled: h.spoiled} }),
		wire.HostConfigure: handler.New(func(_ context.Context, c spec.Change) wire.ConfigureAnswer {
			h.changes = append(h.changes, c.SetMTU.Netdev)
			return wire.ConfigureAnswer{Undo: len(h.changes)}
		}),
		wire.HostUndo: handler.New(func(_ context.Context, p wire.UndoParams) bool {
			h.undone = append(h.undone, p.Undo)
			return true
		}),
		wire.HostStart: handler.New(func(context.Context, wire.StartParams) wire.StartAnswer {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.agents = append(h.agents, &fakeAgent{host: h, ended: make(chan struct{})})
			return wire.StartAnswer{Agent: len(h.agents)}
		}),
		wire.HostWait: handler.New(func(ctx context.Context, p wire.AgentParams) (spec.Exit, error) {
			a := h.agent(p.Agent)
			select {
			case <-a.ended:
				return a.exit, nil
			case <-ctx.Done():
				return spec.Exit{}, ctx.Err()
			}
		}),
		wire.HostKill: handler.New(func(_ context.Context, p wire.AgentParams) bool {
			h.agent(p.Agent).end(spec.Exit{Signal: "SIGKILL"})
			return true
		}),
	}
}

// end ends the agent once, as a process ends: its streams close by themselves.
func (a *fakeAgent) end(exit spec.Exit) {
	a.once.Do(func() {
		a.exit = exit
		close(a.ended)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stdio != nil {
		_ = a.stdio.Close()
	}
}

// say writes bytes as they are to the agent's standard output.
func (a *fakeAgent) say(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = io.WriteString(a.stdio, text)
}

func (a *fakeAgent) serve(in io.Reader, out net.Conn) {
	a.mu.Lock()
	a.stdio = out
	a.mu.Unlock()
	select {
	case <-a.ended: // before anybody spoke to it
		return
	default:
	}
	server := jrpc2.NewServer(a, &jrpc2.ServerOptions{Concurrency: 64}).Start(channel.Line(in, out))
	_ = server.Wait()
	a.end(spec.Exit{})
}

// Assign makes a handler of every method of package call by performing it on the mock.
func (a *fakeAgent) Assign(_ context.Context, method string) jrpc2.Handler {
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		select {
		case <-a.ended: // the dead do nothing
			<-ctx.Done()
			return nil, ctx.Err()
		default:
		}
		switch method {
		case wire.InFlight:
			return a.inFlight(ctx)
		case wire.Libraries:
			return wire.LibrariesAnswer{Libraries: map[string]string{"/lib/librdmacm.so.1": "beef"}}, nil
		}
		args, answer, ok := call.New(method)
		if !ok {
			return nil, &jrpc2.Error{Code: jrpc2.MethodNotFound, Message: "no method is named " + method}
		}
		if err := r.UnmarshalParams(args); err != nil {
			return nil, err
		}
		defer a.begin(method)()
		return result(call.Perform(ctx, a.host.process, method, args, answer), answer)
	}
}

func (a *fakeAgent) begin(method string) (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = append(a.open, method)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		i := slices.Index(a.open, method)
		a.open = slices.Delete(a.open, i, i+1)
	}
}

func (a *fakeAgent) inFlight(ctx context.Context) (any, error) {
	if a.host.mute {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	list := wire.InFlightAnswer{Calls: []spec.InFlight{}}
	for _, m := range a.open {
		list.Calls = append(list.Calls, spec.InFlight{Method: m, Blocked: a.host.blocked[m]})
	}
	return list, nil
}

func result(err error, answer any) (any, error) {
	var refused *spec.CallError
	r := wire.Result{OK: err == nil}
	switch {
	case errors.As(err, &refused):
		r.Ret, r.Errno = refused.Ret, refused.Errno
	case err != nil:
		return nil, err
	}
	var marshalErr error
	r.Answer, marshalErr = json.Marshal(answer)
	return r, marshalErr
}

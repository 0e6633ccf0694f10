// Package fakehost is a host program for tests: it serves any spec.Host over package wire, and does wrong what it is
// told to.
package fakehost

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
	"github.com/hashicorp/yamux"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// Host is a host program; only the host that it serves must be set.
type Host struct {
	spec.Host                         // its processes are the agents
	Greeting  string                  // wire.Greeting unless set
	About     wire.HelloAnswer        // the nonce is the run's unless set
	Env       spec.HostEnvironment    // the nonce is that of About
	Stderr    string                  // what every agent writes to its standard error
	Spoiled   []string                // what renew answers
	Before    func(ask Request) error // what comes before every request is served; an error is the answer
	// InFlight is what an agent says of its open calls; nil: that none of them is blocked.
	InFlight func(ctx context.Context, open []string) ([]spec.InFlight, error)

	mu     sync.Mutex
	agents []*Agent
	undos  []func(context.Context) error
}

// Request is one that has come.
type Request struct {
	context.Context // ends with the stream
	*jrpc2.Request
	Agent *Agent // that is asked; nil: the host program
	out   io.Writer
}

// Say writes a text as it is where the answer belongs.
func (r Request) Say(text string) { _, _ = io.WriteString(r.out, text) }

// Never answers never.
func (r Request) Never() error {
	<-r.Done()
	return r.Err()
}

// Serve greets and serves the other side until it ends the connection; agents end with it.
func (h *Host) Serve(conn io.ReadWriteCloser) error {
	greeting := h.Greeting
	if greeting == "" {
		greeting = wire.Greeting
	}
	if _, err := io.WriteString(conn, greeting); err != nil {
		return err
	}
	config := yamux.DefaultConfig()
	config.EnableKeepAlive = false
	config.LogOutput = io.Discard
	session, err := yamux.Server(conn, config)
	if err != nil {
		return err
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
		a.End(spec.Exit{Signal: "SIGKILL"})
	}
	return nil
}

func (h *Host) serveStream(s *yamux.Stream) {
	defer func() { _ = s.Close() }()
	in := bufio.NewReader(s)
	line, _ := in.ReadString('\n')
	var header wire.Stream
	if json.Unmarshal([]byte(line), &header) != nil {
		return
	}
	switch header.Kind {
	case wire.Control:
		server := jrpc2.NewServer(control{h, s}, &jrpc2.ServerOptions{Concurrency: 64})
		_ = server.Start(channel.Line(in, s)).Wait()
	case wire.Stdio:
		h.Agent(header.Agent).serve(in, s)
	case wire.Stderr:
		_, _ = io.WriteString(s, h.Stderr)
		<-h.Agent(header.Agent).ended
	}
}

// Agent is the agent of that number, which has been started; the first one's is 1.
func (h *Host) Agent(number int) *Agent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.agents[number-1]
}

func (h *Host) before(r Request) error {
	if h.Before == nil {
		return nil
	}
	return h.Before(r)
}

// control assigns the methods of the control stream.
type control struct {
	host *Host
	out  io.Writer
}

// Assign implements jrpc2.Assigner.
func (c control) Assign(ctx context.Context, method string) jrpc2.Handler {
	serve := c.host.methods().Assign(ctx, method)
	if serve == nil {
		return nil
	}
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		if err := c.host.before(Request{ctx, r, nil, c.out}); err != nil {
			return nil, err
		}
		return serve(ctx, r)
	}
}

func (h *Host) methods() handler.Map {
	return handler.Map{
		wire.HostHello: handler.New(func(_ context.Context, p wire.HelloParams) wire.HelloAnswer {
			if h.About.Nonce == "" {
				h.About.Nonce = p.Nonce
			}
			return h.About
		}),
		wire.HostEnvironment: handler.New(func(context.Context) spec.HostEnvironment {
			h.Env.Nonce = h.About.Nonce
			return h.Env
		}),
		wire.HostPorts: handler.New(func(ctx context.Context) (wire.PortsAnswer, error) {
			ports, err := h.Ports(ctx)
			return wire.PortsAnswer{Ports: ports}, err
		}),
		wire.HostObserve: handler.New(h.Observe),
		wire.HostRenew: handler.New(func(context.Context) wire.RenewAnswer {
			return wire.RenewAnswer{Spoiled: h.Spoiled}
		}),
		wire.HostConfigure: handler.New(h.configure),
		wire.HostUndo: handler.New(func(ctx context.Context, p wire.UndoParams) (bool, error) {
			return true, h.undos[p.Undo-1](ctx)
		}),
		wire.HostStart: handler.New(h.start),
		wire.HostWait: handler.New(func(ctx context.Context, p wire.AgentParams) (spec.Exit, error) {
			return h.Agent(p.Agent).wait(ctx)
		}),
		wire.HostKill: handler.New(func(_ context.Context, p wire.AgentParams) bool {
			h.Agent(p.Agent).End(spec.Exit{Signal: "SIGKILL"})
			return true
		}),
	}
}

func (h *Host) configure(ctx context.Context, c spec.Change) (wire.ConfigureAnswer, error) {
	ours, ok := h.Host.(spec.Configurer)
	if !ok {
		return wire.ConfigureAnswer{}, fmt.Errorf("%T is no spec.Configurer", h.Host)
	}
	undo, err := ours.Configure(ctx, c)
	if err != nil {
		return wire.ConfigureAnswer{}, err
	}
	h.undos = append(h.undos, undo)
	return wire.ConfigureAnswer{Undo: len(h.undos)}, nil
}

func (h *Host) start(ctx context.Context, _ wire.StartParams) (wire.StartAnswer, error) {
	process, err := h.Start(ctx)
	if err != nil {
		return wire.StartAnswer{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.agents = append(h.agents, &Agent{host: h, process: process, ended: make(chan struct{})})
	return wire.StartAnswer{Agent: len(h.agents)}, nil
}

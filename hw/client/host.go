package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/hashicorp/yamux"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// host is one host program.
type host struct {
	conn     HostConn
	nonce    string
	rdmaCore string

	connecting sync.Mutex
	lost       error // why there is no connection, for good
	session    *yamux.Session
	control    *jrpc2.Client
	about      wire.HelloAnswer
	changes    atomic.Int32 // not taken back, so that its ports may be others than those it told at first

	surveying sync.Mutex
	surveyed  *survey // what an agent found out, once it has been asked
}

// ownHost is a host whose program may change it.
type ownHost struct{ *host }

var (
	_ spec.Host       = (*host)(nil)
	_ spec.Saboteur   = (*host)(nil)
	_ spec.Configurer = ownHost{}
)

// Ports lists the RDMA ports, the one under test first.
func (h *host) Ports(ctx context.Context) ([]spec.Port, error) {
	if err := h.connect(ctx); err != nil {
		return nil, err
	}
	if h.changes.Load() == 0 {
		return h.about.Ports, nil // to ask again takes a guest a tenth of a second
	}
	var a wire.PortsAnswer
	err := h.request(ctx, wire.HostPorts, nil, &a)
	return a.Ports, err
}

// Observe shows what processes have left behind.
func (h *host) Observe(ctx context.Context) (spec.HostState, error) {
	var s spec.HostState
	err := h.request(ctx, wire.HostObserve, nil, &s)
	return s, err
}

// Start starts an agent.
func (h *host) Start(ctx context.Context) (spec.Process, error) {
	return h.start(ctx, wire.StartParams{})
}

// StartMischief starts an agent whose calls of spec.Mischief work.
func (h *host) StartMischief(ctx context.Context) (spec.Process, error) {
	return h.start(ctx, wire.StartParams{Mischief: true})
}

func (h *host) start(ctx context.Context, params wire.StartParams) (*Process, error) {
	var a wire.StartAnswer
	if err := h.request(ctx, wire.HostStart, params, &a); err != nil {
		return nil, err
	}
	return newProcess(h, a.Agent)
}

// Configure changes the host and returns when its kernel shows the change; the undo, when the port is as it was. A
// change that fails may have been made in part.
func (h ownHost) Configure(ctx context.Context, c spec.Change) (func(context.Context) error, error) {
	var a wire.ConfigureAnswer
	h.changes.Add(1)
	if err := h.request(ctx, wire.HostConfigure, c, &a); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		err := h.request(ctx, wire.HostUndo, wire.UndoParams(a), nil)
		if err == nil {
			h.changes.Add(-1)
		}
		return err
	}, nil
}

// request makes a call on the control stream of a host that may still have to be woken; answer may be nil.
func (h *host) request(ctx context.Context, method string, params, answer any) error {
	if err := h.connect(ctx); err != nil {
		return err
	}
	return h.ask(ctx, method, params, answer)
}

// ask makes a call on the control stream.
func (h *host) ask(ctx context.Context, method string, params, answer any) error {
	response, err := request(ctx, h.control, method, params)
	if err == nil && answer != nil {
		err = response.UnmarshalResult(answer)
	}
	if err != nil {
		return h.failure(method, err)
	}
	return nil
}

// failure says what went wrong with the host: that it is gone, or what it answered.
func (h *host) failure(what string, err error) error {
	var refusal *jrpc2.Error
	refused := errors.As(err, &refusal)
	if !refused && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		// A write may fail before the session hears of its connection's end.
		select {
		case <-h.session.CloseChan():
		case <-time.After(time.Second):
		}
	}
	switch {
	case h.session.IsClosed():
		words := lastWords(h.conn)
		if strings.Contains(words, kernelPanic) {
			err = &spec.Crashed{Method: what, Exit: spec.Exit{Signal: "kernel panic"}}
		}
		return fmt.Errorf("%s is gone: %s: %w%s", h.conn.Name, what, err, words)
	case refused:
		return fmt.Errorf("%s: %s: %s", h.conn.Name, what, refusal.Message)
	}
	return fmt.Errorf("%s: %s: %w", h.conn.Name, what, err)
}

// kernelPanic is how Linux begins the last words of a kernel that died: the stack under test, not the harness.
const kernelPanic = "Kernel panic"

// ping tells whether the host program still runs: an agent that says nothing may only share its host's fate.
func (h *host) ping(within time.Duration) error {
	answered := make(chan error, 1)
	go func() {
		_, err := h.session.Ping()
		answered <- err
	}()
	select {
	case err := <-answered:
		if err != nil {
			return h.failure("ping", err)
		}
		return nil
	case <-time.After(within):
		return fmt.Errorf("%s stands still: no answer to a ping in %s%s", h.conn.Name, within, lastWords(h.conn))
	}
}

// open opens a stream of the connection.
func (h *host) open(header wire.Stream) (stream, error) {
	what := "open " + header.Kind
	s, err := h.session.OpenStream()
	if err != nil {
		return stream{}, h.failure(what, err)
	}
	line, err := json.Marshal(header)
	if err != nil {
		return stream{}, fmt.Errorf("%s: %s: %w", h.conn.Name, what, err)
	}
	if _, err := s.Write(append(line, '\n')); err != nil {
		_ = s.Close()
		return stream{}, h.failure(what, err)
	}
	return stream{s}, nil
}

// close ends the connection, and with it everything on it.
func (h *host) close() {
	if h.session != nil {
		_ = h.session.Close()
	}
	if h.control != nil {
		_ = h.control.Close()
	}
}

// stream is a yamux stream whose Close ends this side's reading too.
type stream struct{ *yamux.Stream }

func (s stream) Close() error {
	err := s.Stream.Close()
	return errors.Join(err, s.SetReadDeadline(time.Unix(1, 0)))
}

// request makes one JSON-RPC call. It returns when ctx ends, also while sending blocks because the other side takes
// nothing: a thing the library does not promise.
func request(ctx context.Context, c *jrpc2.Client, method string, params any) (*jrpc2.Response, error) {
	type outcome struct {
		response *jrpc2.Response
		err      error
	}
	done := make(chan outcome, 1)
	go func() {
		response, err := c.Call(ctx, method, params)
		done <- outcome{response, err}
	}()
	select {
	case o := <-done:
		return o.response, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

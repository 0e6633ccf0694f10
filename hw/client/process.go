package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/creachadair/jrpc2"

	"joinmcast/hw/wire"
	"joinmcast/spec"
	"joinmcast/spec/call"
)

// Process is an agent on a host: one RDMA application.
type Process struct {
	call.Port // over Call
	host      *host
	agent     int
	stdio     stream
	answers   *answers
	rpc       *jrpc2.Client
	stderr    *tail

	ended   chan struct{} // closed when one of the two below is valid
	exit    spec.Exit
	waitErr error // why the exit will never be known

	stopped chan struct{} // closed when the agent's answers have ended
	stopErr error         // then: why

	free     sync.Once
	released atomic.Bool
}

var _ spec.Process = (*Process)(nil)

// exitWithin is how long the host may take to know how an agent ended whose output has ended.
const exitWithin = 20 * time.Second

func newProcess(h *host, agent int) (*Process, error) {
	stdio, err := h.open(wire.Stream{Kind: wire.Stdio, Agent: agent})
	if err != nil {
		return nil, err
	}
	stderr, err := h.open(wire.Stream{Kind: wire.Stderr, Agent: agent})
	if err != nil {
		_ = stdio.Close()
		return nil, err
	}
	p := &Process{
		host: h, agent: agent, stdio: stdio, answers: newAnswers(stdio), stderr: newTail(stderr),
		ended: make(chan struct{}), stopped: make(chan struct{}),
	}
	p.Port = call.Port{Caller: p}
	p.rpc = jrpc2.NewClient(p.answers, &jrpc2.ClientOptions{
		OnStop: func(_ *jrpc2.Client, err error) {
			p.stopErr = err
			close(p.stopped)
		},
	})
	go func() {
		defer close(p.ended)
		p.waitErr = h.request(context.Background(), wire.HostWait, wire.AgentParams{Agent: agent}, &p.exit)
	}()
	return p, nil
}

func (p *Process) name() string { return fmt.Sprintf("%s, agent %d", p.host.conn.Name, p.agent) }

// Call makes one call. A call that is still open when ctx ends is *spec.Hung, and so is one that nothing can wake any
// more; the call stays open in the agent and its late answer is dropped. An agent that ended is *spec.Crashed, with the
// exit its host has collected. Both may be wrapped in what the agent wrote to its standard error.
func (p *Process) Call(ctx context.Context, method string, args, answer any) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %s was not called: %w", p.name(), method, err)
	}
	watched, stop := p.watch(ctx, method)
	response, err := request(watched, p.rpc, method, args)
	hung := stop()
	switch {
	case err != nil && hung != nil:
		return p.withStderr(hung)
	case err != nil:
		return p.failure(ctx, method, err)
	}
	var result wire.Result
	if err := response.UnmarshalResult(&result); err != nil {
		return fmt.Errorf("%s: the result of %s: %w", p.name(), method, err)
	}
	if _, nothing := answer.(*call.Void); result.OK && !nothing && len(result.Answer) == 0 {
		return fmt.Errorf("%s: %s succeeded and has no answer", p.name(), method)
	}
	if len(result.Answer) > 0 {
		if err := json.Unmarshal(result.Answer, answer); err != nil {
			return fmt.Errorf("%s: the answer of %s: %w", p.name(), method, err)
		}
	}
	if !result.OK {
		return &spec.CallError{Method: method, Ret: result.Ret, Errno: result.Errno}
	}
	return nil
}

// failure finds out why a request has no result. The error of the request itself cannot say: a dead agent, a dead host
// and an ended context may all look like a cancellation.
func (p *Process) failure(ctx context.Context, method string, err error) error {
	var refusal *jrpc2.Error
	if errors.As(err, &refusal) && isAgents(refusal.Code) {
		return fmt.Errorf("%s: %s", p.name(), refusal.Message)
	}
	switch {
	case p.rpc.IsStopped():
		return p.gone(method)
	case ctx.Err() != nil:
		return p.overrun(method)
	case refusal != nil:
		return fmt.Errorf("%s: %s", p.name(), refusal.Message)
	}
	// It could not be sent. Where that is the end of the agent or of its host, the answers end too.
	select {
	case <-p.stopped:
		return p.gone(method)
	case <-time.After(exitWithin):
		return fmt.Errorf("%s: %s: %w", p.name(), method, err)
	}
}

// isAgents tells the codes that only an agent gives. InternalError is also the library's own.
func isAgents(c jrpc2.Code) bool {
	switch c {
	case jrpc2.ParseError, jrpc2.InvalidRequest, jrpc2.MethodNotFound, jrpc2.InvalidParams:
		return true
	}
	return false
}

// gone says what became of an agent whose answers have ended. That it ended is for its host to say: a line that is no
// JSON ends the answers too.
func (p *Process) gone(method string) error {
	<-p.stopped
	if err := p.fault(method); err != nil {
		return err
	}
	select {
	case <-p.ended:
		return p.crashed(method)
	case <-time.After(exitWithin):
		return fmt.Errorf("%s: %s: its output has ended, but the agent has not", p.name(), method)
	}
}

// misspoke is the error of an agent whose output is not what package wire says.
func (p *Process) misspoke(method string, fault error) error {
	return fmt.Errorf("%s: %s: what the agent wrote is no answer: %w", p.name(), method, fault)
}

// fault is why the agent's answers have ended, when that is none of the ends that an agent, its host or its caller
// makes.
func (p *Process) fault(method string) error {
	if errors.Is(p.stopErr, io.EOF) || p.host.session.IsClosed() || p.released.Load() {
		return nil
	}
	return p.misspoke(method, p.stopErr)
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// crashed is the error of a call on an agent that has ended.
func (p *Process) crashed(method string) error {
	if p.waitErr != nil {
		return fmt.Errorf("%s: %s: %w", p.name(), method, p.waitErr)
	}
	return p.withStderr(&spec.Crashed{Method: method, Exit: p.exit})
}

// withStderr adds the last lines of the agent's standard error, if there are any.
func (p *Process) withStderr(err error) error {
	if p.hasEnded() {
		p.stderr.awaitEnd()
	}
	if said := p.stderr.String(); said != "" {
		return fmt.Errorf("%w; its standard error ends: %s", err, said)
	}
	return err
}

// Kill ends the agent by SIGKILL, whatever it is doing; the exit is how it ended, which may have been earlier and by
// itself.
func (p *Process) Kill(ctx context.Context) (spec.Exit, error) {
	defer p.release()
	if !p.hasEnded() {
		if err := p.host.request(ctx, wire.HostKill, wire.AgentParams{Agent: p.agent}, nil); err != nil && !p.hasEnded() {
			return spec.Exit{}, err
		}
	}
	return p.awaitEnd(ctx, "kill")
}

// Signal sends the agent a signal, by number.
func (p *Process) Signal(ctx context.Context, signal int) error {
	return p.host.request(ctx, wire.HostSignal, wire.SignalParams{Agent: p.agent, Signal: signal}, nil)
}

// Close ends the agent in order, by the end of its input. An agent ends at once then, also when calls are open.
func (p *Process) Close(ctx context.Context) (spec.Exit, error) {
	defer p.release()
	_ = p.stdio.Stream.Close() // the writing half: open calls hear of the agent's end
	return p.awaitEnd(ctx, "close")
}

// awaitEnd waits for the exit and for the end of what the agent wrote: a fault that no call has met is told here.
func (p *Process) awaitEnd(ctx context.Context, what string) (spec.Exit, error) {
	exit, err := p.awaitExit(ctx)
	if err != nil {
		return exit, err
	}
	select {
	case <-p.stopped:
		return exit, p.fault(what)
	case <-ctx.Done():
		return exit, fmt.Errorf("%s: the agent has ended and its output has not: %w", p.name(), ctx.Err())
	}
}

func (p *Process) awaitExit(ctx context.Context) (spec.Exit, error) {
	select {
	case <-p.ended:
		if p.waitErr != nil {
			return spec.Exit{}, fmt.Errorf("%s: %w", p.name(), p.waitErr)
		}
		return p.exit, nil
	case <-ctx.Done():
		return spec.Exit{}, fmt.Errorf("%s does not end: %w", p.name(), ctx.Err())
	}
}

// release frees this side's half of the agent. The stream goes first: it frees a request that blocks in sending.
func (p *Process) release() {
	p.free.Do(func() {
		p.released.Store(true)
		_ = p.stdio.Close()
		_ = p.rpc.Close()
		p.stderr.close()
	})
}

package fakehost

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"joinmcast/hw/wire"
	"joinmcast/spec"
	"joinmcast/spec/call"
)

// Libraries is what every agent says that it runs on.
var Libraries = map[string]string{"/lib/librdmacm.so.1": "beef"}

// Agent makes on a process the calls that it is asked for.
type Agent struct {
	host    *Host
	process spec.Process
	ended   chan struct{}
	exit    spec.Exit
	once    sync.Once

	mu    sync.Mutex
	stdio net.Conn
	open  []string // methods
}

// End ends the agent once, as a process ends: its streams close by themselves.
func (a *Agent) End(exit spec.Exit) {
	a.once.Do(func() {
		_, _ = a.process.Kill(context.Background())
		a.exit = exit
		close(a.ended)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stdio != nil {
		_ = a.stdio.Close()
	}
}

// Say writes a text as it is to the agent's standard output.
func (a *Agent) Say(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = io.WriteString(a.stdio, text)
}

func (a *Agent) wait(ctx context.Context) (spec.Exit, error) {
	select {
	case <-a.ended:
		return a.exit, nil
	case <-ctx.Done():
		return spec.Exit{}, ctx.Err()
	}
}

func (a *Agent) serve(in io.Reader, out net.Conn) {
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
	a.End(spec.Exit{})
}

// Assign implements jrpc2.Assigner: it makes a handler of every method of package call.
func (a *Agent) Assign(_ context.Context, method string) jrpc2.Handler {
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		select {
		case <-a.ended: // the dead do nothing
			<-ctx.Done()
			return nil, ctx.Err()
		default:
		}
		if err := a.host.before(Request{ctx, r, a, a.stdio}); err != nil {
			return nil, err
		}
		switch method {
		case wire.InFlight:
			return a.inFlight(ctx)
		case wire.Libraries:
			return wire.LibrariesAnswer{Libraries: Libraries}, nil
		}
		args, answer, ok := call.New(method)
		if !ok {
			return nil, &jrpc2.Error{Code: jrpc2.MethodNotFound, Message: "no method is named " + method}
		}
		if err := r.UnmarshalParams(args); err != nil {
			return nil, err
		}
		defer a.begin(method)()
		return result(call.Perform(ctx, a.process, method, args, answer), answer)
	}
}

func (a *Agent) begin(method string) (end func()) {
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

func (a *Agent) inFlight(ctx context.Context) (wire.InFlightAnswer, error) {
	a.mu.Lock()
	open := slices.Clone(a.open)
	a.mu.Unlock()
	if a.host.InFlight != nil {
		calls, err := a.host.InFlight(ctx, open)
		return wire.InFlightAnswer{Calls: calls}, err
	}
	list := wire.InFlightAnswer{Calls: []spec.InFlight{}}
	for _, method := range open {
		list.Calls = append(list.Calls, spec.InFlight{Method: method})
	}
	return list, nil
}

// result is a call's answer as an agent writes it.
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

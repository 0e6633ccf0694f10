package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

const (
	// firstLook is when a call is first suspected of hanging. Looking is not proof: what the look shows is.
	firstLook = 100 * time.Millisecond
	// lastLook is the longest time between two looks at an open call.
	lastLook = time.Second
	// dumpWithin is how long an agent may take to say what it is doing; one that is stopped never does.
	dumpWithin = 3 * time.Second
)

// Proofs of Hung.
const (
	inFutex    = "asleep in an untimed futex"
	inPoll     = "asleep in poll without a time-out"
	onDeadline = "deadline"
	silent     = "deadline, and the agent does not say what it is doing"
)

// InFlight lists the agent's open calls, oldest first.
func (p *Process) InFlight(ctx context.Context) ([]spec.InFlight, error) {
	calls, err := p.inFlight(ctx)
	if err == nil {
		return ofThePort(calls), nil
	}
	return nil, p.failure(ctx, wire.InFlight, err)
}

func (p *Process) inFlight(ctx context.Context) ([]spec.InFlight, error) {
	response, err := request(ctx, p.rpc, wire.InFlight, nil)
	if err != nil {
		return nil, err
	}
	var a wire.InFlightAnswer
	err = response.UnmarshalResult(&a)
	return a.Calls, err
}

// watch looks at an open call now and then, until stop: a call that sleeps in an untimed futex while no other is open
// is woken by nothing, nor is a script of which every call does so. The context ends then, and stop says so. Of a
// concurrent caller nothing can be said, for its next call may wake this one; nor of a call that an event may end.
func (p *Process) watch(ctx context.Context, method string) (watched context.Context, stop func() *spec.Hung) {
	if spec.IsConcurrent(ctx) || awaitsEvent(method) {
		return ctx, func() *spec.Hung { return nil }
	}
	watched, cancel := context.WithCancel(ctx)
	var hung *spec.Hung
	looking := make(chan struct{})
	go func() {
		defer close(looking)
		for pause := firstLook; ; pause = min(2*pause, lastLook) {
			select {
			case <-watched.Done():
				return
			case <-time.After(pause):
			}
			calls, err := p.inFlight(watched)
			if err == nil && isStuck(calls, method) {
				hung = &spec.Hung{Method: method, Proof: inFutex, Open: names(calls)}
				cancel()
			}
		}
	}()
	return watched, func() *spec.Hung {
		cancel()
		<-looking
		return hung
	}
}

// awaitsEvent tells of a call that sleeps in poll: an event of the kernel's may end it.
func awaitsEvent(method string) bool { return method == "poll" || method == "ibv_poll_cq" }

// isStuck tells whether nothing will wake a call whose caller makes no other.
func isStuck(calls []spec.InFlight, method string) bool {
	if method == "script" {
		return scriptIsStuck(calls)
	}
	return len(calls) == 1 && calls[0].Method == method && calls[0].Blocked
}

// overrun is the error of a call that was open when its context ended.
func (p *Process) overrun(method string) error {
	ctx, cancel := context.WithTimeout(context.Background(), dumpWithin)
	defer cancel()
	calls, err := p.inFlight(ctx)
	if err != nil {
		switch {
		case p.rpc.IsStopped():
			return p.gone(method)
		case !errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%s: %s: %w", p.name(), wire.InFlight, err)
		}
		if err := p.host.ping(dumpWithin); err != nil {
			return fmt.Errorf("%s: %s: %w", p.name(), method, err)
		}
		if p.answers.isHalf() {
			return p.misspoke(method, errHalf)
		}
		return p.withStderr(&spec.Hung{Method: method, Proof: silent})
	}
	hung := &spec.Hung{Method: method, Proof: onDeadline, Open: names(calls)}
	if isAsleep(calls, method) {
		hung.Proof = inFutex
		if awaitsEvent(method) {
			hung.Proof = inPoll
		}
	}
	return p.withStderr(hung)
}

// isAsleep tells whether method is open, and blocked each time it is. A script sleeps while its sequences run, so of
// one all calls must be.
func isAsleep(calls []spec.InFlight, method string) bool {
	if method == "script" {
		return scriptIsStuck(calls)
	}
	found := false
	for _, c := range calls {
		if c.Method == method {
			if !c.Blocked {
				return false
			}
			found = true
		}
	}
	return found
}

func names(calls []spec.InFlight) []string {
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = c.Method
		if c.Blocked {
			list[i] += " (blocked)"
		}
	}
	return list
}

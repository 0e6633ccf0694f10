package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"
	"golang.org/x/sys/unix"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// none is the parameters of a method that takes none, and the answer of one that gives none.
type none struct{}

// on makes a handler that accepts missing parameters.
func on[P, R any](f func(context.Context, P) (R, error)) jrpc2.Handler {
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		var p P
		if r.HasParams() {
			if err := r.UnmarshalParams(&p); err != nil {
				return nil, err
			}
		}
		return f(ctx, p)
	}
}

func (h *host) methods() handler.Map {
	return handler.Map{
		wire.HostHello:       on(h.hello),
		wire.HostEnvironment: on(h.environment),
		wire.HostPorts:       on(h.ports),
		wire.HostObserve:     on(h.observe),
		wire.HostConfigure:   on(h.configure),
		wire.HostUndo:        on(h.undo),
		wire.HostStart:       on(h.start),
		wire.HostWait:        on(h.wait),
		wire.HostKill:        on(h.kill),
		wire.HostSignal:      on(h.signal),
		wire.HostRenew:       on(h.renew),
		wire.HostPowerOff:    on(h.powerOff),
	}
}

// hello begins a world: the kernel log is marked, warnings that fire once a boot are armed, and a guest, which was
// restored from the same saved state as others, gets its own time and randomness.
func (h *host) hello(_ context.Context, p wire.HelloParams) (wire.HelloAnswer, error) {
	if err := h.choose(p.RDMACore); err != nil {
		return wire.HelloAnswer{}, err
	}
	h.mu.Lock()
	h.nonce = p.Nonce
	h.mu.Unlock()
	if h.ours {
		entropy, err := hex.DecodeString(p.Entropy)
		if err != nil {
			return wire.HelloAnswer{}, fmt.Errorf("entropy %q: want hexadecimal digits", p.Entropy)
		}
		if err := reseed(entropy); err != nil {
			return wire.HelloAnswer{}, err
		}
		now := unix.NsecToTimespec(p.UnixNano)
		if err := unix.ClockSettime(unix.CLOCK_REALTIME, &now); err != nil {
			return wire.HelloAnswer{}, fmt.Errorf("set the clock: %w", err)
		}
		armWarnings()
	}
	if err := h.log.mark(); err != nil {
		return wire.HelloAnswer{}, err
	}
	return wire.HelloAnswer{
		Nonce:        p.Nonce,
		Capabilities: h.claims,
		Detectors:    h.identity.detectors,
		Transport:    h.identity.transport(),
		Addr:         h.identity.addr,
		Ports:        h.identity.ports,
	}, nil
}

func (h *host) ports(context.Context, none) (wire.PortsAnswer, error) {
	ports, err := listPorts(h.device)
	return wire.PortsAnswer{Ports: ports}, err
}

func (h *host) start(_ context.Context, p wire.StartParams) (wire.StartAnswer, error) {
	if can := h.claims[spec.HasMischief]; p.Mischief && !can.Has {
		return wire.StartAnswer{}, fmt.Errorf("no agent for mischief: %s", can.How)
	}
	a, err := h.agents.start(p.Mischief)
	if err != nil {
		return wire.StartAnswer{}, err
	}
	return wire.StartAnswer{Agent: a.number}, nil
}

func (h *host) wait(ctx context.Context, p wire.AgentParams) (spec.Exit, error) {
	a := h.agents.find(p.Agent)
	if a == nil {
		return spec.Exit{}, noAgent(p.Agent)
	}
	select {
	case <-a.ended:
		return a.exit, nil
	case <-ctx.Done():
		return spec.Exit{}, ctx.Err()
	}
}

func (h *host) kill(_ context.Context, p wire.AgentParams) (none, error) {
	return none{}, h.agents.signal(p.Agent, unix.SIGKILL)
}

func (h *host) signal(_ context.Context, p wire.SignalParams) (none, error) {
	return none{}, h.agents.signal(p.Agent, unix.Signal(p.Signal))
}

func (h *host) powerOff(context.Context, none) (none, error) {
	if !h.ours {
		return none{}, errors.New("poweroff: this host is not a guest of the suite")
	}
	h.agents.killAll()
	return none{}, powerOff()
}

func noAgent(n int) error { return fmt.Errorf("agent %d: no such agent on this host", n) }

package quirk

import (
	"context"
	"net/netip"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// Permit is a lab whose stack, of a transport by its word, permits everything: every call succeeds and answers zero.
func Permit(on spec.Transport) spec.Lab {
	return dumb{on: on, does: "permits everything", call: func(string) error { return nil }}
}

// Refuse is a lab whose stack, of a transport by its word, refuses everything: every call answers -1 and EPERM.
func Refuse(on spec.Transport) spec.Lab {
	return dumb{on: on, does: "refuses everything", call: func(method string) error {
		return &spec.CallError{Method: method, Ret: -1, Errno: spec.EPERM}
	}}
}

// dumb is a lab, its only world, that world's hosts, and a process, all in one: it keeps nothing to tell them apart by.
type dumb struct {
	on   spec.Transport
	does string
	call func(method string) error
	host int
}

var _ interface {
	spec.Lab
	spec.Configurer
	spec.Saboteur
	spec.Faulter
} = dumb{}

// Fresh gives a world; dumb worlds do not differ.
func (d dumb) Fresh(context.Context, int64) (spec.Backend, error) { return d, nil }

// Close has nothing to free.
func (d dumb) Close(context.Context) error { return nil }

// Environment says that this is no stack.
func (d dumb) Environment(context.Context) (spec.Environment, error) {
	return spec.Environment{Stack: "simulated", Imitates: "nothing: " + d.does, Transport: d.on}, nil
}

// Capabilities claims all of them, so that nothing is skipped.
func (d dumb) Capabilities(context.Context) (spec.Capabilities, error) {
	all := spec.Capabilities{}
	for _, c := range spec.AllCapabilities() {
		all[c] = spec.Evidence{Has: true, How: d.does}
	}
	return all, nil
}

// Hosts gives two hosts.
func (d dumb) Hosts() []spec.Host {
	return []spec.Host{d, dumb{d.on, d.does, d.call, 1}}
}

// Ports names the port that the simulated hosts have.
func (d dumb) Ports(context.Context) ([]spec.Port, error) {
	addr := netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, 100, byte(1 + d.host)}), 24)
	return []spec.Port{{
		Device: "rxe0", Num: 1, Netdev: "eth0", LinkLayer: "Ethernet", MTU: 1500, Addrs: []netip.Prefix{addr},
	}}, nil
}

// Observe shows a host on which nothing ever happened.
func (d dumb) Observe(context.Context) (spec.HostState, error) { return spec.HostState{}, nil }

// Configure changes nothing.
func (d dumb) Configure(context.Context, spec.Change) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}

// Inject lets nothing go wrong.
func (d dumb) Inject(context.Context, spec.Fault) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}

// Start gives a process whose every call is answered alike.
func (d dumb) Start(context.Context) (spec.Process, error) { return process{call.Port{Caller: d}}, nil }

// StartMischief gives a process like any other.
func (d dumb) StartMischief(ctx context.Context) (spec.Process, error) { return d.Start(ctx) }

// Call makes a call: the answer stays as it is, zero.
func (d dumb) Call(_ context.Context, method string, _, _ any) error { return d.call(method) }

type process struct{ call.Port }

// InFlight lists nothing: every call returns at once.
func (process) InFlight(context.Context) ([]spec.InFlight, error) { return nil, nil }

// Kill ends the process.
func (process) Kill(context.Context) (spec.Exit, error) { return spec.Exit{Signal: "SIGKILL"}, nil }

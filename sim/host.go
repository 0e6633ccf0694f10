package sim

import (
	"context"
	"net/netip"

	"joinmcast/sim/fault"
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// host is one simulated host.
type host struct {
	name      string
	addr      netip.Addr // the IPv4 address it boots with
	world     *world.World
	kernel    *kernel.Kernel
	library   librdmacm.Deviations
	faults    *fault.Set
	processes []*world.Process
}

var _ interface {
	spec.Host
	spec.Configurer
	spec.Saboteur
	spec.Faulter
} = (*host)(nil)

// Ports shows the host's only RDMA port, unless its device was removed.
func (h *host) Ports(context.Context) ([]spec.Port, error) {
	var ports []spec.Port
	h.world.Do(func() { ports = h.kernel.Ports() })
	return ports, nil
}

// Start starts a process.
func (h *host) Start(context.Context) (spec.Process, error) { return h.start(), nil }

// StartMischief starts a process that is a spec.Mischief too.
func (h *host) StartMischief(context.Context) (spec.Process, error) {
	p := h.start()
	p.swift = false
	return saboteur{p}, nil
}

func (h *host) start() (p *process) {
	h.world.Do(func() {
		p = newProcess(h)
		h.processes = append(h.processes, p.run)
	})
	return p
}

// Observe shows the host once nothing is pending any more: looking takes time.
func (h *host) Observe(context.Context) (spec.HostState, error) {
	var s spec.HostState
	h.world.Settled(func() { s = h.kernel.Observe() })
	return s, nil
}

// Configure alters the host: at once, but for the removal of a device, which waits for the processes that use it.
func (h *host) Configure(ctx context.Context, c spec.Change) (func(context.Context) error, error) {
	var undo func()
	var err error
	if c.RemoveDevice != nil {
		err = h.tool().Call(spec.Concurrent(ctx), "rdma link delete", func() (err error) {
			undo, err = h.kernel.RemoveDevice(c.RemoveDevice.Device)
			return err
		})
	} else {
		h.world.Do(func() { undo, err = h.kernel.Configure(c) })
	}
	if err != nil {
		return nil, err
	}
	return func(context.Context) error {
		h.world.Do(undo)
		return nil
	}, nil
}

// tool is a process of the host's own, which changes it.
func (h *host) tool() (p *world.Process) {
	h.world.Do(func() {
		p = h.world.NewProcess(func() {})
		h.processes = append(h.processes, p)
	})
	return p
}

// killAll ends what still runs.
func (h *host) killAll() {
	var running []*world.Process
	h.world.Do(func() { running, h.processes = h.processes, nil })
	for _, p := range running {
		p.Kill()
	}
}

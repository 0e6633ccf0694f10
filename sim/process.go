package sim

import (
	"context"
	"errors"

	"joinmcast/sim/fault"
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// process is a simulated application: the port's calls, each made on the process's own library.
type process struct {
	world  *world.World
	run    *world.Process
	kernel *kernel.Process
	faults *fault.Set // of its own, by mischief
	lib    *librdmacm.Library
	call   func(ctx context.Context, method string, body func() error) error
}

// newProcess starts a process with a librdmacm of its own.
func newProcess(h *host) *process {
	p := &process{world: h.world, kernel: h.kernel.NewProcess(), faults: &fault.Set{}}
	p.run = h.world.NewProcess(p.kernel.Exit)
	faults := fault.Sets{h.faults, p.faults}
	p.lib = librdmacm.New(h.world, fault.Between(p.kernel, faults), faults.Allocate, h.library)
	p.call = p.run.Call
	return p
}

var _ spec.Process = (*process)(nil)

// InFlight lists the calls that nothing pending in the world can wake.
func (p *process) InFlight(context.Context) ([]spec.InFlight, error) { return p.run.InFlight(), nil }

// Kill ends the process.
func (p *process) Kill(context.Context) (spec.Exit, error) { return p.run.Kill(), nil }

// ask makes a call that has an answer. A call that hangs may still write its answer later, so that one is not read.
func ask[T any](ctx context.Context, p *process, method string, f func() (T, error)) (T, error) {
	var answer, none T
	err := p.call(ctx, method, func() (err error) {
		answer, err = f()
		return err
	})
	var hung *spec.Hung
	if errors.As(err, &hung) {
		return none, err
	}
	return answer, err
}

// scribble is what a sockaddr's memory is overwritten with.
const scribble = 0xA5

// lend hands a sockaddr over in memory of the call's own and overwrites that memory when the call has returned.
func lend(a spec.Sockaddr, call func(spec.Sockaddr) error) error {
	own := a.Clone()
	err := call(own)
	for i := range own {
		own[i] = scribble
	}
	return err
}

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
	lent   *loans
	inside bool // the calls are made by threads of the process itself
	swift  bool // a call of its that is sure not to sleep needs no thread: none comes from inside, and it does no mischief
}

// newProcess starts a process with a librdmacm of its own.
func newProcess(h *host) *process {
	p := &process{world: h.world, kernel: h.kernel.NewProcess(), faults: &fault.Set{}, lent: &loans{}, swift: true}
	p.run = h.world.NewProcess(p.kernel.Exit)
	faults := fault.Sets{Host: h.faults, Own: p.faults}
	p.lib = librdmacm.New(h.world, fault.Between(p.kernel, faults), faults.Allocate, h.library)
	return p
}

var _ spec.Process = (*process)(nil)

// InFlight lists the calls that nothing pending in the world can wake.
func (p *process) InFlight(context.Context) ([]spec.InFlight, error) { return p.run.InFlight(), nil }

// Kill ends the process.
func (p *process) Kill(context.Context) (spec.Exit, error) { return p.run.Kill(), nil }

// call makes a call that may sleep. A thread of the process itself makes it where it stands.
func (p *process) call(ctx context.Context, method string, body func() error) error {
	if p.inside {
		p.world.Pause()
		return body()
	}
	return p.run.Call(ctx, method, body)
}

// brief makes a call that never sleeps.
func (p *process) brief(method string, body func() error) error {
	if p.inside {
		p.world.Pause()
		return body()
	}
	_, err := p.run.Quickly(method, func() (bool, error) { return true, body() })
	return err
}

// learn is brief for a call that has an answer.
func learn[T any](p *process, method string, f func() (T, error)) (answer T, err error) {
	err = p.brief(method, func() (err error) {
		answer, err = f()
		return err
	})
	return answer, err
}

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

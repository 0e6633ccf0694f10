package rig

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// Process is one RDMA application. Its calls are recorded, end after the world's deadline, and tell the record when
// they hang, crash or are lost.
type Process struct {
	call.Port
	host     *Host
	next     spec.Process
	recorded spec.Process
	unacked  map[spec.EventRef]bool
	lost     bool // dead, or stuck in an undefined call: nothing can be asked of it any more
	ended    bool
}

// Start starts an application on the host under test.
func Start(ctx context.Context) *Process {
	ginkgo.GinkgoHelper()
	return HostAt(0).MustStart(ctx)
}

// StartMischief starts an application whose calls of spec.Mischief work, on the host under test.
func StartMischief(ctx context.Context) *Process {
	ginkgo.GinkgoHelper()
	return HostAt(0).MustStartMischief(ctx)
}

// Undefined is the process for a call whose outcome the pages leave undefined: a crash or a hang is then an answer to
// judge, and no trouble of the spec.
func (p *Process) Undefined() call.Port {
	calm := &guard{next: p.recorded, deadline: p.host.world.deadline, note: func(err error) {
		p.lost = p.lost || !spec.Answered(err)
	}}
	return call.Port{Caller: calm}
}

// healthy tells whether the process can be asked for anything more in an orderly way.
func (p *Process) healthy() bool { return !p.lost && p.host.world.record.Trouble() == "" }

// orderly is a process that can be asked to end by itself, which shows what its orderly end leaves behind.
type orderly interface {
	Close(ctx context.Context) (spec.Exit, error)
}

// end ends the process once: by its own will where it can and no call is stuck in it, else by force.
func (p *Process) end(ctx context.Context) error {
	if p.ended {
		return nil
	}
	p.ended = true
	if next, ok := p.next.(orderly); ok && p.healthy() {
		_, err := next.Close(ctx)
		return err
	}
	_, err := p.next.Kill(ctx)
	return err
}

// MustSignal sends the process a signal, as kill(1) does.
func (p *Process) MustSignal(ctx context.Context, signal syscall.Signal) {
	ginkgo.GinkgoHelper()
	next, ok := p.next.(interface {
		Signal(ctx context.Context, signal int) error
	})
	if !ok {
		p.host.must(errors.New("this stack's processes take no signals"), "signal a process of "+p.host.name)
	}
	p.host.must(next.Signal(ctx, int(signal)), "signal a process of "+p.host.name)
}

// cleanup registers an orderly step down, newest first. A spec that has failed skips it: its processes are killed, so
// that a stack in disorder cannot hang the cleanup or hide the first failure behind a second one.
func (p *Process) cleanup(step func(ctx context.Context)) {
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) {
		if !p.ended && p.healthy() && !ginkgo.CurrentSpecReport().Failed() {
			step(ctx)
		}
	})
}

// guard gives every call a deadline, and notes how it ended.
type guard struct {
	next     spec.Process
	deadline time.Duration
	note     func(error)
}

// Call implements call.Caller.
func (g *guard) Call(ctx context.Context, method string, args, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, g.deadline)
	defer cancel()
	err := call.Perform(ctx, g.next, method, args, answer)
	g.note(err)
	return err
}

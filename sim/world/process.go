package world

import (
	"context"
	"slices"

	"joinmcast/spec"
)

// A Process is a simulated process: its open calls, and how it ended.
type Process struct {
	world    *World
	exit     *spec.Exit
	onExit   func()
	declined bool // a call that Quickly has declined; time has passed before it
}

// NewProcess makes a running process. When it ends, however it ends, onExit is called once under the world's lock: the
// place for what a kernel does at process exit.
func (w *World) NewProcess(onExit func()) *Process { return &Process{world: w, onExit: onExit} }

// Call makes one call: body runs under the world's lock and may Sleep. The error is body's own, *spec.Crashed when the
// process has ended, or *spec.Hung when the call cannot return: at once, with the proof, when nothing is left in the
// world that could wake it; but when ctx is marked spec.Concurrent, other callers may still act, and only ctx's end
// gives the call up. A call given up is still open in the process.
func (p *Process) Call(ctx context.Context, method string, body func() error) error {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	if !p.declined {
		p.world.passTime()
	}
	p.declined = false
	return p.thread(ctx, method, body)
}

// Quickly makes a call that is sure not to sleep, without a thread. Body runs under the world's lock, makes sure first,
// and answers false when it is not: then nothing was called, done is false, and it is for Call to make the call.
func (p *Process) Quickly(method string, body func() (done bool, err error)) (done bool, err error) {
	return p.quickly(method, false, body)
}

// QuicklyWait is Quickly for a body that begins by waiting for what Comes: until then no time passes. That may end the
// process, and then the body must not go on: see Ended.
func (p *Process) QuicklyWait(method string, body func() (done bool, err error)) (done bool, err error) {
	return p.quickly(method, true, body)
}

func (p *Process) quickly(method string, waits bool, body func() (bool, error)) (done bool, err error) {
	w := p.world
	w.mu.Lock()
	returned := false
	defer func() {
		if !returned {
			done, err = true, p.crash(method, recover())
		}
	}()
	if !waits && !w.idle() {
		w.passTime()
	}
	if p.exit == nil {
		done, err = body()
	}
	if !done {
		done, err = p.decline(method)
	}
	returned = true
	if w.waiting > 0 {
		w.changed.Broadcast()
	}
	w.mu.Unlock()
	return done, err
}

// Ended tells, under the world's lock, whether the process has ended.
func (p *Process) Ended() bool { return p.exit != nil }

// decline is what becomes of a quick call that is not made.
func (p *Process) decline(method string) (done bool, err error) {
	if p.exit != nil {
		return true, &spec.Crashed{Method: method, Exit: *p.exit}
	}
	p.declined = true
	return false, nil
}

// crash ends a quick call that did not return: a fault in it is the end of the process.
func (p *Process) crash(method string, cause any) error {
	defer p.world.mu.Unlock()
	defer p.world.changed.Broadcast()
	f, ok := cause.(fault)
	if !ok {
		panic(cause)
	}
	p.end(f.exit)
	return &spec.Crashed{Method: method, Exit: f.exit}
}

// thread makes a call by a thread of its own and drives the world until that ends, or must be given up.
func (p *Process) thread(ctx context.Context, method string, body func() error) error {
	w := p.world
	defer w.changed.Broadcast()
	if p.exit != nil {
		return &spec.Crashed{Method: method, Exit: *p.exit}
	}
	t := w.start(p, method, body)
	w.resume(t)
	moved := true // since the other callers last looked
	for !t.done {
		if w.step() {
			moved = true
			continue
		}
		if !spec.IsConcurrent(ctx) {
			return &spec.Hung{Method: method, Proof: "nothing left in the world can wake it", Open: p.open()}
		}
		if ctx.Err() != nil {
			return &spec.Hung{Method: method, Proof: "deadline", Open: p.open()}
		}
		if moved {
			w.changed.Broadcast()
		}
		w.await(ctx)
		moved = false
	}
	return t.err
}

// await gives the lock away until somebody changed the world or ctx ended.
func (w *World) await(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { w.Do(func() {}) })
	defer stop()
	w.waiting++
	w.changed.Wait()
	w.waiting--
}

// InFlight settles the world and lists the open calls, oldest first. All of them are blocked then: one that is not
// would have gone on.
func (p *Process) InFlight() []spec.InFlight {
	var open []spec.InFlight
	p.world.Settled(func() {
		for _, method := range p.open() {
			open = append(open, spec.InFlight{Method: method, Blocked: true})
		}
	})
	return open
}

// Alone tells, under the world's lock, whether the process has no call open that is a thread.
func (p *Process) Alone() bool {
	return !slices.ContainsFunc(p.world.threads, func(t *thread) bool { return t.process == p })
}

// open lists the open calls' methods, oldest first.
func (p *Process) open() []string {
	var methods []string
	for _, t := range p.world.threads {
		if t.process == p {
			methods = append(methods, t.method)
		}
	}
	return methods
}

// Kill ends the process by SIGKILL unless it has ended already, and tells how it ended.
func (p *Process) Kill() spec.Exit {
	p.world.Do(func() {
		if p.exit == nil {
			p.end(spec.Exit{Signal: "SIGKILL"})
		}
	})
	return *p.exit
}

// end closes every call of the process and lets the kernel clean up after it.
func (p *Process) end(exit spec.Exit) {
	p.exit = &exit
	for _, t := range slices.Clone(p.world.threads) {
		if t.process == p {
			t.stop()
		}
	}
	p.onExit()
}

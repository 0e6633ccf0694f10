package world

import (
	"iter"
	"slices"

	"joinmcast/spec"
)

// thread is one call of a process that has begun and not ended.
type thread struct {
	process *Process
	method  string
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	ready   func() bool // of a sleeper: whether it may go on
	done    bool
	err     error
}

// fault is what a thread panics with when its process does something undefined.
type fault struct{ exit spec.Exit }

// ended is what a thread panics with to unwind when its process has ended meanwhile.
type ended struct{}

// Fault ends the running thread's process by a signal, as an undefined use does in C. It does not return.
func Fault(signal string) { panic(fault{spec.Exit{Signal: signal}}) }

// start makes a thread that has not run yet.
func (w *World) start(p *Process, method string, body func() error) *thread {
	t := &thread{process: p, method: method}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		defer t.finish()
		t.err = body()
	})
	w.threads = append(w.threads, t)
	return t
}

// resume runs a thread until it sleeps or ends.
func (w *World) resume(t *thread) {
	w.running, t.ready = t, nil
	defer func() { w.running = nil }()
	t.next()
}

// park returns when the world has resumed the thread, and unwinds it when its process has ended.
func (t *thread) park(ready func() bool) {
	t.ready = ready
	if !t.yield(struct{}{}) {
		panic(ended{})
	}
}

// finish takes an ended thread off the world's list and turns a fault into the end of its process.
func (t *thread) finish() {
	w := t.process.world
	w.threads = slices.DeleteFunc(w.threads, func(o *thread) bool { return o == t })
	t.done, t.ready = true, nil
	switch cause := recover().(type) {
	case nil, ended:
	case fault:
		t.process.end(cause.exit)
	default:
		panic(cause)
	}
	if t.process.exit != nil {
		t.err = &spec.Crashed{Method: t.method, Exit: *t.process.exit}
	}
}

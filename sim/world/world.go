// Package world keeps the simulated world's order: who runs, what is pending, and when nothing is left to happen.
//
// One lock guards a whole world. A call of a simulated process that may sleep is a thread, and a thread is a coroutine:
// it runs until it sleeps or ends, and only a caller drives it. A call that is sure not to sleep needs none and runs
// where it is made. What the kernel and the wire do later waits in lanes. So nothing runs on its own, a seed fixes
// every choice, and "nothing will ever wake this call" is something that can be known.
package world

import (
	"math/rand/v2"
	"sync"
)

// A World is the order of everything that happens on its hosts. The zero value is not usable; see New.
type World struct {
	mu      sync.Mutex
	changed *sync.Cond // for callers whose thread sleeps while others may still act
	waiting int        // such callers
	chance  *rand.Rand
	lanes   int       // how many were made
	busy    []*Lane   // those that hold work, in the order they were made
	threads []*thread // not yet ended, oldest first
	awake   []*thread // those that may go on, as last looked
	running *thread   // nil: a call without a thread, or none
	steps   int       // things that have happened
	later   []later   // the first due first
}

// New is an empty world whose choices are fixed by seed.
func New(seed int64) *World {
	w := &World{chance: rand.New(rand.NewPCG(uint64(seed), 0))}
	w.changed = sync.NewCond(&w.mu)
	return w
}

// Do runs f under the world's lock, as something done to the world from outside.
func (w *World) Do(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	w.changed.Broadcast()
}

// Settled runs the world until nothing is pending and then f, all under its lock.
func (w *World) Settled(f func()) {
	w.Do(func() {
		for w.step() {
		}
		f()
	})
}

// Sleep returns when ready holds. It must be called from the body of a Process's call, and not from one that was sure
// not to sleep, unless pending work makes ready hold.
func (w *World) Sleep(ready func() bool) {
	switch t := w.running; {
	case t != nil:
		for !ready() {
			t.park(ready)
		}
	case !w.Await(ready):
		panic("a call that was sure not to sleep has nothing that wakes it")
	}
}

// Await is Sleep for a caller that is no thread: it lets pending things happen until ready holds, and tells whether it
// does. It must be called under the world's lock.
func (w *World) Await(ready func() bool) bool { return ready() || w.letComeAbout(ready) }

// Comes is Await for what a call is about to wait for. When it need not wait, time passes as before any other call.
func (w *World) Comes(ready func() bool) bool {
	if !ready() {
		return w.letComeAbout(ready)
	}
	w.passTime()
	return w.Await(ready)
}

// letComeAbout lets pending things happen until ready, which does not hold yet, holds.
func (w *World) letComeAbout(ready func() bool) (isReady bool) {
	for !w.idle() {
		switch w.letHappen(isReady) {
		case nothing:
			if !w.runLater(true) {
				return false
			}
		case caller:
			return true
		}
		isReady = ready()
	}
	return isReady
}

// step lets one pending thing happen; false when there is none.
func (w *World) step() bool { return w.letHappen(false) != nothing || w.runLater(true) }

// happened is what went on in a step.
type happened int

const (
	nothing happened = iota
	another          // a sleeper, or work
	caller           // whoever asked
)

// letHappen lets one pending thing happen that need not let others go first: chosen by the seed among the sleepers that
// may wake, the caller itself if it is awake, and the lanes that hold work.
func (w *World) letHappen(callerIsAwake bool) happened {
	if w.idle() {
		if callerIsAwake {
			w.steps++
			return caller
		}
		return nothing
	}
	if len(w.later) > 0 && w.runLater(false) {
		return another
	}
	w.awake = w.awake[:0]
	for _, t := range w.threads {
		if t.ready != nil && t.ready() {
			w.awake = append(w.awake, t)
		}
	}
	callers := 0
	if callerIsAwake {
		callers = 1
	}
	n, i := len(w.awake)+callers+len(w.busy), 0
	switch n {
	case 0:
		return nothing
	case 1:
	default:
		i = w.chance.IntN(n)
	}
	w.steps++
	if i < len(w.awake) {
		w.resume(w.awake[i])
		return another
	}
	if i -= len(w.awake); i < callers {
		return caller
	}
	w.busy[i-callers].runFirst()
	return another
}

// idle tells that nothing is left to happen but what a caller may do.
func (w *World) idle() bool { return len(w.threads)+len(w.busy)+len(w.later) == 0 }

// passTime lets a seeded number of pending things happen, as they may between two calls of a program.
func (w *World) passTime() {
	if w.idle() {
		return
	}
	for n := w.chance.IntN(3); n > 0 && w.letHappen(false) != nothing; n-- {
	}
}

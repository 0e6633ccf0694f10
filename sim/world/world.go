// Package world keeps the simulated world's order: who runs, what is pending, and when nothing is left to happen.
//
// One lock guards a whole world. Calls of simulated processes are threads, and a thread is a coroutine: it runs until
// it sleeps or ends, and only a caller drives it. What the kernel and the wire do later waits in lanes. So nothing runs
// on its own, a seed fixes every choice, and "nothing will ever wake this call" is something that can be known.
package world

import (
	"math/rand/v2"
	"sync"
)

// A World is the order of everything that happens on its hosts. The zero value is not usable; see New.
type World struct {
	mu      sync.Mutex
	changed *sync.Cond // for callers whose thread sleeps while others may still act
	chance  *rand.Rand
	lanes   []*Lane
	threads []*thread // not yet ended, oldest first
	running *thread
}

// New is an empty world whose choices are fixed by seed.
func New(seed int64) *World {
	w := &World{chance: rand.New(rand.NewPCG(uint64(seed), 0))}
	w.changed = sync.NewCond(&w.mu)
	return w
}

// A Lane is work that happens later and in order, like an ordered workqueue of Linux or a cable. Lanes do not wait for
// each other.
type Lane struct{ queue []func() }

// NewLane adds an empty lane.
func (w *World) NewLane() *Lane {
	l := &Lane{}
	w.lanes = append(w.lanes, l)
	return l
}

// Add queues work; it runs under the world's lock, after all that the lane already holds.
func (l *Lane) Add(work func()) { l.queue = append(l.queue, work) }

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

// Sleep parks the thread that calls it until ready holds. It must be called from the body of a Process's Call.
func (w *World) Sleep(ready func() bool) {
	for !ready() {
		w.running.park(ready)
	}
}

// step lets one pending thing happen, chosen by the seed among the lanes that hold work and the sleepers that may wake;
// false when there is none.
func (w *World) step() bool {
	var possible []func()
	for _, t := range w.threads {
		if t.ready != nil && t.ready() {
			possible = append(possible, func() { w.resume(t) })
		}
	}
	for _, l := range w.lanes {
		if len(l.queue) > 0 {
			possible = append(possible, l.runFirst)
		}
	}
	switch len(possible) {
	case 0:
		return false
	case 1:
		possible[0]()
	default:
		possible[w.chance.IntN(len(possible))]()
	}
	return true
}

func (l *Lane) runFirst() {
	work := l.queue[0]
	l.queue = l.queue[1:]
	work()
}

// Finish runs all work of some lanes until none of them holds any, under the world's lock: what happens meanwhile to
// others waits.
func Finish(lanes ...*Lane) {
	for busy := true; busy; {
		busy = false
		for _, l := range lanes {
			for len(l.queue) > 0 {
				l.runFirst()
				busy = true
			}
		}
	}
}

// passTime lets a seeded number of pending things happen, as they may between two calls of a program.
func (w *World) passTime() {
	for n := w.chance.IntN(3); n > 0 && w.step(); n-- {
	}
}

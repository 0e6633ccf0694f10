package world

import (
	"cmp"
	"slices"

	"joinmcast/sim/fifo"
)

// A Lane is work that happens later and in order, like an ordered workqueue of Linux or a cable. Lanes do not wait for
// each other.
type Lane struct {
	world  *World
	number int // lanes made before it
	queue  fifo.Queue[Work]
}

// Work is something to be done later, under the world's lock.
type Work interface{ Do() }

// task is work that is a function.
type task func()

func (t task) Do() { t() }

// NewLane adds an empty lane.
func (w *World) NewLane() *Lane {
	l := &Lane{world: w, number: w.lanes}
	w.lanes++
	return l
}

// Add queues work; it runs under the world's lock, after all that the lane already holds.
func (l *Lane) Add(work func()) { l.AddWork(task(work)) }

// AddWork is Add for work that is there already.
func (l *Lane) AddWork(work Work) {
	switch {
	case l.queue.Len() > 0:
	case len(l.world.busy) == 0:
		l.world.busy = append(l.world.busy, l)
	default:
		l.world.busy = slices.Insert(l.world.busy, l.amongBusy(), l)
	}
	l.queue.Push(work)
}

// amongBusy is where the lane is in the list of those that hold work, or would be.
func (l *Lane) amongBusy() int {
	busy := l.world.busy
	if len(busy) == 0 || l.number <= busy[0].number {
		return 0
	}
	i, _ := slices.BinarySearchFunc(busy, l, func(a, b *Lane) int { return cmp.Compare(a.number, b.number) })
	return i
}

func (l *Lane) runFirst() {
	work := l.queue.Pop()
	if busy := l.world.busy; l.queue.Len() == 0 {
		if len(busy) == 1 {
			l.world.busy = busy[:0]
		} else {
			i := l.amongBusy()
			l.world.busy = slices.Delete(busy, i, i+1)
		}
	}
	work.Do()
}

// Finish runs all work of some lanes until none of them holds any, under the world's lock: what happens meanwhile to
// others waits.
func Finish(lanes ...*Lane) {
	for busy := true; busy; {
		busy = false
		for _, l := range lanes {
			for l.queue.Len() > 0 {
				l.runFirst()
				busy = true
			}
		}
	}
}

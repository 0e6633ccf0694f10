package world

import (
	"math"
	"slices"
)

// later is work that lets other things happen first.
type later struct {
	due  int // the step it is for
	work func()
}

// After queues work that happens once n other things have, or nothing else is left to happen.
func (w *World) After(n int, work func()) {
	l := later{due: w.steps + min(n, math.MaxInt-1-w.steps), work: work}
	// Work of the same step happens in the order it was queued.
	i, _ := slices.BinarySearchFunc(w.later, l.due+1, func(o later, due int) int { return o.due - due })
	w.later = slices.Insert(w.later, i, l)
}

// runLater does the first of that work if it is due, or if nothing else can happen; false when it does nothing.
func (w *World) runLater(nothingElse bool) bool {
	if len(w.later) == 0 || w.later[0].due > w.steps && !nothingElse {
		return false
	}
	work := w.later[0].work
	w.later = w.later[1:]
	work()
	return true
}

// Happens draws whether something with a chance of 0 to 1 happens.
func (w *World) Happens(chance float64) bool { return chance > 0 && w.chance.Float64() < chance }

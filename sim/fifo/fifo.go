// Package fifo is a queue that keeps its memory: first in, first out, without an allocation once it has grown.
package fifo

import (
	"iter"
	"slices"
)

// A Queue holds what was pushed and not yet popped, oldest first. The zero value is an empty queue.
type Queue[T any] struct {
	all  []T
	head int // what lies before it was popped
}

// Len is how many elements the queue holds.
func (q *Queue[T]) Len() int { return len(q.all) - q.head }

// Push adds an element at the end.
func (q *Queue[T]) Push(t T) {
	if len(q.all) == cap(q.all) && q.head > len(q.all)/2 {
		q.all = slices.Delete(q.all, 0, q.head)
		q.head = 0
	}
	q.all = append(q.all, t)
}

// Pop takes the oldest element; there must be one.
func (q *Queue[T]) Pop() T {
	var none T
	t := q.all[q.head]
	q.all[q.head] = none
	q.head++
	if q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
	}
	return t
}

// First is the oldest element; there must be one.
func (q *Queue[T]) First() T { return q.all[q.head] }

// All goes through the elements, oldest first.
func (q *Queue[T]) All() iter.Seq[T] { return slices.Values(q.all[q.head:]) }

// DeleteFunc takes out the elements that match.
func (q *Queue[T]) DeleteFunc(match func(T) bool) {
	rest := slices.DeleteFunc(q.all[q.head:], match)
	q.all = q.all[:q.head+len(rest)]
	if len(rest) == 0 {
		q.all, q.head = q.all[:0], 0
	}
}

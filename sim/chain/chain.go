// Package chain is a doubly linked list, and a hash table of such lists, whose links lie in their elements: one is
// taken out without looking for it, and nothing is allocated for one. They are Linux' list_head and hlist_node.
package chain

import "iter"

// Links are an element's neighbours. An element has one for each chain that it can be in.
type Links[T any] struct {
	before, after *Links[T]
	of            *T
}

// element is what has the links; nil when there are none.
func (l *Links[T]) element() *T {
	if l == nil {
		return nil
	}
	return l.of
}

// A Chain holds elements in the order in which they were added. The zero value is an empty chain.
type Chain[T any] struct{ first, last *Links[T] }

// First is the oldest element; nil when there is none.
func (c *Chain[T]) First() *T { return c.first.element() }

// Last is the newest element; nil when there is none.
func (c *Chain[T]) Last() *T { return c.last.element() }

// Add puts an element at the end by links of its own. It must be in no other chain by the same links.
func (c *Chain[T]) Add(t *T, by *Links[T]) {
	by.of, by.before = t, c.last
	if c.last == nil {
		c.first = by
	} else {
		c.last.after = by
	}
	c.last = by
}

// Remove takes an element out, which must be in the chain by these links.
func (c *Chain[T]) Remove(by *Links[T]) {
	if by.before == nil {
		c.first = by.after
	} else {
		by.before.after = by.after
	}
	if by.after == nil {
		c.last = by.before
	} else {
		by.after.before = by.before
	}
	*by = Links[T]{}
}

// All goes through the elements, oldest first; the one that it stands at may be removed.
func (c *Chain[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for l := c.first; l != nil; {
			after := l.after
			if !yield(l.of) {
				return
			}
			l = after
		}
	}
}

// Backward goes through the elements, newest first; the one that it stands at may be removed.
func (c *Chain[T]) Backward() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for l := c.last; l != nil; {
			before := l.before
			if !yield(l.of) {
				return
			}
			l = before
		}
	}
}

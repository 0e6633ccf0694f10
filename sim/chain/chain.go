// Package chain is a doubly linked list, and a hash table of such lists, whose links lie in their elements: one is
// taken out without looking for it, and nothing is allocated for one. They are Linux' list_head and hlist_node.
package chain

import "iter"

// Links are an element's neighbours. An element has one for each chain that it can be in.
type Links[T any] struct{ before, after *T }

// A Chain holds elements in the order in which they were added. See New.
type Chain[T any] struct {
	first, last *T
	links       func(*T) *Links[T]
}

// New is an empty chain of elements with these links.
func New[T any](links func(*T) *Links[T]) Chain[T] { return Chain[T]{links: links} }

// First is the oldest element; nil when there is none.
func (c *Chain[T]) First() *T { return c.first }

// Last is the newest element; nil when there is none.
func (c *Chain[T]) Last() *T { return c.last }

// Add puts an element at the end. It must be in no other chain by the same links.
func (c *Chain[T]) Add(t *T) {
	c.links(t).before = c.last
	if c.last == nil {
		c.first = t
	} else {
		c.links(c.last).after = t
	}
	c.last = t
}

// Remove takes an element out, which must be in the chain.
func (c *Chain[T]) Remove(t *T) {
	l := c.links(t)
	if l.before == nil {
		c.first = l.after
	} else {
		c.links(l.before).after = l.after
	}
	if l.after == nil {
		c.last = l.before
	} else {
		c.links(l.after).before = l.before
	}
	*l = Links[T]{}
}

// All goes through the elements, oldest first; the one that it stands at may be removed.
func (c *Chain[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for t := c.first; t != nil; {
			after := c.links(t).after
			if !yield(t) {
				return
			}
			t = after
		}
	}
}

// Backward goes through the elements, newest first; the one that it stands at may be removed.
func (c *Chain[T]) Backward() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for t := c.last; t != nil; {
			before := c.links(t).before
			if !yield(t) {
				return
			}
			t = before
		}
	}
}

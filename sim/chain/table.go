package chain

import (
	"iter"
	"math/bits"
)

// Place is where an element is in a Table. An element has one for each table that it can be in.
type Place[T any] struct {
	key  uint64
	at   **T // what refers to the element: its bucket, or the one before it there
	next *T
}

// A Table finds elements by a key; several may have the same. See NewTable.
type Table[T any] struct {
	buckets []*T // as many as a power of two, each with the newest first
	shift   int  // takes a key that was spread to its bucket
	len     int
	place   func(*T) *Place[T]
}

// fewestBuckets a table has once there is an element in it.
const fewestBuckets = 8

// spread is 2^64 by the golden ratio: the product's upper bits depend on all of a key's.
const spread = 0x9e3779b97f4a7c15

// NewTable is an empty table of elements with these places.
func NewTable[T any](place func(*T) *Place[T]) Table[T] { return Table[T]{place: place} }

// Add puts an element in. It must be in no other table by the same place.
func (t *Table[T]) Add(e *T, key uint64) {
	if t.len == len(t.buckets) {
		t.grow()
	}
	t.len++
	p := t.place(e)
	p.key = key
	t.insert(e, p, &t.buckets[key*spread>>t.shift])
}

// insert puts an element before what is there.
func (t *Table[T]) insert(e *T, p *Place[T], at **T) {
	p.at, p.next = at, *at
	if p.next != nil {
		t.place(p.next).at = &p.next
	}
	*at = e
}

// Remove takes an element out, which must be in the table.
func (t *Table[T]) Remove(e *T) {
	p := t.place(e)
	*p.at = p.next
	if p.next != nil {
		t.place(p.next).at = p.at
	}
	*p = Place[T]{}
	t.len--
}

// First is the newest element with a key; nil when there is none.
func (t *Table[T]) First(key uint64) *T {
	if t.len == 0 {
		return nil
	}
	return t.from(t.buckets[key*spread>>t.shift], key)
}

// Next is the element with the same key that is next in age; nil when there is none.
func (t *Table[T]) Next(e *T) *T {
	p := t.place(e)
	return t.from(p.next, p.key)
}

// from is the first of a bucket's elements, from e on, that has the key.
func (t *Table[T]) from(e *T, key uint64) *T {
	for e != nil {
		p := t.place(e)
		if p.key == key {
			return e
		}
		e = p.next
	}
	return nil
}

// All goes through the elements, in no order that means anything; the one that it stands at may be removed.
func (t *Table[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, e := range t.buckets {
			for e != nil {
				next := t.place(e).next
				if !yield(e) {
					return
				}
				e = next
			}
		}
	}
}

// grow doubles the number of buckets: each is divided between two, in the same order.
func (t *Table[T]) grow() {
	old := t.buckets
	t.buckets = make([]*T, max(fewestBuckets, 2*len(old)))
	t.shift = 64 - bits.TrailingZeros(uint(len(t.buckets)))
	for i, e := range old {
		ends := [2]**T{&t.buckets[2*i], &t.buckets[2*i+1]}
		for e != nil {
			p := t.place(e)
			next := p.next
			end := &ends[p.key*spread>>t.shift&1]
			t.insert(e, p, *end)
			*end = &p.next
			e = next
		}
	}
}

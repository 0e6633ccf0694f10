package chain

import (
	"iter"
	"math/bits"
)

// Place is where an element is in a Table. An element has one for each table that it can be in.
type Place[T any] struct {
	key  uint64
	at   **Place[T] // what refers to this place: its bucket, or the one before it there
	next *Place[T]
	of   *T
}

// A Table finds elements by a key; several may have the same. The zero value is an empty table; one that holds elements
// must not be copied.
type Table[T any] struct {
	end     Place[T]    // ends every bucket: to look at what it holds is quicker than to guess whether it is there
	buckets []*Place[T] // as many as a power of two, each with the newest first
	shift   int         // takes a key that was spread to its bucket
	len     int
}

// fewestBuckets a table has once there is an element in it.
const fewestBuckets = 8

// spread is 2^64 by the golden ratio: the product's upper bits depend on all of a key's.
const spread = 0x9e3779b97f4a7c15

// Add puts an element in at a place of its own. It must be in no other table by the same place.
func (t *Table[T]) Add(e *T, at *Place[T], key uint64) {
	if t.len == len(t.buckets) {
		t.grow()
	}
	t.len++
	at.of, at.key = e, key
	at.insert(&t.buckets[key*spread>>t.shift])
}

// insert puts an element before what is there.
func (p *Place[T]) insert(at **Place[T]) {
	p.at, p.next = at, *at
	p.next.at = &p.next
	*at = p
}

// Remove takes an element out, which must be in the table at this place.
func (t *Table[T]) Remove(at *Place[T]) {
	*at.at = at.next
	at.next.at = at.at
	*at = Place[T]{}
	t.len--
}

// First is the newest element with a key; nil when there is none.
func (t *Table[T]) First(key uint64) *T {
	if t.len == 0 {
		return nil
	}
	return t.find(t.buckets[key*spread>>t.shift], key)
}

// Next is the element with the same key as the one at this place that is next in age; nil when there is none.
func (t *Table[T]) Next(at *Place[T]) *T { return t.find(at.next, at.key) }

// find is the first of a bucket's elements, from a place on, that has the key.
func (t *Table[T]) find(p *Place[T], key uint64) *T {
	t.end.key = key
	for p.key != key {
		p = p.next
	}
	return p.of
}

// All goes through the elements, in no order that means anything; the one that it stands at may be removed.
func (t *Table[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, p := range t.buckets {
			for p != &t.end {
				next := p.next
				if !yield(p.of) {
					return
				}
				p = next
			}
		}
	}
}

// grow doubles the number of buckets: each is divided between two, in the same order.
func (t *Table[T]) grow() {
	old := t.buckets
	t.buckets = make([]*Place[T], max(fewestBuckets, 2*len(old)))
	for i := range t.buckets {
		t.buckets[i] = &t.end
	}
	t.shift = 64 - bits.TrailingZeros(uint(len(t.buckets)))
	for i, p := range old {
		ends := [2]**Place[T]{&t.buckets[2*i], &t.buckets[2*i+1]}
		for p != &t.end {
			next := p.next
			end := &ends[p.key*spread>>t.shift&1]
			p.insert(*end)
			*end = &p.next
			p = next
		}
	}
}

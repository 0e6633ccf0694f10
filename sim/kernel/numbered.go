package kernel

import "iter"

// numbered is a table of what handles stand for. Like Linux' it gives the lowest free one, from 0 on (xa_alloc).
type numbered[H ~uint32, T any] struct {
	entries []entry[T]
	free    []H // below len(entries), a binary heap with the lowest on top
}

type entry[T any] struct {
	taken bool
	t     T
}

// add gives t a handle.
func (n *numbered[H, T]) add(t T) H {
	if len(n.free) == 0 {
		n.entries = append(n.entries, entry[T]{true, t})
		return H(len(n.entries) - 1)
	}
	h := n.takeLowest()
	n.entries[h] = entry[T]{true, t}
	return h
}

// get is what a handle stands for; ok is false for a free one.
func (n *numbered[H, T]) get(h H) (t T, ok bool) {
	if uint64(h) >= uint64(len(n.entries)) {
		return t, false
	}
	return n.entries[h].t, n.entries[h].taken
}

// all goes through the table by handles; entries may be removed meanwhile.
func (n *numbered[H, T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for h := 0; h < len(n.entries); h++ {
			if e := n.entries[h]; e.taken && !yield(e.t) {
				return
			}
		}
	}
}

// remove frees a handle.
func (n *numbered[H, T]) remove(h H) {
	if _, ok := n.get(h); !ok {
		return
	}
	n.entries[h] = entry[T]{}
	n.free = append(n.free, h)
	for i := len(n.free) - 1; i > 0; {
		above := (i - 1) / 2
		if n.free[above] <= n.free[i] {
			return
		}
		n.free[above], n.free[i] = n.free[i], n.free[above]
		i = above
	}
}

// takeLowest takes the lowest free handle off the heap.
func (n *numbered[H, T]) takeLowest() H {
	lowest, end := n.free[0], len(n.free)-1
	n.free[0] = n.free[end]
	n.free = n.free[:end]
	for i := 0; ; {
		least := i
		for below := 2*i + 1; below <= 2*i+2 && below < end; below++ {
			if n.free[below] < n.free[least] {
				least = below
			}
		}
		if least == i {
			return lowest
		}
		n.free[i], n.free[least] = n.free[least], n.free[i]
		i = least
	}
}

package kernel

// numbered is a table of what handles stand for. Like Linux' it gives the lowest free one, from 0 on (xa_alloc).
type numbered[H ~uint32, T any] struct {
	entries map[H]T
	lowest  H // no handle below it is free
}

func newNumbered[H ~uint32, T any]() numbered[H, T] { return numbered[H, T]{entries: map[H]T{}} }

// add gives t a handle.
func (n *numbered[H, T]) add(t T) H {
	h := n.lowest
	for n.has(h) {
		h++
	}
	n.entries[h], n.lowest = t, h+1
	return h
}

func (n *numbered[H, T]) has(h H) bool {
	_, ok := n.entries[h]
	return ok
}

// remove frees a handle.
func (n *numbered[H, T]) remove(h H) {
	delete(n.entries, h)
	n.lowest = min(n.lowest, h)
}

package librdmacm

// handles is what the handles of one type stand for. It remembers the one that was used last, for a program mostly
// calls again on what it has called on.
type handles[H comparable, T any] struct {
	all   map[H]*T
	last  H
	lastT *T // nil: none is remembered
}

// find is what a handle stands for; nil for NULL, and for a pointer to what is gone.
func (t *handles[H, T]) find(h H) *T {
	if h != t.last || t.lastT == nil {
		t.last, t.lastT = h, t.all[h]
	}
	return t.lastT
}

func (t *handles[H, T]) add(h H, to *T) {
	if t.all == nil {
		t.all = map[H]*T{}
	}
	t.all[h] = to
	t.last, t.lastT = h, to
}

func (t *handles[H, T]) remove(h H) {
	delete(t.all, h)
	t.lastT = nil
}

// deref is find for what a call dereferences. NULL, and a pointer to what is gone, end the process.
func (t *handles[H, T]) deref(h H) *T {
	to := t.find(h)
	if to == nil {
		segfault()
	}
	return to
}

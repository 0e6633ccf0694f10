package librdmacm

// handles is what the handles of one type stand for. The newest is kept apart, for a program mostly calls on what it
// was given last, and an event is mostly gone before the next one comes.
type handles[H comparable, T any] struct {
	newest  H
	newestT *T // nil: it is gone
	older   map[H]*T
}

// find is what a handle stands for; nil for NULL, and for a pointer to what is gone.
func (t *handles[H, T]) find(h H) *T {
	if h == t.newest {
		return t.newestT
	}
	return t.older[h]
}

func (t *handles[H, T]) add(h H, to *T) {
	if t.newestT != nil {
		if t.older == nil {
			t.older = map[H]*T{}
		}
		t.older[t.newest] = t.newestT
	}
	t.newest, t.newestT = h, to
}

func (t *handles[H, T]) remove(h H) {
	if h == t.newest {
		t.newestT = nil
		return
	}
	delete(t.older, h)
}

func (t *handles[H, T]) len() int {
	if t.newestT == nil {
		return len(t.older)
	}
	return len(t.older) + 1
}

// deref is find for what a call dereferences. NULL, and a pointer to what is gone, end the process.
func (t *handles[H, T]) deref(h H) *T {
	to := t.find(h)
	if to == nil {
		segfault()
	}
	return to
}

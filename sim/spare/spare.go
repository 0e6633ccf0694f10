// Package spare keeps memory that was freed and is used again, which spares the simulated stack an allocation for each
// join and event.
package spare

// List is memory that waits to be used again. The zero List is empty.
type List[T any] struct{ freed []*T }

// Take gives what was freed last, as it was freed; a zero T when there is nothing.
func (l *List[T]) Take() *T {
	last := len(l.freed) - 1
	if last < 0 {
		return new(T)
	}
	t := l.freed[last]
	l.freed = l.freed[:last]
	return t
}

// Free keeps what nothing refers to any more.
func (l *List[T]) Free(t *T) { l.freed = append(l.freed, t) }

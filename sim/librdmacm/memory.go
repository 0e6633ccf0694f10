package librdmacm

import "joinmcast/spec"

// FailAllocation makes one call of the library to malloc or calloc fail: the one after the next skip calls.
func (l *Library) FailAllocation(f spec.CFunction, skip int) { l.failing[f] = skip + 1 }

// allocate counts a call of malloc or calloc; ENOMEM when it is the one that was to fail.
func (l *Library) allocate(f spec.CFunction) error {
	if l.failing[f] == 0 {
		return nil
	}
	l.failing[f]--
	if l.failing[f] == 0 {
		return spec.ENOMEM
	}
	return nil
}

// Allocations is how many blocks the library has allocated and not freed: its channels, ids, memberships and events.
func (l *Library) Allocations() int {
	return l.blocks + len(l.ids) + len(l.memberships) + len(l.events)
}

package librdmacm

// Allocations is how many blocks the library has allocated and not freed: its channels, ids, memberships and events.
func (l *Library) Allocations() int {
	return l.blocks + l.ids.len() + l.records.len() + l.events.len()
}

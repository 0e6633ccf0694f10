package librdmacm

// Allocations is how many blocks the library has allocated and not freed: its channels, ids, memberships and events.
func (l *Library) Allocations() int {
	return l.blocks + len(l.ids.all) + l.records.len() + len(l.events.all)
}

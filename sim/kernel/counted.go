package kernel

// counted is a set of things with users.
type counted[K comparable] map[K]int

// has tells whether k has a user.
func (c counted[K]) has(k K) bool { return c[k] > 0 }

// add counts a user and tells whether it is the first.
func (c counted[K]) add(k K) bool {
	c[k]++
	return c[k] == 1
}

// remove takes a user off and tells whether it was the last.
func (c counted[K]) remove(k K) bool {
	if !c.has(k) {
		return false
	}
	c[k]--
	if c[k] > 0 {
		return false
	}
	delete(c, k)
	return true
}

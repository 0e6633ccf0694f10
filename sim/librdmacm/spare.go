package librdmacm

// spare is memory that was freed and is used again: it spares the simulation an allocation for each join and event.
type spare struct {
	memberships []*membership
	events      []*event
}

// membership is a fresh one; its address has room.
func (s *spare) membership() *membership {
	last := len(s.memberships) - 1
	if last < 0 {
		return &membership{}
	}
	m := s.memberships[last]
	s.memberships = s.memberships[:last]
	return m
}

// freeMembership takes one back that nothing refers to any more.
func (s *spare) freeMembership(m *membership) {
	*m = membership{addr: m.addr[:0]}
	s.memberships = append(s.memberships, m)
}

// event is a fresh one.
func (s *spare) event() *event {
	last := len(s.events) - 1
	if last < 0 {
		return &event{}
	}
	e := s.events[last]
	s.events = s.events[:last]
	return e
}

// freeEvent takes one back that nothing refers to any more.
func (s *spare) freeEvent(e *event) {
	*e = event{}
	s.events = append(s.events, e)
}

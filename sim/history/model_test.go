package history

import (
	"slices"

	"github.com/anishathalye/porcupine"

	"joinmcast/spec"
)

// action is one point of a call at which it changes the id. A leave has three: it takes the membership off the
// library's list, then off the kernel's, and then it waits; another thread may come between.
type action int

const (
	join action = iota
	get
	ack
	leaveNothing // a leave that finds no membership
	leaveList
	leaveKernel
	leaveWait
	destroyKernel
	destroyWait
)

// input is an action with what was given to the call. A join's number is its context, by which events are known; a
// leave's only tells its points from others'.
type input struct {
	action  action
	number  int
	group   int
	settled bool // a get when nothing is pending any more
}

// output is what the call answered: of a get the number of the join that the event is of.
type output struct {
	number int
	none   bool // EAGAIN
}

// member is a membership of the model.
type member struct {
	number   int
	group    int
	leftBy   int // the leave that took it off the list; 0: it is listed
	inKernel bool
	unacked  int // events that were read
}

// state is an id in the model: its memberships in the order of their joins, and the joins whose events are unread.
type state struct {
	members []member
	unread  []int
}

// idModel is one id with one thread after the other.
var idModel = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(before, in, out any) (bool, any) { return step(before.(state), in.(input), out.(output)) },
	Equal: func(a, b any) bool {
		x, y := a.(state), b.(state)
		return slices.Equal(x.members, y.members) && slices.Equal(x.unread, y.unread)
	},
}

func step(before state, in input, out output) (bool, state) {
	s := state{slices.Clone(before.members), slices.Clone(before.unread)}
	switch in.action {
	case join:
		s.members = append(s.members, member{number: in.number, group: in.group, inKernel: true})
		s.unread = append(s.unread, in.number)
		return true, s
	case get:
		return s.get(in, out), s
	case ack:
		m := s.find(func(m member) bool { return m.number == in.number && m.unacked > 0 })
		if m == nil {
			return false, s
		}
		m.unacked--
		return true, s
	case leaveNothing:
		return s.newest(in.group) == nil, s
	case leaveList:
		m := s.newest(in.group)
		if m == nil {
			return false, s
		}
		m.leftBy = in.number
		return true, s
	case leaveKernel:
		m := s.find(func(m member) bool { return m.leftBy == in.number && m.inKernel })
		if m == nil {
			return false, s
		}
		m.inKernel = false
		s.unread = slices.DeleteFunc(s.unread, func(n int) bool { return n == m.number })
		return true, s
	case leaveWait:
		before := len(s.members)
		s.members = slices.DeleteFunc(s.members, func(m member) bool {
			return m.leftBy == in.number && !m.inKernel && m.unacked == 0
		})
		return len(s.members) < before, s
	case destroyKernel:
		for i := range s.members {
			s.members[i].inKernel = false
		}
		s.unread = nil
		return true, s
	case destroyWait:
		return !slices.ContainsFunc(s.members, func(m member) bool { return m.inKernel || m.unacked > 0 }), s
	}
	return false, s
}

// get reads the oldest event. While the kernel may still have one to tell, none is an answer too.
func (s *state) get(in input, out output) bool {
	if out.none {
		return !in.settled || len(s.unread) == 0
	}
	if len(s.unread) == 0 || s.unread[0] != out.number {
		return false
	}
	s.unread = s.unread[1:]
	s.find(func(m member) bool { return m.number == out.number }).unacked++
	return true
}

func (s *state) find(is func(member) bool) *member {
	if i := slices.IndexFunc(s.members, is); i >= 0 {
		return &s.members[i]
	}
	return nil
}

// newest is the membership that a leave of the group takes.
func (s *state) newest(group int) *member {
	for i, m := range slices.Backward(s.members) {
		if m.group == group && m.leftBy == 0 {
			return &s.members[i]
		}
	}
	return nil
}

// points are the actions of a call that answered, in their order.
func points(method string, number, group int, err error) []input {
	switch {
	case method == "destroy":
		return []input{{action: destroyKernel}, {action: destroyWait}}
	case method == "leave" && spec.Outcome(err) == "EADDRNOTAVAIL":
		return []input{{action: leaveNothing, group: group}}
	case method == "leave":
		return []input{
			{action: leaveList, number: number, group: group},
			{action: leaveKernel, number: number},
			{action: leaveWait, number: number},
		}
	}
	return nil
}

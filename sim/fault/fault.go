// Package fault makes things fail between a simulated process and what is below it: commands to the kernel, at the seam
// of package uabi, and requests for memory. A host has faults, which all its processes meet, and a process has its own.
package fault

import (
	"slices"

	"joinmcast/spec"
)

// Set is the faults of a host or of a process. The zero value has none. It is used under the world's lock.
type Set struct{ rules []*rule }

// rule makes one call fail: of those it is for the one that brings left to 0.
type rule struct {
	of    func(call string) bool // a spec.Command, or a spec.CFunction
	left  int
	errno spec.Errno
	order spec.CFunction // of FailNext; empty: of another
}

// Fail makes a command fail.
func (s *Set) Fail(f spec.CallFault) (undo func()) {
	return s.add(&rule{of: named(string(f.Command)), left: f.Nth, errno: f.Errno})
}

// Withhold makes a request for memory fail.
func (s *Set) Withhold(f spec.MemoryFault) (undo func()) {
	return s.add(&rule{of: named(string(f.Function)), left: f.Skip + 1, errno: spec.ENOMEM})
}

// FailNext makes a call to a C function fail, the one after the next skip; only the last order for a function counts. A
// write is a command to the rdma_cm device, whichever it is.
func (s *Set) FailNext(f spec.CFunction, skip int, errno spec.Errno) {
	s.rules = slices.DeleteFunc(s.rules, func(r *rule) bool { return r.order == f })
	of := named(string(f))
	if f == spec.Write {
		of = isWrite
	} else {
		errno = spec.ENOMEM
	}
	s.add(&rule{of: of, left: skip + 1, errno: errno, order: f})
}

// InChild runs f as a child of the process would: what strikes it does not strike the process itself (fork(2)).
func (s *Set) InChild(f func()) {
	own := s.rules
	s.rules = nil
	for _, r := range own {
		copied := *r
		s.rules = append(s.rules, &copied)
	}
	f()
	s.rules = own
}

func named(name string) func(string) bool { return func(call string) bool { return call == name } }

func (s *Set) add(r *rule) (undo func()) {
	s.rules = append(s.rules, r)
	return func() { s.remove(r) }
}

func (s *Set) remove(r *rule) {
	s.rules = slices.DeleteFunc(s.rules, func(o *rule) bool { return o == r })
}

// strike counts a call and gives the error that it fails with, if it does. Every rule counts it, failing or not.
func (s *Set) strike(call string) (err error) {
	for _, r := range slices.Clone(s.rules) {
		if !r.of(call) {
			continue
		}
		if r.left--; r.left == 0 {
			s.remove(r)
			err = r.errno
		}
	}
	return err
}

// Sets are all that a process meets.
type Sets struct{ Host, Own *Set }

// Allocate counts a request of the library for memory; ENOMEM when it is withheld.
// It is strike written out: called through a function value, as it is, it would not be inlined (5 % of a cycle).
func (s Sets) Allocate(f spec.CFunction) error {
	if !s.any() {
		return nil
	}
	return s.count(string(f))
}

func (s Sets) strike(call string) error {
	if !s.any() {
		return nil
	}
	return s.count(call)
}

// count has every rule count a call.
func (s Sets) count(call string) error {
	err := s.Host.strike(call)
	if own := s.Own.strike(call); own != nil {
		return own
	}
	return err
}

// any tells whether there is a fault at all.
func (s Sets) any() bool { return len(s.Host.rules)+len(s.Own.rules) > 0 }

package rig

import (
	"errors"
	"sync"

	"joinmcast/spec"
)

// Record is what a spec leaves for its verdict beside passing or failing: what it saw, which requirement its
// arrangement leaned on, and the worst thing a call did to it.
type Record struct {
	mu        sync.Mutex
	id        string
	observed  map[string]string
	blockedBy string
	trouble   error
}

// NewRecord is the empty record of a spec of this requirement.
func NewRecord(id string) *Record { return &Record{id: id, observed: map[string]string{}} }

// ID is the requirement the spec judges.
func (r *Record) ID() string { return r.id }

// Observed is a copy of what the spec saw: symbols by field name.
func (r *Record) Observed() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := make(map[string]string, len(r.observed))
	for field, symbol := range r.observed {
		seen[field] = symbol
	}
	return seen
}

// BlockedBy is the requirement an arranging step leaned on when it failed; empty otherwise.
func (r *Record) BlockedBy() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.blockedBy
}

// Trouble is the first *spec.Crashed, else the first *spec.Hung, else the first error of the harness that a call of
// this spec ended with; nil when all calls were answered by the stack.
func (r *Record) Trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trouble
}

// note keeps a call's error when it is worse than what is there.
func (r *Record) note(err error) {
	var refused *spec.CallError
	if err == nil || errors.As(err, &refused) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if gravity(err) > gravity(r.trouble) {
		r.trouble = err
	}
}

func gravity(err error) int {
	var hung *spec.Hung
	var crashed *spec.Crashed
	switch {
	case err == nil:
		return 0
	case errors.As(err, &crashed):
		return 3
	case errors.As(err, &hung):
		return 2
	}
	return 1
}

func (r *Record) observe(field, symbol string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observed[field] = symbol
}

// block names the requirement that the spec leaned on, unless that is the one it judges.
func (r *Record) block(leansOn string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.blockedBy == "" && leansOn != r.id {
		r.blockedBy = leansOn
	}
}

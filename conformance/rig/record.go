package rig

import (
	"cmp"
	"errors"
	"sync"

	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// Record is what a spec leaves for its verdict beside passing or failing: what it saw, which requirement its
// arrangement leaned on, and the worst thing a call did to it.
type Record struct {
	mu        sync.Mutex
	id        string
	observed  map[string]string
	blockedBy string
	trouble   verdict.Verdict
}

// NewRecord is the empty record of a spec of this requirement.
func NewRecord(id string) *Record { return &Record{id: id, observed: map[string]string{}} }

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

// Trouble is the gravest thing a call did to this spec, other than to answer: CRASH, HANG, or ERROR when the harness
// was at fault; empty when the stack answered all calls.
func (r *Record) Trouble() verdict.Verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trouble
}

// note keeps what a call did to the spec when it is graver than what is there.
func (r *Record) note(err error) {
	if spec.Answered(err) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble = verdict.Merge(troubleOf(err), cmp.Or(r.trouble, verdict.Error)) // ERROR is the least grave of the three
}

// troubleOf is the verdict on a call that the stack did not answer.
func troubleOf(err error) verdict.Verdict {
	var hung *spec.Hung
	var crashed *spec.Crashed
	switch {
	case errors.As(err, &crashed):
		return verdict.Crash
	case errors.As(err, &hung):
		return verdict.Hang
	}
	return verdict.Error
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

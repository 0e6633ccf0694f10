package rig

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// Steps writes a sequence of a script: calls of it are not made, they become the sequence's steps. A handle that such a
// call gives stands for what the step will give.
type Steps struct {
	call.Port
	written *writer
}

// Sequence is the sequence of steps that write writes.
func Sequence(write func(s Steps)) []spec.Step {
	w := &writer{}
	write(Steps{Port: call.Port{Caller: w}, written: w})
	return w.steps
}

// Advance has the last step name a group further on in every round.
func (s Steps) Advance() { s.written.steps[len(s.written.steps)-1].Advance = true }

// writer makes a step of every call.
type writer struct{ steps []spec.Step }

// Call implements call.Caller.
func (w *writer) Call(_ context.Context, method string, args, answer any) error {
	call.Promise(answer, len(w.steps))
	w.steps = append(w.steps, call.Step(method, args))
	return nil
}

// MustRun runs a script to its end: that it ends at all is what most races are about, so a script that hangs is the
// spec's HANG. What each step answered is for the spec to judge.
func (p *Process) MustRun(ctx context.Context, s spec.Script) [][]spec.Tally {
	ginkgo.GinkgoHelper()
	tallies, err := p.Script(ctx, s)
	must(err, "")
	gomega.Expect(tallies).To(gomega.HaveLen(len(s.Sequences)), "tallies of every sequence")
	for i, steps := range s.Sequences {
		gomega.Expect(tallies[i]).To(gomega.HaveLen(len(steps)), "a tally of every step")
	}
	return tallies
}

// NameTallies is everything that these steps answered, as in "0 EADDRNOTAVAIL", sorted.
func NameTallies(steps ...spec.Tally) string {
	var outcomes []string
	for _, t := range steps {
		outcomes = slices.AppendSeq(outcomes, maps.Keys(t.Outcomes))
	}
	slices.Sort(outcomes)
	return strings.Join(slices.Compact(outcomes), " ")
}

// EventsOf is the types of the events that a script's steps got, sorted; none of a script that did not end.
func EventsOf(tallies [][]spec.Tally) []string {
	var types []string
	for _, sequence := range tallies {
		for _, t := range sequence {
			types = slices.AppendSeq(types, maps.Keys(t.Events))
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Successes is how often these steps answered 0.
func Successes(steps ...spec.Tally) int {
	n := 0
	for _, t := range steps {
		n += t.Outcomes[spec.Outcome(nil)]
	}
	return n
}

// NamePart is "all" when n is the whole, "none", "more", or "some".
func NamePart(n, whole int) string {
	switch {
	case n == whole:
		return "all"
	case n == 0:
		return "none"
	case n > whole:
		return "more"
	}
	return "some"
}

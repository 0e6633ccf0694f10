package sim

import (
	"context"
	"encoding/json"
	"fmt"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// Script runs sequences of calls beside each other: each is a thread of the world, and the seed says how they mix.
func (p *process) Script(ctx context.Context, s spec.Script) ([][]spec.Tally, error) {
	return p.script(ctx, s, p.asThread())
}

// asThread is the process as its own threads see it: a call is made where it stands.
func (p *process) asThread() *process {
	own := *p
	own.inside, own.swift = true, false
	return &own
}

// script makes the calls on inside.
func (p *process) script(ctx context.Context, s spec.Script, inside spec.Process) ([][]spec.Tally, error) {
	var sequences []*sequence
	for i, steps := range s.Sequences {
		q, err := newSequence(inside, steps)
		if err != nil {
			return nil, fmt.Errorf("sequence %d: %w", i, err)
		}
		sequences = append(sequences, q)
	}
	err := p.call(ctx, "script", func() error {
		for round := range s.Rounds {
			var bodies []func()
			for _, q := range sequences {
				bodies = append(bodies, func() { q.run(ctx, round) })
			}
			p.world.Together("script", bodies)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var tallies [][]spec.Tally
	for _, q := range sequences {
		if q.broken != nil {
			return nil, q.broken
		}
		tallies = append(tallies, q.tallies)
	}
	return tallies, nil
}

// sequence is one of a script's, with what its steps answered.
type sequence struct {
	process spec.Process
	steps   []spec.Step
	tallies []spec.Tally
	broken  error // of the harness, not of the stack
}

// newSequence makes a sequence whose steps are sure to be calls.
func newSequence(p spec.Process, steps []spec.Step) (*sequence, error) {
	q := &sequence{process: p, steps: steps}
	for k, step := range steps {
		args, _, ok := call.New(step.Method)
		if !ok {
			return nil, fmt.Errorf("step %d: no call is named %q", k, step.Method)
		}
		if err := json.Unmarshal(step.Args, args); err != nil {
			return nil, fmt.Errorf("step %d: %s: %w", k, step.Method, err)
		}
		q.tallies = append(q.tallies, spec.Tally{Outcomes: map[string]int{}})
	}
	return q, nil
}

// run makes the sequence's calls of one round. Time does not pass in a simulated world, so nothing is slow.
func (q *sequence) run(ctx context.Context, round int) {
	given := make([]uint32, len(q.steps))
	for k, step := range q.steps {
		args, answer, _ := call.New(step.Method)
		_ = json.Unmarshal(step.Args, args) // newSequence has tried it
		takeHandles(args, given[:k])
		if step.Advance {
			advance(args, uint32(round))
		}
		err := call.Perform(ctx, q.process, step.Method, args, answer)
		if !spec.Answered(err) && q.broken == nil {
			q.broken = err
		}
		tally := &q.tallies[k]
		tally.Outcomes[spec.Outcome(err)]++
		if err != nil {
			continue
		}
		given[k] = handleIn(answer)
		if got, ok := answer.(*call.GetEventAnswer); ok {
			if tally.Events == nil {
				tally.Events = map[string]int{}
			}
			tally.Events[got.Event.Type.String()]++
		}
	}
}

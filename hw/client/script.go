package client

import (
	"context"
	"strconv"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// Script runs sequences of calls in threads of the agent.
func (p *Process) Script(ctx context.Context, s spec.Script) ([][]spec.Tally, error) {
	tallies, err := p.Port.Script(ctx, s)
	for _, sequence := range tallies {
		for i := range sequence {
			t := &sequence[i]
			t.Outcomes = renamed(t.Outcomes, func(n int) string { return spec.Errno(n).Name() })
			t.Events = renamed(t.Events, func(n int) string { return spec.EventType(n).String() })
		}
	}
	return tallies, err
}

// renamed gives counts the names of the numbers that an agent counts by.
func renamed(counts map[string]int, name func(number int) string) map[string]int {
	named := map[string]int{}
	for key, n := range counts {
		if number, err := strconv.Atoi(key); err == nil {
			key = name(number)
		}
		named[key] += n
	}
	return named
}

// scriptIsStuck tells whether all that a script has open is blocked, the wait of one sequence for another included: no
// thread of the agent's will wake any of it. An event may wake a poll.
func scriptIsStuck(calls []spec.InFlight) bool {
	script := false
	for _, c := range calls {
		if !c.Blocked || awaitsEvent(c.Method) {
			return false
		}
		script = script || c.Method == "script"
	}
	return script
}

// ofThePort are the calls without a script's waits at its barrier.
func ofThePort(calls []spec.InFlight) []spec.InFlight {
	list := make([]spec.InFlight, 0, len(calls))
	for _, c := range calls {
		if c.Method != wire.Barrier {
			list = append(list, c)
		}
	}
	return list
}

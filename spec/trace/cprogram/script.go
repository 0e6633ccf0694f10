package cprogram

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/trace"
)

//go:embed c/script.c
var scriptPart string

// script is sequences of calls in threads of their own, which a barrier holds together. A step counts its failures and
// prints nothing, so that its race is the one that the trace ran.
func (p *program) script(r trace.Row, a *call.ScriptArgs) (before []string, expression string, after []string) {
	if len(a.Script.Sequences) == 0 {
		return nil, "0", nil
	}
	p.needs(scriptPart)
	tallies := r.Answer.(*call.ScriptAnswer).Tallies
	fmt.Fprintf(&p.threads, "\nstatic pthread_barrier_t barrier_%d;\n", r.Begin)
	threads := len(a.Script.Sequences)
	before = []string{
		fmt.Sprintf("pthread_t threads[%d];", threads),
		fmt.Sprintf("pthread_barrier_init(&barrier_%d, NULL, %d);", r.Begin, threads),
	}
	for i, steps := range a.Script.Sequences {
		name := fmt.Sprintf("%d_%d", r.Begin, i)
		p.sequence(r.Begin, name, a.Script.Rounds, steps)
		before = append(before, fmt.Sprintf("pthread_create(&threads[%d], NULL, sequence_%s, NULL);", i, name))
		for k, step := range steps {
			then := "no answer"
			if i < len(tallies) && k < len(tallies[i]) {
				then = tallied(tallies[i][k])
			}
			after = append(after, fmt.Sprintf("said_of_all(%q, failed_%s[%d], %d, %q);", step.Method, name, k,
				a.Script.Rounds, then))
		}
	}
	for i := range threads {
		before = append(before, fmt.Sprintf("pthread_join(threads[%d], NULL);", i))
	}
	return before, "0", after
}

// sequence writes the function of one sequence.
func (p *program) sequence(row int, name string, rounds int, steps []spec.Step) {
	p.inStep = true
	defer func() { p.inStep = false }()
	p.locals.Reset()
	var body strings.Builder
	for k, step := range steps {
		p.advances = step.Advance
		lines, expression := p.step(row, k, step)
		body.WriteString("\t\t{\n")
		for _, line := range append(lines, fmt.Sprintf("failed_%s[%d] += (%s) != 0;", name, k, expression)) {
			fmt.Fprintf(&body, "\t\t\t%s\n", line)
		}
		body.WriteString("\t\t}\n")
	}
	p.advances = false
	fmt.Fprintf(&p.threads, "\nstatic long failed_%[1]s[%[2]d];\n\nstatic void *sequence_%[1]s(void *unused)\n{\n", name,
		max(1, len(steps)))
	fmt.Fprintf(&p.threads, "\tfor (unsigned round = 0; round < %d; round++) {\n%s", rounds, p.locals.String())
	fmt.Fprintf(&p.threads, "\t\tpthread_barrier_wait(&barrier_%d);\n%s\t}\n\treturn unused;\n}\n", row, body.String())
}

// step is one step's call; what it shows when it is a call by itself is left out.
func (p *program) step(row, k int, step spec.Step) (before []string, expression string) {
	args, answer, ok := call.New(step.Method)
	if !ok || json.Unmarshal(step.Args, args) != nil {
		return []string{fmt.Sprintf("/* no call: %s */", step.Method)}, "0"
	}
	call.Promise(answer, k)
	before, expression, _ = p.c(trace.Row{Begin: row, End: row, Method: step.Method, Args: args, Answer: answer})
	return before, expression
}

// tallied is a tally in words.
func tallied(t spec.Tally) string {
	var words []string
	for _, counts := range []map[string]int{t.Outcomes, t.Events} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			words = append(words, fmt.Sprintf("%s %d times", name, counts[name]))
		}
	}
	return strings.Join(words, ", ")
}

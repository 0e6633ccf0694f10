package walk

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"joinmcast/fixtures"
	"joinmcast/spec/verdict"
	"joinmcast/spec/yamldoc"
)

// Known is a difference between two stacks that is known and stays: it masks the steps that it explains, and no other.
type Known struct {
	What, Why        string
	Kernel, RDMACore verdict.Range // of stack B; the zero range: all
	Call             string
	A, B             *regexp.Regexp // all that each stack tells of the step
}

// entry is how a file spells one.
type entry struct {
	What, Why string
	When      struct {
		Kernel   string
		RDMACore string `yaml:"rdma_core"`
	}
	Step struct{ Call, A, B string }
}

// ParseKnown reads a file of known differences; name is for errors. One that lacks anything but its ranges is refused.
func ParseKnown(name string, text []byte) ([]Known, error) {
	var entries []entry
	err := yamldoc.Decode(name, "a list of known differences with what, why, when and step", text, &entries)
	if err != nil && !errors.Is(err, yamldoc.ErrEmpty) {
		return nil, err
	}
	known := []Known{}
	for i, e := range entries {
		k, err := e.known()
		if err != nil {
			return nil, fmt.Errorf("%s, difference %d: %w", name, i+1, err)
		}
		known = append(known, k)
	}
	return known, nil
}

func (e entry) known() (k Known, err error) {
	if e.What == "" || e.Why == "" || e.Step.Call == "" || e.Step.A == "" || e.Step.B == "" {
		return k, errors.New("what, why and step, with call, a and b, are needed")
	}
	k = Known{What: e.What, Why: e.Why, Call: e.Step.Call}
	for _, told := range []struct {
		text string
		to   **regexp.Regexp
	}{{e.Step.A, &k.A}, {e.Step.B, &k.B}} {
		if *told.to, err = regexp.Compile("^(?:" + told.text + ")$"); err != nil {
			return k, fmt.Errorf("%q is no regular expression", told.text)
		}
	}
	for text, to := range map[*string]*verdict.Range{&e.When.Kernel: &k.Kernel, &e.When.RDMACore: &k.RDMACore} {
		if *text == "" {
			continue
		}
		if *to, err = verdict.ParseRange(*text); err != nil {
			return k, err
		}
	}
	return k, nil
}

// applies tells whether a stack has the difference.
func (k Known) applies(f verdict.Facts) bool {
	return (k.Kernel.IsZero() || k.Kernel.Contains(f.Kernel)) &&
		(k.RDMACore.IsZero() || k.RDMACore.Contains(f.RDMACore))
}

// Knows gives a ground other known differences than the suite's own.
func (g *Ground) Knows(all []Known) { g.all = all }

// learn keeps those of the known differences that the stack of the ground's world has.
func (g *Ground) learn(ctx context.Context) (err error) {
	if g.known = nil; g.all == nil {
		if g.all, err = ParseKnown("fixtures/known-differences.yaml", fixtures.KnownDifferences()); err != nil {
			return err
		}
	}
	if len(g.all) == 0 {
		return nil
	}
	env, err := g.world.Environment(ctx)
	if err != nil {
		return err
	}
	facts := verdict.FactsOf("", env)
	for _, k := range g.all {
		if k.applies(facts) {
			g.known = append(g.known, k)
		}
	}
	return nil
}

// explains finds the known difference that a step's is, if any: what it is.
func (g *Ground) explains(s Step, a, b Told) (what string, ok bool) {
	for _, k := range g.known {
		if k.Call == s.Call && k.A.MatchString(a.String()) && k.B.MatchString(b.String()) {
			return k.What, true
		}
	}
	return "", false
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"joinmcast/conformance/target"
	"joinmcast/conformance/walk"
	"joinmcast/sim/quirk"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
)

// patience is how many walks may pass before a quirk is found.
const patience = 500

// spoilsThePair is the quirk that no walk may show: after it a pair of guests is of no more use.
const spoilsThePair = "two-mlids-lose-qp"

// errUnfound is a quirk that no walk tells.
var errUnfound = errors.New("some quirks were not found")

// quirks looks for each of upstream's quirks by walks: the simulated stack without it is what walks are drawn on, the
// one with it is in the place of the live stack.
func (c walking) quirks(ctx context.Context) error {
	law, err := catalogue.Load()
	if err != nil {
		return err
	}
	unfound := false
	for _, name := range quirk.Upstream(func(string) bool { return true }) {
		if !onRoCEv2(law, name) || name == spoilsThePair {
			continue // walks are of RoCEv2 so far
		}
		pair, end, err := quirkPair(ctx, name)
		if err != nil {
			return err
		}
		walks, difference, err := firstDifference(ctx, pair, c.seed)
		end()
		switch {
		case err != nil:
			return err
		case difference == nil:
			unfound = true
			fmt.Printf("%-28s not found in %d walks\n", name, patience)
		default:
			step := difference.Walk.Steps[difference.Step]
			fmt.Printf("%-28s %3d walks: %s\n", name, walks, step.Call)
		}
	}
	if unfound {
		return errUnfound
	}
	return nil
}

// onRoCEv2 tells whether a RoCEv2 stack shows a quirk: whether the requirement that is to catch it speaks of one.
func onRoCEv2(law *catalogue.Catalogue, name string) bool {
	for _, q := range quirk.All() {
		if q.Name == name {
			r, ok := law.Find(q.CaughtBy)
			return ok && slices.Contains(r.On, spec.RoCEv2)
		}
	}
	return false
}

// quirkPair is the simulated stack without a quirk, and with it.
func quirkPair(ctx context.Context, name string) (pair walk.Pair, end func(), err error) {
	without, with := []string{quirk.Without + name}, []string(nil)
	a, err := openSim(ctx, without...)
	if err != nil { // upstream's default versions have not got it
		without, with = nil, []string{name}
		if a, err = openSim(ctx, without...); err != nil {
			return pair, nil, err
		}
	}
	b, err := openSim(ctx, with...)
	return walk.Pair{A: a, B: b}, func() { _, _ = a.Leave(ctx), b.Leave(ctx) }, err
}

func openSim(ctx context.Context, quirks ...string) (*walk.Ground, error) {
	t, err := target.Load("sim", target.Overrides{Quirks: quirks})
	if err != nil {
		return nil, err
	}
	lab, err := t.Open(ctx, "walk", func(string) {})
	if err != nil {
		return nil, err
	}
	return walk.NewGround(lab, true), nil
}

// firstDifference is the first walk from a seed that tells the stacks apart, and how many it took.
func firstDifference(ctx context.Context, pair walk.Pair, seed uint64) (walks int, d *walk.Difference, err error) {
	for walks := 1; walks <= patience; walks++ {
		o, err := pair.Compare(ctx, seed+uint64(walks)-1)
		if err != nil || o.Difference != nil {
			return walks, o.Difference, err
		}
	}
	return patience, nil, nil
}

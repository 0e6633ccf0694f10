package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

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

// wantedMutants is how many mutants walks must find.
const wantedMutants = 70

// errUnfound is a quirk that no walk tells.
var errUnfound = errors.New("too many quirks were not found")

// hunted is a quirk with the two stacks that only it tells apart: walks are drawn on the one without it.
type hunted struct {
	name          string
	without, with *target.Target
	walks         int              // it took to find it; 0: patience was not enough
	by            *walk.Difference // that shows it
}

// hunt looks for quirks by walks, and prints a line for each.
func (c walking) hunt(ctx context.Context, quirks []*hunted) (found int, err error) {
	runs, ctx := errgroup.WithContext(ctx)
	runs.SetLimit(c.jobs)
	for _, h := range quirks {
		runs.Go(func() error { return h.find(ctx, c.seed) })
	}
	if err := runs.Wait(); err != nil {
		return 0, err
	}
	for _, h := range quirks {
		if h.by == nil {
			fmt.Printf("%-28s not found in %d walks\n", h.name, patience)
			continue
		}
		found++
		fmt.Printf("%-28s %3d walks: %s\n", h.name, h.walks, h.by.Walk.Steps[h.by.Step].Call)
	}
	return found, nil
}

// upstreamQuirks looks for each of upstream's quirks; every one must be found.
func (c walking) upstreamQuirks(ctx context.Context) error {
	law, err := catalogue.Load()
	if err != nil {
		return err
	}
	var all []*hunted
	for _, name := range quirk.Upstream(func(string) bool { return true }) {
		if !onRoCEv2(law, name) || name == spoilsThePair {
			continue
		}
		without, with := []string{quirk.Without + name}, []string(nil)
		a, err := target.Load("sim", target.Overrides{Quirks: without})
		if err != nil {
			return err
		}
		if !opens(ctx, a) { // upstream's default versions have not got it
			without, with = nil, []string{name}
			if a, err = target.Load("sim", target.Overrides{Quirks: without}); err != nil {
				return err
			}
		}
		b, err := target.Load("sim", target.Overrides{Quirks: with})
		if err != nil {
			return err
		}
		all = append(all, &hunted{name: name, without: a, with: b})
	}
	found, err := c.hunt(ctx, all)
	if err == nil && found < len(all) {
		err = errUnfound
	}
	return err
}

// mutants looks for each mutant, on the transport that it shows on.
func (c walking) mutants(ctx context.Context) error {
	var all []*hunted
	for _, q := range quirk.Mutants() {
		a, err := target.Load(promised[q.Shown()], target.Overrides{})
		if err != nil {
			return err
		}
		b, err := target.Load(promised[q.Shown()], target.Overrides{Quirks: q.Names()})
		if err != nil {
			return err
		}
		all = append(all, &hunted{name: q.Name, without: a, with: b})
	}
	found, err := c.hunt(ctx, all)
	if err != nil {
		return err
	}
	fmt.Printf("%d of %d mutants found within %d walks each, from seed %d\n", found, len(all), patience, c.seed)
	if found < wantedMutants {
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

// find walks until the stacks differ.
func (h *hunted) find(ctx context.Context, seed uint64) error {
	a, err := openSim(ctx, h.without)
	if err != nil {
		return err
	}
	defer func() { _ = a.Leave(ctx) }()
	b, err := openSim(ctx, h.with)
	if err != nil {
		return err
	}
	defer func() { _ = b.Leave(ctx) }()
	pair := walk.Pair{A: a, B: b}
	for n := range patience {
		o, err := pair.Compare(ctx, seed+uint64(n))
		if err != nil {
			return fmt.Errorf("%s: walk %d: %w", h.name, seed+uint64(n), err)
		}
		if o.Difference != nil {
			h.walks, h.by = n+1, o.Difference
			return nil
		}
	}
	return nil
}

// opens tells whether a simulated stack can be as a target wants it.
func opens(ctx context.Context, t *target.Target) bool {
	lab, err := t.Open(ctx, "walk", func(string) {})
	return err == nil && lab.Close(ctx) == nil
}

func openSim(ctx context.Context, t *target.Target) (*walk.Ground, error) {
	lab, err := t.Open(ctx, "walk", func(string) {})
	if err != nil {
		return nil, err
	}
	return walk.NewGround(lab, true), nil
}

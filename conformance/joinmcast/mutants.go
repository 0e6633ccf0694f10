package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"joinmcast/reports"
	"joinmcast/reports/mutants"
	"joinmcast/sim/quirk"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// errSurvives is a table of mutants that shows something wrong with the suite.
var errSurvives = errors.New("the suite does not prove itself")

// promised are the targets of stacks without defects, one a transport: what mutants are made of.
var promised = map[spec.Transport]string{
	spec.RoCEv2: "sim-promise", spec.RoCEv1: "sim-promise-rocev1", spec.InfiniBand: "sim-promise-ib",
	spec.IWARP: "sim-promise-iwarp",
}

// mutating runs the suite on wrong stacks.
type mutating struct {
	suite, out string
	jobs       int
}

// mutantsCommand runs the suite on each mutant, or on those that are named, and writes the table.
func mutantsCommand(args []string) error {
	var c mutating
	set := flag.NewFlagSet("mutants", flag.ContinueOnError)
	set.StringVar(&c.suite, "suite", filepath.Join("bin", "conformance.test"), "the suite's `binary`")
	set.StringVar(&c.out, "out", filepath.Join("reports", "out", "mutants"), "`folder` of the table")
	set.IntVar(&c.jobs, "jobs", runtime.NumCPU(), "`runs` at a time")
	if err := set.Parse(args); err != nil {
		return err
	}
	chosen, err := chosenMutants(set.Args())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	scratch, err := scratchFolder(c.out)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	began := time.Now()
	reports, found, err := c.judge(ctx, scratch, chosen)
	if err != nil {
		return err
	}
	table := mutants.Judge(found, reports)
	if set.NArg() > 0 {
		return nil // some mutants say nothing of the others
	}
	if err := write(table, c.out); err != nil {
		return err
	}
	for _, p := range table.Problems {
		fmt.Println(p)
	}
	fmt.Printf("%d mutants, %d problems, %.0f s; the table is %s\n", len(found), len(table.Problems),
		time.Since(began).Seconds(), filepath.Join(c.out, "mutants.md"))
	if len(table.Problems) > 0 {
		return errSurvives
	}
	return nil
}

// chosenMutants are the named ones, or all.
func chosenMutants(names []string) ([]quirk.Quirk, error) {
	all := quirk.Mutants()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []quirk.Quirk
	for _, name := range names {
		i := slices.IndexFunc(all, func(q quirk.Quirk) bool { return q.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no mutant is named %q; `joinmcast mutants` lists them as it judges them", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// judge runs the suite on the intact stacks, which must be conformant, and on each mutant.
func (c *mutating) judge(
	ctx context.Context, scratch string, chosen []quirk.Quirk,
) ([]*reports.Report, []mutants.Mutant, error) {
	var whole []*reports.Report
	for _, on := range []spec.Transport{spec.RoCEv2, spec.RoCEv1, spec.InfiniBand, spec.IWARP} {
		r, err := c.run(ctx, scratch, on, "")
		if err != nil {
			return nil, nil, fmt.Errorf("the suite on an intact stack of %s: %w", on, err)
		}
		if r.Summary.Status != verdict.Conformant {
			return nil, nil, fmt.Errorf("the suite finds an intact stack of %s %s", on, r.Summary.Status)
		}
		whole = append(whole, r)
	}
	var mu sync.Mutex
	var found []mutants.Mutant
	runs, ctx := errgroup.WithContext(ctx)
	runs.SetLimit(c.jobs)
	for _, q := range chosen {
		runs.Go(func() error {
			m := mutants.Mutant{Name: q.Name, Does: q.Does, On: q.Shown(), Meant: q.CaughtBy, Note: q.Note}
			r, err := c.run(ctx, scratch, m.On, strings.Join(q.Names(), ","))
			if err != nil {
				return fmt.Errorf("the suite on mutant %s: %w", q.Name, err)
			}
			m.Caught = mutants.Catchers(r)
			mu.Lock()
			defer mu.Unlock()
			found = append(found, m)
			fmt.Printf("%3d of %d %s\n", len(found), len(chosen), m)
			return nil
		})
	}
	return whole, found, runs.Wait()
}

// run runs the whole suite on a stack with quirks.
func (c *mutating) run(ctx context.Context, scratch string, on spec.Transport, quirks string) (*reports.Report, error) {
	out, err := os.MkdirTemp(scratch, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	args := []string{"-ginkgo.seed=1", "-target=" + promised[on], "-quirk=" + quirks}
	return runSuite(ctx, c.suite, out, promised[on], args)
}

// write writes the table for people and for scripts.
func write(table mutants.Table, out string) error {
	text, err := json.MarshalIndent(table, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(out, "mutants.json"), append(text, '\n'), 0o644),
		os.WriteFile(filepath.Join(out, "mutants.md"), []byte(table.Markdown()), 0o644),
	)
}

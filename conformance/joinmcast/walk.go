package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/term"

	"joinmcast/conformance/target"
	"joinmcast/conformance/walk"
	"joinmcast/spec/catalogue"
)

// errDiffer is a walk that two stacks tell differently.
var errDiffer = errors.New("the stacks differ")

// walking is what the flags of `joinmcast walk` say.
type walking struct {
	seed             uint64
	n                int
	targets          string
	kernel, rdmaCore string
	programs, out    string
	replay           string
	keep, jobs       int
	quirky, mutated  bool
	fitted           bool
	record           bool
}

// walkCommand compares two stacks by random walks, or plays a saved walk on them.
func walkCommand(args []string) error {
	var c walking
	set := flag.NewFlagSet("walk", flag.ContinueOnError)
	set.Uint64Var(&c.seed, "seed", 1, "of the first walk; the next ones have the seeds that follow")
	set.IntVar(&c.n, "n", 100, "`walks`")
	set.StringVar(&c.targets, "targets", "sim,rxe", "the two `targets` to compare; walks are drawn on the first")
	set.StringVar(&c.kernel, "kernel", "", "of guests")
	set.StringVar(&c.rdmaCore, "rdma-core", "", "of guests")
	set.StringVar(&c.programs, "programs", "bin", "`folder` of the host program and the agent")
	set.StringVar(&c.out, "out", filepath.Join("reports", "out", "walks"), "`folder` of the walks that differ")
	set.StringVar(&c.replay, "replay", "", "the `file` of a saved walk, to be played instead of random ones")
	set.IntVar(&c.keep, "keep", 10, "differences to shrink and save; the walks end with them")
	set.IntVar(&c.jobs, "jobs", runtime.NumCPU(), "`walks` at a time, each on a pair of its own")
	set.BoolVar(&c.record, "record", false, "write what both targets tell of the -replay walk into its file")
	set.BoolVar(&c.quirky, "quirks", false, "look for each of upstream's quirks on the simulated stack instead")
	set.BoolVar(&c.mutated, "mutants", false, "look for each mutant on the simulated stack instead")
	set.BoolVar(&c.fitted, "fit", false, "look for weights with which walks reach every call, and write "+weightsFile)
	if err := set.Parse(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if c.quirky {
		return c.upstreamQuirks(ctx)
	}
	if c.mutated {
		return c.mutants(ctx)
	}
	if c.jobs < 1 {
		return fmt.Errorf("-jobs is %d, want at least 1", c.jobs)
	}
	if c.fitted {
		return c.fit(ctx)
	}
	if c.replay != "" {
		c.jobs = 1
	}
	pairs, end, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer end()
	if c.replay != "" {
		return c.playAgain(ctx, pairs[0])
	}
	return c.walks(ctx, pairs)
}

// open opens the two targets, with grounds for all walks that are played at a time.
func (c walking) open(ctx context.Context) (pairs []walk.Pair, end func(), err error) {
	names := strings.Split(c.targets, ",")
	if len(names) != 2 {
		return nil, nil, fmt.Errorf("-targets is %q, want two names with a comma between", c.targets)
	}
	first, endFirst, err := c.grounds(ctx, names[0])
	if err != nil {
		return nil, nil, err
	}
	second, endSecond, err := c.grounds(ctx, names[1])
	if err != nil {
		endFirst()
		return nil, nil, err
	}
	for i := range c.jobs {
		pairs = append(pairs, walk.Pair{A: first[i], B: second[i]})
	}
	return pairs, func() { endSecond(); endFirst() }, nil
}

// grounds opens a target, with a ground for each walk that is played at a time.
func (c walking) grounds(ctx context.Context, name string) (grounds []*walk.Ground, end func(), err error) {
	t, err := c.load(name)
	if err != nil {
		return nil, nil, err
	}
	lab, err := t.Open(ctx, "walk", func(line string) { fmt.Println(line) })
	if err != nil {
		return nil, nil, err
	}
	for range c.jobs {
		grounds = append(grounds, walk.NewGround(lab, t.Stack == target.Sim))
	}
	return grounds, func() {
		ctx := context.WithoutCancel(ctx)
		for _, g := range grounds {
			_ = g.Leave(ctx)
		}
		_ = lab.Close(ctx)
	}, nil
}

// load reads a target. The kernel and the library of the flags are those of guests, and what upstream's profile of the
// simulated stack imitates, if it can.
func (c walking) load(name string) (*target.Target, error) {
	o := target.Overrides{Programs: c.programs}
	t, err := target.Load(name, o)
	if err != nil {
		return nil, err
	}
	imitates := t.Stack == target.Sim && t.Profile == target.Upstream && target.Imitable(c.kernel, c.rdmaCore)
	if t.Stack == target.RXE || imitates {
		o.Kernel, o.RDMACore = c.kernel, c.rdmaCore
		return target.Load(name, o)
	}
	return t, nil
}

func (c walking) playAgain(ctx context.Context, pair walk.Pair) error {
	w, err := walk.Read(c.replay)
	if err != nil {
		return err
	}
	o, err := pair.Replay(ctx, w)
	if err != nil {
		return err
	}
	for i, t := range o.Told {
		fmt.Printf("%3d %s\n      %s\n", i+1, w.Steps[i], t)
	}
	if o.Found != "" {
		fmt.Println(o.Found)
	}
	if o.Difference != nil {
		fmt.Println(o.Difference)
		return errDiffer
	}
	if c.record {
		return os.WriteFile(c.replay, w.Recorded(o.Told).Text(), 0o644)
	}
	return nil
}

// finding is what came of one walk.
type finding struct {
	walk.Outcome
	broken    error            // why it could not be compared
	shrunk    *walk.Difference // its difference, as short as it could be made
	shrinking error            // why it is no shorter
}

// compare compares the stacks by the walk of a seed.
func (c walking) compare(ctx context.Context, pair walk.Pair, seed uint64) (f finding) {
	f.Outcome, f.broken = pair.Compare(ctx, seed)
	if f.broken == nil && f.Difference != nil {
		f.shrunk, f.shrinking = pair.Shrink(ctx, f.Difference)
	}
	return f
}

// walks compares the stacks by random walks.
func (c walking) walks(ctx context.Context, pairs []walk.Pair) error {
	law, err := catalogue.Load()
	if err != nil {
		return err
	}
	covered, red := walk.NewCoverage(), 0
	found := walk.SideBySide(ctx, pairs, c.n, func(ctx context.Context, pair walk.Pair, i int) finding {
		return c.compare(ctx, pair, c.seed+uint64(i))
	})
	for i, f := range found {
		if ctx.Err() != nil {
			break
		}
		covered.Add(f.Outcome)
		if f.broken != nil || f.Difference != nil || f.Found != "" {
			red++
			if err := c.explain(f); err != nil {
				return err
			}
		}
		if red == c.keep {
			break
		}
		c.progress(i+1, red)
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err := covered.Write(os.Stdout, law); err != nil {
		return err
	}
	short := covered.Short(law)
	if c.n < enough {
		short = nil
	}
	for _, line := range short {
		fmt.Println(line)
	}
	fmt.Printf("%d walks from seed %d: %d differ\n", covered.Walks, c.seed, red)
	if red > 0 || len(short) > 0 {
		return errDiffer
	}
	return nil
}

// enough is how many walks must have reached everything.
const enough = 500

// progress prints how far the walks are: over and over in one line of a terminal, now and then elsewhere.
func (c walking) progress(done, red int) {
	const now = 100
	line := fmt.Sprintf("%d of %d walks, %d differ", done, c.n, red)
	switch {
	case term.IsTerminal(int(os.Stdout.Fd())):
		fmt.Printf("\r%s ", line)
		if done == c.n {
			fmt.Println()
		}
	case done%now == 0:
		fmt.Println(line)
	}
}

// explain prints and saves a walk that the stacks tell differently, or that broke one.
func (c walking) explain(f finding) error {
	seed := f.Walk.Seed
	if f.Found != "" {
		fmt.Printf("walk %d: %s\n", seed, f.Found)
	}
	if f.broken != nil {
		fmt.Printf("walk %d: %s\n", seed, f.broken)
		return c.save(f.Walk)
	}
	if f.Difference == nil {
		return c.save(f.Walk)
	}
	if f.shrinking != nil {
		fmt.Printf("walk %d: %s\n", seed, f.shrinking)
	}
	fmt.Printf("walk %d, shrunk to %d steps:\n", seed, len(f.shrunk.Walk.Steps))
	for _, s := range f.shrunk.Walk.Steps {
		fmt.Printf("    %s\n", s)
	}
	fmt.Println(f.shrunk)
	return c.save(f.shrunk.Walk)
}

func (c walking) save(w walk.Walk) error {
	if err := os.MkdirAll(c.out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.out, fmt.Sprintf("%d.yaml", w.Seed)), w.Text(), 0o644)
}

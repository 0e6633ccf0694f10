package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"joinmcast/conformance/target"
	"joinmcast/reports"
	"joinmcast/spec/catalogue"
)

// errDisagree is a soak whose runs did not all say the same.
var errDisagree = errors.New("the runs disagree")

// soaking runs one suite again and again, each time with another seed.
type soaking struct {
	suite, out       string
	runs             int
	filter           string
	kernel, rdmaCore string
}

// soak runs the suite n times on each target, and compares what the runs of a target found.
func soak(args []string) error {
	var s soaking
	set := flag.NewFlagSet("soak", flag.ContinueOnError)
	set.StringVar(&s.suite, "suite", filepath.Join("bin", "conformance.test"), "the suite's `binary`")
	set.StringVar(&s.out, "out", filepath.Join("reports", "out", "soak"), "`folder` of the reports")
	set.IntVar(&s.runs, "n", 10, "`runs` on each target")
	set.StringVar(&s.filter, "label-filter", "", "`labels` of the specs to run, as Ginkgo's filter takes them; empty: all")
	set.StringVar(&s.kernel, "kernel", "", "of guests")
	set.StringVar(&s.rdmaCore, "rdma-core", "", "of guests")
	if err := set.Parse(args); err != nil {
		return err
	}
	if s.runs < 2 || set.NArg() == 0 {
		return errors.New("a soak wants two runs or more, and a target or more")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	law, err := catalogue.Load()
	if err != nil {
		return err
	}
	varies := func(id string) bool { q, ok := law.Find(id); return ok && q.VariesByRun() }
	disagree := false
	for _, name := range set.Args() {
		found, err := s.target(ctx, name)
		if err != nil {
			return err
		}
		lines := reports.Soak(found, varies)
		for _, line := range lines {
			fmt.Printf("  %s\n", line)
		}
		if len(lines) > 0 {
			fmt.Printf("%s: %d differences in %d runs\n", name, len(lines), s.runs)
			disagree = true
			continue
		}
		fmt.Printf("%s: the same verdicts and observations %d times\n", name, s.runs)
	}
	if disagree {
		return errDisagree
	}
	return nil
}

// target runs the suite on one target and reads the reports.
func (s soaking) target(ctx context.Context, name string) ([]*reports.Report, error) {
	args := []string{"-target=" + name, "-ginkgo.label-filter=" + s.filter}
	t, err := target.Load(name, target.Overrides{})
	if err == nil && t.Stack == target.RXE {
		args = append(args, "-kernel="+s.kernel, "-rdma-core="+s.rdmaCore)
		t, err = target.Load(name, target.Overrides{Kernel: s.kernel, RDMACore: s.rdmaCore})
	}
	if err != nil {
		return nil, err
	}
	folder := reports.Folder(t.Name, s.filter != "")
	if err := os.RemoveAll(filepath.Join(s.out, folder)); err != nil { // of the soak before
		return nil, err
	}
	var found []*reports.Report
	for seed := 1; seed <= s.runs; seed++ {
		r, err := s.run(ctx, folder, seed, args)
		if err != nil {
			return nil, fmt.Errorf("run %d on %s: %w", seed, t.Name, err)
		}
		fmt.Printf("%s %d of %d: %s, %.1f s\n", t.Name, seed, s.runs, r.Summary.Status, r.Summary.Seconds)
		found = append(found, r)
	}
	return found, nil
}

// run runs the suite once. Its files are put where they belong when it has ended: an interrupt leaves none.
func (s soaking) run(ctx context.Context, folder string, seed int, args []string) (*reports.Report, error) {
	scratch, err := scratchFolder(s.out)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	r, err := runSuite(ctx, s.suite, scratch, folder, append([]string{fmt.Sprintf("-ginkgo.seed=%d", seed)}, args...))
	if err != nil {
		return nil, err
	}
	final := filepath.Join(s.out, folder, fmt.Sprint(seed))
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		return nil, err
	}
	return r, os.Rename(filepath.Join(scratch, folder), final)
}

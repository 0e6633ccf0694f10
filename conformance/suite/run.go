// Package suite turns Ginkgo specs into a judged run: it opens the target, gives every spec a fresh world, attributes
// each failure to a requirement, judges what every spec leaves behind, and writes the reports.
package suite

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"joinmcast/conformance/target"
	"joinmcast/fixtures"
	"joinmcast/reports"
	"joinmcast/reports/index"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// Version is the suite's.
const Version = "0.1.0"

// run is one run of the suite, as one process of it sees it.
type run struct {
	flags  flags
	target *target.Target
	law    *catalogue.Catalogue
	issues verdict.Issues  // all that are known
	base   *reports.Report // what the page compares with; nil: nothing
	out    string          // folder of all reports
	seed   int64
	filter string
	began  time.Time

	// From here on set when the suite begins.
	dir      string // folder of this run's reports
	nonce    string
	specs    int // that will run
	lab      spec.Lab
	env      spec.Environment
	caps     spec.Capabilities
	applying verdict.Issues // those of issues that this stack has
	journal  *reports.Journal
	progress *progress
	failed   string // why the run itself failed

	report *reports.Report // when the run has ended, in the process that writes it
}

// prepare reads all that can be wrong before anything runs. Every error is one sentence.
func (r *run) prepare() error {
	var err error
	if r.law, err = catalogue.Load(); err != nil {
		return err
	}
	if r.target, err = target.Load(r.flags.target, r.flags.overrides()); err != nil {
		return err
	}
	if r.issues, err = r.loadIssues(); err != nil {
		return err
	}
	if r.flags.baseline != "" {
		if r.base, err = reports.Read(r.flags.baseline); err != nil {
			return fmt.Errorf("-baseline: %w", err)
		}
	}
	r.out, err = r.flags.outFolder()
	return err
}

// loadIssues reads the suite's own known issues and those of the flag.
func (r *run) loadIssues() (verdict.Issues, error) {
	files, err := fixtures.KnownIssues()
	if err != nil {
		return nil, err
	}
	for _, name := range list(r.flags.knownIssues) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("the known issues cannot be read: %w", err)
		}
		files = append(files, verdict.File{Name: name, Data: text})
	}
	return verdict.ParseIssues(r.law.Find, files...)
}

// open opens the target and reads what it is. The world the environment is read from is thrown away.
func (r *run) open(ctx context.Context) error {
	lab, err := r.target.Open(ctx, r.nonce, r.progress.step)
	if err != nil {
		return err
	}
	r.lab = lab
	backend, err := lab.Fresh(ctx, r.seed)
	if err != nil {
		return err
	}
	if r.env, err = backend.Environment(ctx); err != nil {
		return fmt.Errorf("the environment of %s cannot be read: %w", r.target.Name, err)
	}
	if r.caps, err = backend.Capabilities(ctx); err != nil {
		return fmt.Errorf("the capabilities of %s cannot be read: %w", r.target.Name, err)
	}
	r.applying = r.issues.Applying(verdict.FactsOf(r.target.Name, r.env, r.target.Quirks...))
	return backend.Close(ctx)
}

// callDeadline bounds a call. What watches all of a kernel's memory or locks makes it several times slower.
func (r *run) callDeadline() time.Duration {
	const slower = 4
	watching := []string{"KASAN", "KCSAN", "lockdep"}
	if slices.ContainsFunc(r.env.Detectors, func(d string) bool { return slices.Contains(watching, d) }) {
		return min(slower*r.target.CallDeadline, r.target.SpecDeadline)
	}
	return r.target.CallDeadline
}

// close gives back what open took.
func (r *run) close(ctx context.Context) error {
	if r.lab == nil {
		return nil
	}
	return r.lab.Close(ctx)
}

// describe is what a report must know of the run beside the specs.
func (r *run) describe() reports.Run {
	return reports.Run{
		Suite:        reports.Suite{Version: Version, Catalogue: r.law.Version()},
		Target:       r.target.Name,
		Stack:        r.stack(),
		Nonce:        r.nonce,
		Seed:         r.seed,
		Command:      r.flags.command(r.seed, r.filter),
		Environment:  r.env,
		Requirements: r.requirements(),
		Seconds:      time.Since(r.began).Seconds(),
		Reason:       r.failed,
		Warnings:     r.warnings(),
		Issues:       r.applying,
	}
}

// warnings are what a reader of the report must not overlook.
func (r *run) warnings() []string {
	warnings := r.applying.ExpiryWarnings(time.Now())
	if len(r.target.Faults) > 0 {
		warnings = append(warnings, "things went wrong on command, so this certifies no stack: "+r.env.Imitates)
	}
	return warnings
}

func (r *run) stack() string {
	if r.target.Live() {
		return reports.Linux
	}
	return reports.Simulated
}

func (r *run) requirements() []reports.Requirement {
	var all []reports.Requirement
	for _, q := range r.law.All() {
		all = append(all, reports.Requirement{
			ID: q.ID, Level: q.Level, Layer: q.Layer, Chapter: q.Chapter, Says: q.Says,
			Source: strings.Join(q.Source, "; "), On: q.On, WhyNot: q.WhyNot, Clean: q.JudgedBySuite(),
		})
	}
	return all
}

// finish ends the journal, builds the report from it and writes it. What cannot be written makes the run fail.
func (r *run) finish(left []reports.SpecResult) error {
	journal, err := reports.AppendJournal(r.dir)
	if err != nil {
		return err
	}
	if err := errors.Join(journal.RunEnds(), journal.Close()); err != nil {
		return err
	}
	rows, _, err := reports.ReadJournal(filepath.Join(r.dir, reports.JournalFile))
	if err != nil {
		return err
	}
	done, running := reports.Outcomes(rows)
	r.report = reports.Build(r.describe(), slices.Concat(done, running, left))
	page := index.Run{Report: r.report, Dir: r.dir, Now: time.Now(), Baseline: r.base}
	return errors.Join(r.report.Write(r.dir), reports.WriteTrace(r.dir, done), page.WriteFile())
}

// newNonce is a word no other run has.
func newNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b[:])
}

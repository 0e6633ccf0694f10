package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"joinmcast/reports"
	"joinmcast/spec/verdict"
)

// ending is how long an interrupted run is given to end its applications and its guests.
const ending = time.Minute

// scratchFolder is a new folder in out for the files of a run under way, for the caller to remove.
func scratchFolder(out string) (string, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(out, ".run-")
}

// runSuite runs the suite's binary with its reports in out, and reads the one in a folder of out. An interrupt is
// passed on, and waits for the run to clean up. A run that does not qualify is an error: it has judged nothing.
func runSuite(ctx context.Context, suite, out, folder string, args []string) (*reports.Report, error) {
	run := exec.CommandContext(ctx, suite, append([]string{"-out=" + out}, args...)...)
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, &said
	// Ctrl-C is for this process, which passes it on once: a second one would cut the run's cleaning up short.
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = ending
	err := run.Run()
	if ctx.Err() != nil {
		return nil, errors.New("interrupted")
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	r, err := reports.Read(filepath.Join(out, folder, reports.JSONFile))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, said.Bytes())
	}
	if r.Summary.Status == verdict.NotQualified {
		return nil, errors.New(r.Summary.Reason)
	}
	return r, nil
}

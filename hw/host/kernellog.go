package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// kernelLog reads /dev/kmsg from a mark on. Without the right to read it, every use says so.
type kernelLog struct {
	mu    sync.Mutex
	fd    int
	err   error
	since defectLog
}

// openKernelLog fails only for reasons other than a host that does not show its log.
func openKernelLog() (*kernelLog, error) {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES), errors.Is(err, unix.ENOENT):
		return &kernelLog{fd: -1, err: fmt.Errorf("/dev/kmsg: %w", err)}, nil
	case err != nil:
		return nil, fmt.Errorf("/dev/kmsg: %w", err)
	}
	return &kernelLog{fd: fd}, nil
}

// mark forgets what the log holds so far.
func (k *kernelLog) mark() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.since = defectLog{}
	if k.err != nil {
		return nil // said by the capability
	}
	_, err := unix.Seek(k.fd, 0, unix.SEEK_END)
	return err
}

// defects are the lines since the mark that tell of a defect, with the lines that follow each.
func (k *kernelLog) defects() ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return nil, k.err
	}
	record := make([]byte, 8<<10)
	for {
		n, err := unix.Read(k.fd, record)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return k.since.kept(), nil
		case errors.Is(err, unix.EPIPE):
			k.since.add("(the kernel overwrote part of its log before it was read)")
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, fmt.Errorf("/dev/kmsg: %w", err)
		default:
			k.since.add(kmsgText(string(record[:n])))
		}
	}
}

// kmsgText is a record's message: what follows the first semicolon, without the dictionary lines.
func kmsgText(record string) string {
	_, text, _ := strings.Cut(record, ";")
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// defect matches a line by which a kernel reports a mistake of its own.
var defect = regexp.MustCompile(`WARNING:|BUG[: ]|Oops|refcount_t:|KASAN|KCSAN|KFENCE|UBSAN|general protection fault|` +
	`possible (circular|recursive) locking|inconsistent lock state|suspicious RCU|lock held when returning|` +
	`unregister_netdevice: waiting|kmemleak: \d+ new|blocked for more than|rcu.*detected stall|soft lockup|` +
	`Unable to handle|INFO: task|DEBUG_LOCKS_WARN_ON|list_(add|del) corruption|use-after-free|double free|Call Trace`)

// endOfReport is the last line of a report with a trace.
var endOfReport = regexp.MustCompile(`---\[ end trace`)

const (
	contextLines = 40  // kept after a defect's line
	logLines     = 400 // kept altogether
)

// defectLog picks the reports of defects out of a log, line by line.
type defectLog struct {
	lines   []string
	context int // lines still belonging to the last report
	dropped int
}

func (d *defectLog) add(line string) {
	switch {
	case defect.MatchString(line):
		d.context = contextLines
	case d.context == 0:
		return
	default:
		d.context--
	}
	if endOfReport.MatchString(line) {
		d.context = 0
	}
	if len(d.lines) == logLines {
		d.dropped++
		return
	}
	d.lines = append(d.lines, line)
}

func (d *defectLog) kept() []string {
	kept := append([]string{}, d.lines...)
	if d.dropped > 0 {
		kept = append(kept, fmt.Sprintf("(%d lines more)", d.dropped))
	}
	return kept
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"joinmcast/spec"
)

// program is what an agent runs.
type program struct {
	root     string // its root folder; empty for the host's own
	path     string // as seen in root
	mischief string // what an agent for mischief has preloaded, as seen in root; empty when there is none
	env      []string
}

// mischievous is the environment of an agent for mischief.
func (p program) mischievous() []string {
	const preload = "LD_PRELOAD="
	env := slices.Clone(p.env)
	for i, entry := range env {
		if list, ok := strings.CutPrefix(entry, preload); ok && list != "" {
			env[i] = preload + list + ":" + p.mischief
			return env
		}
	}
	return append(env, preload+p.mischief)
}

// agents starts agents and owns their wait statuses. One reaper collects every child of this process, since as PID 1 it
// inherits orphans of agents too; so nothing else in this program may start or await a process.
type agents struct {
	children chan os.Signal // tells of those that have ended, as of those that an agent has left
	program  program

	mu    sync.Mutex // also held from fork until the pid is known to the reaper
	ahead *agent     // that start hands out first, or nil
	last  int
	byNum map[int]*agent
	byPID map[int]*agent
}

// agent is one application under test, in a session of its own.
type agent struct {
	number int
	pid    int
	stdin  *os.File
	stdout *os.File
	stderr *tail

	attach sync.Once     // done by the one stdio stream, or by the end
	ended  chan struct{} // closed when exit is valid
	exit   spec.Exit
}

func newAgents(p program) *agents {
	s := &agents{
		program: p, byNum: map[int]*agent{}, byPID: map[int]*agent{}, children: make(chan os.Signal, 1),
	}
	signal.Notify(s.children, unix.SIGCHLD)
	go func() {
		for range s.children {
			s.reap()
		}
	}()
	return s
}

// startAhead starts a plain agent that the next start hands out, and returns when it waits for its first message: a
// guest that is saved then is restored with an application that has done nothing yet.
func (s *agents) startAhead(ctx context.Context) error {
	a, err := s.start(false)
	if err != nil {
		return err
	}
	if err := await(ctx, "an agent that reads", func() bool { return readsInput(a.pid) }); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead = a
	return nil
}

// readsInput tells whether a process with one thread sleeps in read(2).
func readsInput(pid int) bool {
	number, _, _ := strings.Cut(trimmed(fmt.Sprintf("/proc/%d/syscall", pid)), " ")
	return number == strconv.Itoa(unix.SYS_READ)
}

func (s *agents) start(mischief bool) (*agent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	env := s.program.env
	if mischief {
		env = s.program.mischievous()
	}
	if a := s.ahead; a != nil && !mischief {
		s.ahead = nil
		return a, nil
	}
	var inR, inW, outR, outW, errR, errW *os.File
	for _, p := range []struct{ r, w **os.File }{{&inR, &inW}, {&outR, &outW}, {&errR, &errW}} {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		*p.r, *p.w = r, w
	}
	theirs := []*os.File{inR, outW, errW}
	defer closeAll(theirs)
	pid, err := syscall.ForkExec(s.program.path, []string{s.program.path}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   env,
		Files: []uintptr{inR.Fd(), outW.Fd(), errW.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true, Chroot: s.program.root, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		closeAll([]*os.File{inW, outR, errR})
		return nil, fmt.Errorf("start %s in root %q: %w", s.program.path, s.program.root, err)
	}
	s.last++
	a := &agent{
		number: s.last, pid: pid, stdin: inW, stdout: outR, stderr: newTail(errR), ended: make(chan struct{}),
	}
	s.byNum[a.number], s.byPID[pid] = a, a
	go s.reapAtEnd(pid)
	return a, nil
}

// reapAtEnd waits for a child's end and has it collected. SIGCHLD alone does not tell of it in time: the kernel gives
// it to the thread that started the child, and that one may be asleep in the kernel, as in the removal of a device that
// waits for processes to end.
func (s *agents) reapAtEnd(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	s.reap()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// reap collects every child that has ended.
func (s *agents) reap() {
	for {
		s.mu.Lock()
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			s.mu.Unlock()
			continue
		}
		if err != nil || pid <= 0 {
			s.mu.Unlock()
			return
		}
		a := s.byPID[pid]
		delete(s.byPID, pid)
		s.mu.Unlock()
		if a != nil {
			a.end(status)
		}
	}
}

// end publishes the exit and frees what nobody reads. Children that the agent left in its session end with it, or they
// would hold its pipes open.
func (a *agent) end(status unix.WaitStatus) {
	_ = unix.Kill(-a.pid, unix.SIGKILL)
	if status.Signaled() {
		a.exit = spec.Exit{Signal: unix.SignalName(status.Signal()), Status: 128 + int(status.Signal())}
	} else {
		a.exit = spec.Exit{Status: status.ExitStatus()}
	}
	close(a.ended)
	_ = a.stdin.Close()
	a.attach.Do(func() { _ = a.stdout.Close() })
}

func (s *agents) find(number int) *agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byNum[number]
}

// signal signals a living agent's process group, under the lock that keeps its pid from being reused.
func (s *agents) signal(number int, sig unix.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.byNum[number]
	if a == nil {
		return noAgent(number)
	}
	if s.byPID[a.pid] != a {
		return nil // it has ended
	}
	if err := unix.Kill(-a.pid, sig); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal %d to agent %d: %w", sig, number, err)
	}
	return nil
}

// collectWithin is how long killAll waits: a process asleep in the kernel may outlive SIGKILL.
const collectWithin = 5 * time.Second

// killAll ends every agent and waits until all are collected, but not for ever.
func (s *agents) killAll() {
	s.mu.Lock()
	living := make([]*agent, 0, len(s.byPID))
	for pid, a := range s.byPID {
		_ = unix.Kill(-pid, unix.SIGKILL)
		living = append(living, a)
	}
	s.mu.Unlock()
	deadline := time.After(collectWithin)
	for _, a := range living {
		select {
		case <-a.ended:
		case <-deadline:
			return
		}
	}
}

// relayStdio joins the agent's standard input and output to a stream. It returns when the agent's output has ended, or
// at once when the agent has ended or has a stream already. What the suite sends is always taken, so that a suite
// blocked in a write is released by the agent's end.
func (a *agent) relayStdio(in io.Reader, out io.Writer) {
	first := false
	a.attach.Do(func() { first = true })
	if !first {
		go func() { _, _ = io.Copy(io.Discard, in) }()
		return
	}
	go func() {
		_, err := io.Copy(a.stdin, in)
		_ = a.stdin.Close()
		if err != nil {
			_, _ = io.Copy(io.Discard, in)
		}
	}()
	_, _ = io.Copy(out, a.stdout)
	_ = a.stdout.Close()
}

// Command joinmcast-host is the suite's other end on a host: it observes and configures the host and starts agents.
//
//	joinmcast-host -pid1                               as /init of a guest
//	joinmcast-host -stdio [-device rxe0] -agent PATH   on a machine, one session over standard input and output
//
// A joinmcast-mischief.so beside the agent is what agents for mischief have preloaded.
//
// Both speak package hw/wire. A session's end ends its agents; in a guest it also powers the guest off.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

func main() {
	pid1 := flag.Bool("pid1", false, "be the first process of a guest")
	stdio := flag.Bool("stdio", false, "serve one session over standard input and output")
	device := flag.String("device", "", "with -stdio: the RDMA device under test (default: the first that has a netdev)")
	root := flag.String("root", "", "with -stdio: start agents in this folder as their root")
	agent := flag.String("agent", "", "with -stdio: the agent's program, as seen in the root")
	_ = flag.CommandLine.Parse(ownArguments(os.Getpid(), os.Args[1:])) // which ends the program at an error

	switch {
	case *pid1 == *stdio:
		fail(errors.New("want one of -pid1 and -stdio"))
	case *pid1:
		bePID1()
	default:
		if err := serveStdio(*device, *root, *agent); err != nil {
			fail(err)
		}
	}
}

// ownArguments are those that are meant for this program. A kernel puts the words of its command line that it does not
// know before the arguments of its first process: what one kernel was built with, another one was not.
func ownArguments(pid int, args []string) []string {
	if pid != 1 {
		return args
	}
	return args[max(0, slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") })):]
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "joinmcast-host:", err)
	os.Exit(1)
}

// serveStdio serves one session on a machine that is not ours: nothing of it is configured.
func serveStdio(device, root, agent string) error {
	if agent == "" {
		return errors.New("-agent is missing: want the path of joinmcast-agent")
	}
	if _, err := os.Stat(filepath.Join(root, agent)); err != nil {
		return fmt.Errorf("-agent: %w", err)
	}
	if root == "" {
		abs, err := filepath.Abs(agent)
		if err != nil {
			return err
		}
		agent = abs
	}
	p := program{
		root: root, path: agent, mischief: filepath.Join(filepath.Dir(agent), "joinmcast-mischief.so"),
		env: append(os.Environ(), "LC_ALL=C"),
	}
	h, err := newHost(settings{device: device, program: p, version: installedVersion(root)})
	if err != nil {
		return err
	}
	endAgentsOnSignal(h.agents)
	// Whatever else prints to standard output would land in the session.
	session := os.Stdout
	os.Stdout = os.Stderr
	return h.serve(duplex{Reader: os.Stdin, WriteCloser: session})
}

// endAgentsOnSignal ends the agents with this program when it is told to end. A suite that is gone shows as the end of
// standard input, not as a signal at a write.
func endAgentsOnSignal(s *agents) {
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	told := make(chan os.Signal, 1)
	signal.Notify(told, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	go func() {
		<-told
		s.killAll()
		os.Exit(1)
	}()
}

// duplex joins a reader and a writer to one connection.
type duplex struct {
	io.Reader
	io.WriteCloser
}

package target

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"joinmcast/hw/client"
	"joinmcast/spec"
)

// programs are what live targets run beside the suite. A host program finds what agents for mischief preload beside
// the agent; for a guest it is named, or empty when it is not there.
type programs struct{ host, agent, mischief string }

// programs finds them; `make bin` builds them.
func (t *Target) programs() (programs, error) {
	p := programs{
		host:  filepath.Join(t.Programs, "joinmcast-host"),
		agent: filepath.Join(t.Programs, "joinmcast-agent"),
	}
	for _, path := range []string{p.host, p.agent} {
		if _, err := os.Stat(path); err != nil {
			return p, fmt.Errorf("%s is not there: build it with `make bin`, or give its folder with -programs", path)
		}
	}
	mischief := filepath.Join(t.Programs, "joinmcast-mischief.so")
	if _, err := os.Stat(mischief); err == nil {
		p.mischief = mischief
	}
	return p, nil
}

// machineLab is this machine: one world, handed out again and again, each time by a new host program.
type machineLab struct {
	programs programs
	device   string
	nonce    string
}

func (t *Target) openMachine(nonce string) (spec.Lab, error) {
	programs, err := t.programs()
	if err != nil {
		return nil, err
	}
	return &machineLab{programs: programs, device: t.Device, nonce: nonce}, nil
}

// Fresh implements spec.Lab.
func (l *machineLab) Fresh(ctx context.Context, _ int64) (spec.Backend, error) {
	host, err := startHost(l.programs, l.device)
	if err != nil {
		return nil, err
	}
	conn := client.HostConn{Name: "host0", Conn: host, LastWords: host.lastWords}
	backend, err := client.Dial(ctx, []client.HostConn{conn}, client.Options{Nonce: l.nonce})
	if err != nil {
		return nil, err
	}
	return backend, nil
}

// Close implements spec.Lab.
func (l *machineLab) Close(context.Context) error { return nil }

// hostProgram is a host program of this machine; its standard input and output are the connection.
type hostProgram struct {
	io.Reader
	io.WriteCloser
	run   *exec.Cmd
	said  bytes.Buffer // on standard error; to be read when it has ended
	ended func() error
}

func startHost(p programs, device string) (*hostProgram, error) {
	args := []string{"-stdio", "-agent", p.agent}
	if device != "" {
		args = append(args, "-device", device)
	}
	run := exec.Command(p.host, args...)
	host := &hostProgram{run: run}
	run.Stderr = &host.said
	// Ctrl-C is for the suite: the host program ends with its input, and so does one whose suite was killed.
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := run.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := run.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := run.Start(); err != nil {
		return nil, fmt.Errorf("the host program does not start: %w", err)
	}
	host.Reader, host.WriteCloser, host.ended = out, in, sync.OnceValue(run.Wait)
	return host, nil
}

// Close ends the host program, and with it its agents. It may be called again.
func (h *hostProgram) Close() error {
	_ = h.WriteCloser.Close() // the end of its input; it may be gone already
	return h.ended()
}

// lastWords is what the host program said on standard error.
func (h *hostProgram) lastWords() string {
	_ = h.Close()
	return h.said.String()
}

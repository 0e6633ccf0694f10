package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
)

// Pair is two running guests on one wire, restored from the saved state; nobody has spoken to them.
type Pair struct {
	Guests [2]*Guest
	dir    string
	once   sync.Once
	done   func()
}

// Guest is one host of a pair. Its connection is that of package wire, before the greeting; it ends when the guest
// does.
type Guest struct {
	io.ReadWriteCloser
	process *guestProcess
}

// Name is the guest's host name.
func (g *Guest) Name() string { return g.process.name }

// LastWords is the end of what the guest printed on its console, as of a panic.
func (g *Guest) LastWords() string { return g.process.console.text() }

// Ended is closed when the guest's QEMU has ended.
func (g *Guest) Ended() <-chan struct{} { return g.process.ended }

// Err is how the guest ended, with its last words; nil while it runs. A panic is an error, a power-off is not.
func (g *Guest) Err() error {
	select {
	case <-g.process.ended:
	default:
		return nil
	}
	err := g.process.err
	if err == nil && strings.Contains(g.LastWords(), "Kernel panic") {
		err = errPanic // QEMU does not tell, if the kernel has no pvpanic
	}
	if err == nil {
		return nil
	}
	return g.process.explain("end", err)
}

var errPanic = errors.New("kernel panic")

// Panic makes the guest's kernel panic and waits for its end: LastWords then shows what a guest that no longer answered
// was doing.
func (g *Guest) Panic(ctx context.Context) error {
	// A kernel that panics in an interrupt that cannot be masked prints its report after it has told QEMU.
	err := g.process.qmp.execute(ctx, "set-action", map[string]any{"panic": "none"})
	if err == nil {
		err = g.process.qmp.execute(ctx, "inject-nmi", nil)
	}
	if err != nil && !errors.Is(err, errQMPEnded) {
		return g.process.explain("panic", err)
	}
	select {
	case <-g.process.ended:
		return nil
	case <-ctx.Done():
		return g.process.explain("panic", ctx.Err())
	}
}

// Close ends both guests and frees their sockets.
func (p *Pair) Close() {
	p.once.Do(func() {
		for _, g := range p.Guests {
			if g == nil {
				continue
			}
			if g.ReadWriteCloser != nil {
				_ = g.Close()
			}
			g.process.stop()
		}
		_ = os.RemoveAll(p.dir)
		p.done()
	})
}

// restore restores a pair; its guests stand still until wake.
func (p savedPair) restore(ctx context.Context, runDir string) (*Pair, error) {
	ctx, cancel := context.WithTimeout(ctx, restoreWithin)
	defer cancel()
	dir, err := os.MkdirTemp(runDir, "pair-")
	if err != nil {
		return nil, err
	}
	pair := &Pair{dir: dir, done: func() {}}
	err = onBoth(func(i int) error {
		state, err := os.Open(p.stateFile(i))
		if err != nil {
			return err
		}
		defer func() { _ = state.Close() }()
		process, err := startGuest(ctx, p.machine, i, dir, guestFile{restore: state})
		if err != nil {
			return err
		}
		pair.Guests[i] = &Guest{process: process}
		return nil
	})
	if err != nil {
		pair.Close()
		return nil, fmt.Errorf("restore a pair: %w", err)
	}
	return pair, nil
}

// Wake connects to the guest and lets it run; once.
func (g *Guest) Wake(ctx context.Context) error {
	conn, err := g.process.connect(ctx)
	if err != nil {
		return g.process.explain("connect", err)
	}
	g.ReadWriteCloser = endingConn{conn}
	if err := g.process.qmp.execute(ctx, "cont", nil); err != nil {
		return g.process.explain("wake", err)
	}
	return nil
}

// endingConn reads the end of QEMU's socket as io.EOF, in whatever way it ended.
type endingConn struct{ net.Conn }

func (c endingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

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

// Pair is two guests on one wire whose saved state nobody has used. They sleep until each is woken: one that is not
// needed costs no time.
type Pair struct {
	Guests [2]*Guest
	dir    string
	done   func()

	captures bool

	mu     sync.Mutex
	closed bool
}

// Guest is one host of a pair. Once woken, its connection is that of package wire, before the greeting; it ends when
// the guest does.
type Guest struct {
	io.ReadWriteCloser
	name    string
	restore func(ctx context.Context) (*guestProcess, error)
	pair    *Pair
	process *guestProcess // nil while the guest sleeps
}

// Name is the guest's host name.
func (g *Guest) Name() string { return g.name }

// Wake restores the guest, lets it run and connects to it; once. It fails on a pair that is closed.
func (g *Guest) Wake(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, restoreWithin)
	defer cancel()
	g.pair.mu.Lock()
	defer g.pair.mu.Unlock()
	if g.pair.closed {
		return errClosed
	}
	process, err := g.restore(ctx)
	if err != nil {
		return fmt.Errorf("restore guest %s: %w", g.name, err)
	}
	g.process = process
	if g.pair.captures && g == g.pair.Guests[0] {
		if err := process.capture(ctx); err != nil {
			return process.explain("capture", err)
		}
	}
	conn, err := process.connect(ctx)
	if err != nil {
		return process.explain("connect", err)
	}
	g.ReadWriteCloser = endingConn{conn}
	if err := process.qmp.execute(ctx, "cont", nil); err != nil {
		return process.explain("wake", err)
	}
	return nil
}

// LastWords is the end of what a woken guest printed on its console, as of a panic.
func (g *Guest) LastWords() string { return g.process.console.text() }

// Ended is closed when a woken guest's QEMU has ended.
func (g *Guest) Ended() <-chan struct{} { return g.process.ended }

// Err is how the guest ended, with its last words; nil while it sleeps or runs. A panic is an error, a power-off is
// not.
func (g *Guest) Err() error {
	if g.process == nil {
		return nil
	}
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for _, g := range p.Guests {
		if g.ReadWriteCloser != nil {
			_ = g.Close()
		}
		if g.process != nil {
			g.process.stop()
		}
	}
	_ = os.RemoveAll(p.dir)
	p.done()
}

// pair gives two sleeping guests.
func (p savedPair) pair(runDir string, captures bool, done func()) (*Pair, error) {
	dir, err := os.MkdirTemp(runDir, "pair-")
	if err != nil {
		return nil, err
	}
	pair := &Pair{dir: dir, captures: captures, done: done}
	for i := range pair.Guests {
		restore := func(ctx context.Context) (*guestProcess, error) {
			return startGuest(ctx, p.machine, i, dir, p.dir, true)
		}
		pair.Guests[i] = &Guest{name: guestNames[i], restore: restore, pair: pair}
	}
	return pair, nil
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

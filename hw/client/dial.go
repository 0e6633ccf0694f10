// Package client is the Backend of live stacks: it speaks package wire with the host programs at the other end of
// connections that somebody else has opened, to guests or to machines.
package client

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/hashicorp/yamux"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// HostConn is a connection to a host program that has not been read from yet.
type HostConn struct {
	Name string // as messages call the host: "host0"
	Conn io.ReadWriteCloser
	// Wake, when Conn is nil, makes the connection when the host is first asked for something: a host that sleeps costs
	// nothing and is as it was.
	Wake func(ctx context.Context) (io.ReadWriteCloser, error)
	// LastWords, when not nil, gives the end of the host's console, for the message that the host is gone.
	LastWords func() string
}

// Options of Dial; the zero value is fine.
type Options struct {
	Nonce    string // names the run; a random one when empty
	RDMACore string // that agents run on, of those that a guest holds; empty for its first
}

// writeTimeout is how long a connection may take nothing before it counts as lost. A guest under emulation may stand
// still for long on a busy machine without being lost.
const writeTimeout = time.Minute

// Dial greets the hosts that are awake, the one with the device under test first, and makes all of them a Backend. From
// here on it owns the connections: they end with the Backend, or before Dial returns an error. A host that does not
// give the run's nonce back is refused.
func Dial(ctx context.Context, conns []HostConn, o Options) (*Backend, error) {
	if len(conns) == 0 {
		return nil, errors.New("no host to connect to: want at least one")
	}
	if o.Nonce == "" {
		o.Nonce = randomHex(16)
	}
	b := &Backend{nonce: o.Nonce}
	failures := make([]error, len(conns))
	var all sync.WaitGroup
	for i, c := range conns {
		h := &host{conn: c, nonce: o.Nonce, rdmaCore: o.RDMACore}
		b.hosts = append(b.hosts, h)
		if c.Conn != nil {
			all.Go(func() { failures[i] = h.connect(ctx) })
		}
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		for _, h := range b.hosts {
			h.close()
		}
		return nil, err
	}
	return b, nil
}

// connect wakes and greets the host, once; a host that could not be greeted stays lost.
func (h *host) connect(ctx context.Context) error {
	h.connecting.Lock()
	defer h.connecting.Unlock()
	if h.control != nil || h.lost != nil {
		return h.lost
	}
	if h.conn.Conn == nil {
		if h.conn.Conn, h.lost = h.conn.Wake(ctx); h.lost != nil {
			return h.lost
		}
	}
	h.lost = h.greet(ctx)
	return h.lost
}

// awake tells whether the host has been connected to, after any attempt under way.
func (h *host) awake() bool {
	h.connecting.Lock()
	defer h.connecting.Unlock()
	return h.control != nil || h.lost != nil
}

// greet takes the host's greeting and says hello.
func (h *host) greet(ctx context.Context) (err error) {
	c := h.conn
	// Reading a connection knows no context: only its end ends it.
	stop := context.AfterFunc(ctx, func() { _ = c.Conn.Close() })
	defer func() {
		if !stop() && err == nil {
			err = fmt.Errorf("%s: hello: %w", c.Name, ctx.Err())
		}
		if err != nil {
			_ = c.Conn.Close()
		}
	}()

	in := bufio.NewReader(c.Conn)
	greeting, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("%s does not greet: %w%s", c.Name, cmp.Or(ctx.Err(), err), lastWords(c))
	}
	if greeting != wire.Greeting {
		return fmt.Errorf("%s greets with %.60q, want %q: the host program is another version, or not one at all",
			c.Name, greeting, wire.Greeting)
	}

	config := yamux.DefaultConfig()
	config.EnableKeepAlive = false // a guest that stands still is not lost
	config.ConnectionWriteTimeout = writeTimeout
	config.StreamOpenTimeout = 0
	config.LogOutput = io.Discard
	if h.session, err = yamux.Client(readWriteCloser{in, c.Conn, c.Conn}, config); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	if err := h.hello(ctx); err != nil {
		h.close()
		return err
	}
	return nil
}

func (h *host) hello(ctx context.Context) error {
	control, err := h.open(wire.Stream{Kind: wire.Control})
	if err != nil {
		return err
	}
	h.control = jrpc2.NewClient(channel.Line(control, control), nil)
	params := wire.HelloParams{
		Nonce: h.nonce, Entropy: randomHex(64), UnixNano: time.Now().UnixNano(), RDMACore: h.rdmaCore,
	}
	if err := h.ask(ctx, wire.HostHello, params, &h.about); err != nil {
		return err
	}
	if h.about.Nonce != h.nonce {
		return fmt.Errorf("%s answers with nonce %q, want %q: it serves another run", h.conn.Name, h.about.Nonce, h.nonce)
	}
	return nil
}

type readWriteCloser struct {
	io.Reader
	io.Writer
	io.Closer
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}

// lastWords is the end of the host's console as the end of a message.
func lastWords(c HostConn) string {
	if c.LastWords == nil {
		return ""
	}
	words := strings.TrimSpace(c.LastWords())
	if words == "" {
		return ""
	}
	return "; its console ends:\n" + words
}

var _ spec.Backend = (*Backend)(nil)

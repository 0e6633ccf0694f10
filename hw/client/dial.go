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
	// LastWords, when not nil, gives the end of the host's console, for the message that the host is gone.
	LastWords func() string
}

// Options of Dial; the zero value is fine.
type Options struct {
	Nonce string // names the run; a random one when empty
}

// writeTimeout is how long a connection may take nothing before it counts as lost. A guest under emulation may stand
// still for long on a busy machine without being lost.
const writeTimeout = time.Minute

// Dial greets the hosts, the one with the device under test first, and makes them a Backend. From here on it owns the
// connections: they end with the Backend, or before Dial returns an error. A host that does not give the run's nonce
// back is refused.
func Dial(ctx context.Context, conns []HostConn, o Options) (*Backend, error) {
	if len(conns) == 0 {
		return nil, errors.New("no host to connect to: want at least one")
	}
	if o.Nonce == "" {
		o.Nonce = randomHex(16)
	}
	b := &Backend{nonce: o.Nonce, hosts: make([]*host, len(conns))}
	failures := make([]error, len(conns))
	var all sync.WaitGroup
	for i, c := range conns {
		all.Go(func() { b.hosts[i], failures[i] = dialHost(ctx, c, o.Nonce) })
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		for _, h := range b.hosts {
			if h != nil {
				h.close()
			}
		}
		return nil, err
	}
	return b, nil
}

func dialHost(ctx context.Context, c HostConn, nonce string) (_ *host, err error) {
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
		return nil, fmt.Errorf("%s does not greet: %w%s", c.Name, cmp.Or(ctx.Err(), err), lastWords(c))
	}
	if greeting != wire.Greeting {
		return nil, fmt.Errorf("%s greets with %.60q, want %q: the host program is another version, or not one at all",
			c.Name, greeting, wire.Greeting)
	}

	config := yamux.DefaultConfig()
	config.EnableKeepAlive = false // a guest that stands still is not lost
	config.ConnectionWriteTimeout = writeTimeout
	config.StreamOpenTimeout = 0
	config.LogOutput = io.Discard
	session, err := yamux.Client(readWriteCloser{in, c.Conn, c.Conn}, config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	h := &host{conn: c, session: session}
	if err := h.hello(ctx, nonce); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *host) hello(ctx context.Context, nonce string) error {
	control, err := h.open(wire.Stream{Kind: wire.Control})
	if err != nil {
		return err
	}
	h.control = jrpc2.NewClient(channel.Line(control, control), nil)
	params := wire.HelloParams{Nonce: nonce, Entropy: randomHex(64), UnixNano: time.Now().UnixNano()}
	if err := h.request(ctx, wire.HostHello, params, &h.about); err != nil {
		return err
	}
	if h.about.Nonce != nonce {
		return fmt.Errorf("%s answers with nonce %q, want %q: it serves another run", h.conn.Name, h.about.Nonce, nonce)
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

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/hashicorp/yamux"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// settings are what distinguishes one host from another.
type settings struct {
	device  string // the RDMA device under test; empty for the first one
	program program
	ours    bool                 // a guest: may be configured, its clock set, powered off
	version string               // of the rdma-core in the program's root
	others  map[string]guestRoot // of a guest, by name: what the suite may choose instead of program and version
}

// host is one session's state. What cannot change while the host is up was read before the session.
type host struct {
	settings
	identity identity
	claims   spec.Capabilities
	agents   *agents
	log      *kernelLog
	fresh    view // of a guest, before its first session: what applications change
	ground   view // of it, likewise: what only configure changes

	mu         sync.Mutex
	nonce      string
	undos      map[int]step // changes not yet taken back
	configured bool         // in this world, if only in part
	lastUndo   int
}

func newHost(s settings) (*host, error) {
	id, err := identify(s.device)
	if err != nil {
		return nil, err
	}
	log, err := openKernelLog()
	if err != nil {
		return nil, err
	}
	s.device = id.device
	h := &host{settings: s, identity: id, agents: newAgents(s.program), log: log, undos: map[int]step{}}
	h.claims = h.capabilities()
	return h, nil
}

// concurrentRequests bounds the requests served at once; each agent has a HostWait open.
const concurrentRequests = 512

// streamHeaderMax bounds a stream's first line.
const streamHeaderMax = 1 << 10

// serve greets the suite and serves it until the connection ends, then ends every agent.
func (h *host) serve(conn io.ReadWriteCloser) error {
	defer h.agents.killAll()
	if _, err := io.WriteString(conn, wire.Greeting); err != nil {
		return fmt.Errorf("greeting: %w", err)
	}
	config := yamux.DefaultConfig()
	// A stopped guest is not a lost one, and a lost one shows as the end of the connection.
	config.EnableKeepAlive = false
	config.ConnectionWriteTimeout = time.Minute
	config.LogOutput = io.Discard
	session, err := yamux.Server(conn, config)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	for {
		stream, err := session.AcceptStream()
		if err != nil {
			return nil // the suite hung up
		}
		go h.serveStream(stream)
	}
}

func (h *host) serveStream(stream *yamux.Stream) {
	defer func() { _ = stream.Close() }()
	in := bufio.NewReaderSize(stream, streamHeaderMax)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return
	}
	var s wire.Stream
	if json.Unmarshal(line, &s) != nil {
		return
	}
	switch s.Kind {
	case wire.Control:
		options := &jrpc2.ServerOptions{Concurrency: concurrentRequests}
		_ = jrpc2.NewServer(h.methods(), options).Start(requests{channel.Line(in, stream)}).Wait()
	case wire.Stdio:
		if a := h.agents.find(s.Agent); a != nil {
			a.relayStdio(in, stream)
		}
	case wire.Stderr:
		if a := h.agents.find(s.Agent); a != nil {
			a.stderr.copyTo(stream)
		}
	}
}

// requests is a channel that ends at the first message that is no request with a number, which is all that a suite
// sends. The library answers some others by a channel that has ended meanwhile, and panics.
type requests struct{ channel.Channel }

// Recv implements channel.Channel.
func (r requests) Recv() ([]byte, error) {
	message, err := r.Channel.Recv()
	if err != nil {
		return nil, err
	}
	var request map[string]json.RawMessage
	if err := json.Unmarshal(message, &request); err != nil {
		return nil, fmt.Errorf("no request: %w", err)
	}
	if _, err := strconv.ParseUint(string(request["id"]), 10, 64); err != nil {
		return nil, errors.New("a request without a number")
	}
	return message, nil
}

// Package wire holds the messages between the suite, a host program and an agent.
//
// A host program has one connection: a virtio-serial port, or a socket pair. It sends Greeting, then speaks yamux as
// the server side. Every stream is opened by the suite and begins with one line, a Stream in JSON:
//
//	{"kind":"control"}             JSON-RPC 2.0, one message a line: the Host* methods
//	{"kind":"stdio","agent":3}     an agent's standard input and output
//	{"kind":"stderr","agent":3}    what that agent wrote to its standard error
//
// An agent is one RDMA application. It speaks JSON-RPC 2.0, one message a line, over its standard input and output. Its
// methods are the C names of package call with that package's arguments as params; each answers a Result. A script's
// tallies count by numbers, of errno and of event types. InFlight and Libraries are the methods that are no calls.
package wire

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"joinmcast/spec"
)

// Greeting is the host program's first line on a new connection.
const Greeting = "joinmcast-host 1\n"

// MaxLine is the longest message an agent reads or writes, in bytes with its newline; a longer one ends the agent.
const MaxLine = 64 << 10

// Stream is the first line of a stream.
type Stream struct {
	Kind  string `json:"kind"`
	Agent int    `json:"agent,omitempty"`
}

// Kinds of streams.
const (
	Control = "control"
	Stdio   = "stdio"
	Stderr  = "stderr"
)

// InFlight is the agent's method that lists the open calls; it takes no params and answers InFlightAnswer.
const InFlight = "in_flight"

// InFlightAnswer is the answer of InFlight, oldest call first; in_flight itself is not listed. Those that are blocked
// are so at the same time.
type InFlightAnswer struct {
	Calls []spec.InFlight `json:"calls"`
}

// Barrier is how InFlight lists a sequence of a script that waits for the others of its round.
const Barrier = "barrier"

// Libraries is the agent's method that lists what it runs on; it opens the RDMA devices first, takes no params and
// answers LibrariesAnswer.
const Libraries = "libraries"

// LibrariesAnswer is the answer of Libraries: every shared object in the agent's memory, by the path it was mapped
// from, with its GNU build-id in hexadecimal, empty when it has none.
type LibrariesAnswer struct {
	Libraries map[string]string `json:"libraries"`
}

// Result is an agent's answer to a call: the raw return value (a pointer is 0 for NULL and 1 otherwise), errno right
// after the call, which was zeroed before it, and the call's answer where package call has one. OK tells whether the
// call succeeded by its own convention.
type Result struct {
	OK     bool            `json:"ok"`
	Ret    int             `json:"ret"`
	Errno  spec.Errno      `json:"errno"`
	Answer json.RawMessage `json:"answer,omitempty"`
}

// UnmarshalJSON refuses a result that lacks one of its parts but the answer: what is not said is not 0.
func (r *Result) UnmarshalJSON(text []byte) error {
	var said struct {
		OK     *bool           `json:"ok"`
		Ret    *int            `json:"ret"`
		Errno  *spec.Errno     `json:"errno"`
		Answer json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return err
	}
	if said.OK == nil || said.Ret == nil || said.Errno == nil {
		return fmt.Errorf("want ok, ret and errno, got %.80s", text)
	}
	*r = Result{*said.OK, *said.Ret, *said.Errno, said.Answer}
	return nil
}

// Methods of a host program's control stream.
const (
	HostHello       = "hello"       // HelloParams -> HelloAnswer; once, before all else
	HostEnvironment = "environment" // no params -> spec.HostEnvironment
	HostPorts       = "ports"       // no params -> PortsAnswer
	HostObserve     = "observe"     // no params -> spec.HostState
	HostConfigure   = "configure"   // spec.Change -> ConfigureAnswer
	HostUndo        = "undo"        // UndoParams -> nothing
	HostStart       = "start"       // StartParams -> StartAnswer
	HostWait        = "wait"        // AgentParams -> spec.Exit, when the agent has ended
	HostKill        = "kill"        // AgentParams -> nothing; SIGKILL to the agent's process group
	HostSignal      = "signal"      // SignalParams -> nothing
	HostRenew       = "renew"       // no params -> RenewAnswer; a guest's host program only
	HostPowerOff    = "poweroff"    // no params -> nothing; a guest's host program only
)

// HelloParams hand the run's nonce and fresh randomness to a host, and set a guest's clock.
type HelloParams struct {
	Nonce    string `json:"nonce"`
	Entropy  string `json:"entropy"`   // hexadecimal, mixed into the kernel's pool
	UnixNano int64  `json:"unix_nano"` // a guest sets its clock to it, a host that is not ours leaves its own
	// RDMACore names one of those that a guest holds, for its agents to run on; empty for the first.
	RDMACore string `json:"rdma_core,omitempty"`
}

// HelloAnswer says what the host program is and may do.
type HelloAnswer struct {
	Nonce        string            `json:"nonce"` // as kept by the host
	Capabilities spec.Capabilities `json:"capabilities"`
	Detectors    []string          `json:"detectors"`
	Transport    spec.Transport    `json:"transport"`
	Addr         netip.Addr        `json:"addr"`  // the address specs bind to
	Ports        []spec.Port       `json:"ports"` // as they were when the host program began, the one under test first
}

// PortsAnswer lists the RDMA ports, the one under test first.
type PortsAnswer struct {
	Ports []spec.Port `json:"ports"`
}

// ConfigureAnswer names a change, for HostUndo.
type ConfigureAnswer struct {
	Undo int `json:"undo"`
}

// UndoParams name a change to take back.
type UndoParams struct {
	Undo int `json:"undo"`
}

// RenewAnswer says how a guest differs from what it was before its first world, a line each. If it does not, another
// world has begun on it: the kernel log is marked anew.
type RenewAnswer struct {
	Spoiled []string `json:"spoiled,omitempty"`
}

// StartParams say what kind of agent to start; without them it is a plain one.
type StartParams struct {
	Mischief bool `json:"mischief"` // with what spec.Mischief needs preloaded
}

// StartAnswer names a started agent.
type StartAnswer struct {
	Agent int `json:"agent"`
}

// AgentParams name an agent.
type AgentParams struct {
	Agent int `json:"agent"`
}

// SignalParams name an agent and a signal, by number.
type SignalParams struct {
	Agent  int `json:"agent"`
	Signal int `json:"signal"`
}

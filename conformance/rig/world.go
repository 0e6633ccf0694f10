// Package rig arranges a spec's world: fresh hosts, processes, ids, QPs and groups, each taken down in the order
// librdmacm needs, newest first. ID is the object most specs hold.
//
// A step named Must… fails the spec when the stack refuses it, and names the requirement it leaned on; all others
// return what the stack answered, for the spec to judge.
package rig

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/conformance/match"
	"joinmcast/spec"
	"joinmcast/spec/trace"
)

// World is the current spec's: fresh hosts, the recording of the calls on them, and what it has seen.
type World struct {
	hosts     []*Host
	transport spec.Transport
	mlids     map[spec.GID]uint16 // that JOIN events have told
	log       *trace.Log
	record    *Record
	random    *rand.Rand
	groups    map[netip.Addr]bool
	deadline  time.Duration
	live      []*Process
}

// world is the current spec's. Ginkgo runs one spec at a time in a process.
var world *World

// Begin makes backend the current spec's world; env is what it told of itself. Seed drives the groups; every call of
// the stack ends after deadline.
func Begin(
	backend spec.Backend, env spec.Environment, record *Record, seed int64, deadline time.Duration,
) *World {
	world = &World{
		transport: env.Transport,
		mlids:     map[spec.GID]uint16{},
		log:       &trace.Log{},
		record:    record,
		random:    rand.New(rand.NewPCG(uint64(seed), 0)),
		groups:    map[netip.Addr]bool{},
		deadline:  deadline,
	}
	for i, h := range backend.Hosts() {
		host := &Host{Host: h, name: fmt.Sprintf("host%d", i), world: world}
		if i < len(env.Hosts) {
			host.gid = env.Hosts[i].GID
		}
		world.hosts = append(world.hosts, host)
	}
	return world
}

// Trace is the recording of the world's calls, a line a call.
func (w *World) Trace() []string { return w.log.Lines() }

// Calls is the recording of the world's calls.
func (w *World) Calls() []trace.Row { return w.log.Rows() }

// Hosts are the world's hosts, the one under test first.
func (w *World) Hosts() []*Host { return w.hosts }

// Groups are the groups the spec has used.
func (w *World) Groups() map[netip.Addr]bool { return w.groups }

// End ends every process of the world that is still there.
func (w *World) End(ctx context.Context) error {
	var first error
	for i := len(w.live) - 1; i >= 0; i-- {
		if err := w.live[i].end(ctx); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Observe keeps a symbol under one of the requirement's observe fields: an errno's name, an event type, "group". Never
// an address or a time, which differ between runs that agree.
func Observe(field, symbol string) { world.record.observe(field, symbol) }

// ObserveCall keeps what a call answered, by name: "0", "EINVAL", "HANG", "SIGSEGV".
func ObserveCall(field string, err error) { world.record.observe(field, spec.Outcome(err)) }

// must fails the spec when err is not nil; the spec is then blocked by the requirement the step leaned on.
func must(err error, leansOn string, annotation ...any) {
	ginkgo.GinkgoHelper()
	if err != nil {
		world.record.block(leansOn)
		gomega.Expect(err).To(match.ReturnZero(), annotation...)
	}
}

// Control fails the spec when a control did not answer 0: what the spec judges cannot be told then, and the spec is
// blocked by the requirement that the control leans on.
func Control(leansOn string, answer error, what string) {
	ginkgo.GinkgoHelper()
	must(answer, leansOn, "control: "+what)
}

// Group is a multicast group no other spec of the run uses.
type Group struct{ Addr netip.Addr }

// NewGroup draws a group from 239.0.0.0/8, the range for private use (RFC 2365). Groups of one spec differ in the bits
// that make the link-layer address too. The seed alone decides: specs that run side by side have worlds of their own.
func NewGroup() Group {
	for {
		low := world.random.Uint32N(1 << 23)
		a := netip.AddrFrom4([4]byte{239, byte(low >> 16), byte(low >> 8), byte(low)})
		if !world.groups[a] && low&0xff != 0 {
			world.groups[a] = true
			return Group{Addr: a}
		}
	}
}

// NewTwins draws two groups that share their link-layer address: an IPv4 group's has only 23 of its bits (RFC 1112).
func NewTwins() (Group, Group) {
	group := NewGroup()
	b := group.Addr.As4()
	b[1] |= 0x80
	twin := Group{Addr: netip.AddrFrom4(b)}
	world.groups[twin.Addr] = true
	return group, twin
}

// NewGroups draws n groups in a row, each the next address of the one before, as the rounds of a script name them.
func NewGroups(n int) []Group {
	for {
		low := world.random.Uint32N(1<<23 - uint32(n))
		groups := make([]Group, n)
		for i := range groups {
			at := low + uint32(i)
			groups[i] = Group{Addr: netip.AddrFrom4([4]byte{239, byte(at >> 16), byte(at >> 8), byte(at)})}
		}
		if !slices.ContainsFunc(groups, func(g Group) bool { return world.groups[g.Addr] }) {
			for _, g := range groups {
				world.groups[g.Addr] = true
			}
			return groups
		}
	}
}

// Sockaddr is the group as the calls take it, port 0.
func (g Group) Sockaddr() spec.Sockaddr { return spec.NewSockaddr(g.Addr, 0) }

// WithPort is the group as the calls take it, with a port.
func (g Group) WithPort(port uint16) spec.Sockaddr { return spec.NewSockaddr(g.Addr, port) }

// NewContext draws a pointer that no other join of the spec carries.
func NewContext() spec.Context {
	return spec.Context(world.random.Uint64()>>17 | 1)
}

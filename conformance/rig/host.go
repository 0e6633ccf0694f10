package rig

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/conformance/match"
	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/trace"
)

// Host is one of the world's hosts.
type Host struct {
	spec.Host
	name      string
	gid       string // of the address that specs bind to
	world     *World
	before    *spec.HostState // when the spec began to use it; nil: it never did
	ports     []spec.Port
	processes int
}

// HostAt is the world's i-th host, the one under test first.
func HostAt(i int) *Host { return world.hosts[i] }

// MustStart starts an application on this host. It ends with the spec.
func (h *Host) MustStart(ctx context.Context) *Process {
	ginkgo.GinkgoHelper()
	return h.start(ctx, h.Start)
}

// MustStartMischief starts an application whose calls of spec.Mischief work. It ends with the spec.
func (h *Host) MustStartMischief(ctx context.Context) *Process {
	ginkgo.GinkgoHelper()
	saboteur, ok := h.Host.(spec.Saboteur)
	if !ok {
		h.must(fmt.Errorf("%s claims the capability %q and is no spec.Saboteur", h.name, spec.HasMischief), "start mischief")
	}
	return h.start(ctx, saboteur.StartMischief)
}

func (h *Host) start(ctx context.Context, starts func(context.Context) (spec.Process, error)) *Process {
	ginkgo.GinkgoHelper()
	h.use(ctx)
	next, err := starts(ctx)
	h.world.record.note(err)
	gomega.Expect(err).To(match.HaveWorked(), "start a process on %s", h.name)
	h.processes++
	recorded := trace.Record(h.world.log, fmt.Sprintf("%s/%d", h.name, h.processes), next)
	guard := &guard{next: recorded, deadline: h.world.deadline, note: h.world.record.note}
	p := &Process{
		Port: call.Port{Caller: guard}, host: h, next: next, recorded: recorded, unacked: map[spec.EventRef]bool{},
	}
	h.world.live = append(h.world.live, p)
	return p
}

// Port is the host's port under test.
func (h *Host) Port(ctx context.Context) spec.Port {
	ginkgo.GinkgoHelper()
	h.use(ctx)
	if h.ports == nil {
		ports, err := h.Ports(ctx)
		h.must(err, "read the RDMA ports of "+h.name)
		if len(ports) == 0 {
			h.must(fmt.Errorf("%s has no RDMA port", h.name), "find the port under test")
		}
		h.ports = ports
	}
	return h.ports[0]
}

// use observes the host before the spec's first use of it, for the comparison afterwards. A host that a spec does not
// use is not asked: guests sleep until they are.
func (h *Host) use(ctx context.Context) {
	ginkgo.GinkgoHelper()
	if h.before != nil {
		return
	}
	state, err := h.Observe(ctx)
	h.must(err, "observe "+h.name)
	h.before = &state
}

// Name is the host's as messages call it: "host0".
func (h *Host) Name() string { return h.name }

// Before is the host's state when the spec began to use it, nil when it never did.
func (h *Host) Before() *spec.HostState { return h.before }

// must fails the spec as the harness's fault: observing or changing a host is no call of the stack.
func (h *Host) must(err error, step string) {
	ginkgo.GinkgoHelper()
	h.world.record.note(err)
	gomega.Expect(err).To(match.HaveWorked(), step)
}

// MustRoute sends a prefix out of the network device under test, until the spec ends.
func (h *Host) MustRoute(ctx context.Context, prefix netip.Prefix) {
	ginkgo.GinkgoHelper()
	h.MustConfigure(ctx, spec.Change{AddRoute: &spec.Route{Prefix: prefix, Netdev: h.Port(ctx).Netdev}})
}

// MustConfigure changes the host until the spec ends, or until undo is called before that.
func (h *Host) MustConfigure(ctx context.Context, c spec.Change) (undo func(ctx context.Context)) {
	ginkgo.GinkgoHelper()
	takeBack, err := h.configurer().Configure(ctx, c)
	h.must(err, "configure "+h.name)
	return h.undoOnce(takeBack, "undo a change of "+h.name)
}

// undoOnce takes something back when the spec ends, or when it is called before that.
func (h *Host) undoOnce(takeBack func(context.Context) error, step string) (undo func(ctx context.Context)) {
	undone := false
	undo = func(ctx context.Context) {
		ginkgo.GinkgoHelper()
		if !undone {
			undone = true
			h.must(takeBack(ctx), step)
		}
	}
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { undo(ctx) })
	return undo
}

// MustSetRoCEMode changes the default RoCE mode of the port under test until the spec ends, or until undo is called.
func (h *Host) MustSetRoCEMode(ctx context.Context, m spec.RoCEMode) (undo func(ctx context.Context)) {
	ginkgo.GinkgoHelper()
	port := h.Port(ctx)
	return h.MustConfigure(ctx, spec.Change{SetRoCEMode: &spec.RoCEModeChange{
		Device: port.Device, Port: port.Num, Mode: m,
	}})
}

func (h *Host) configurer() spec.Configurer {
	ginkgo.GinkgoHelper()
	configurer, ok := h.Host.(spec.Configurer)
	if !ok {
		h.must(fmt.Errorf("%s claims the capability %q and offers no spec.Configurer", h.name, spec.Configure), "configure")
	}
	return configurer
}

// MustObserve is what the host shows now.
func (h *Host) MustObserve(ctx context.Context) spec.HostState {
	ginkgo.GinkgoHelper()
	h.use(ctx)
	state, err := h.Observe(ctx)
	h.must(err, "observe "+h.name)
	return state
}

// IGMPUsers is how many users each group has on the network device under test.
func (h *Host) IGMPUsers(ctx context.Context, groups ...Group) []int {
	ginkgo.GinkgoHelper()
	return h.IGMPUsersOn(ctx, h.Port(ctx).Netdev, groups...)
}

// IGMPUsersOn is how many users each group has on a network device.
func (h *Host) IGMPUsersOn(ctx context.Context, netdev string, groups ...Group) []int {
	ginkgo.GinkgoHelper()
	state := h.MustObserve(ctx)
	users := make([]int, len(groups))
	for i, g := range groups {
		for _, m := range state.IGMP {
			if m.Netdev == netdev && m.Group == g.Addr {
				users[i] = m.Users
			}
		}
	}
	return users
}

// HasFilter is "in" when the network device under test takes in frames to the group's link-layer address, and "out"
// when it does not.
func (h *Host) HasFilter(ctx context.Context, group Group) string {
	ginkgo.GinkgoHelper()
	netdev, state := h.Port(ctx).Netdev, h.MustObserve(ctx)
	for _, f := range state.Filters {
		if f.Netdev == netdev && f.Addr == group.MAC() {
			return "in"
		}
	}
	return "out"
}

package walk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"joinmcast/spec"
)

// Ground is a stack that walks are played on, one after the other in one world, until one leaves something behind.
type Ground struct {
	lab       spec.Lab
	fresh     bool          // every walk has a world of its own
	look      time.Duration // how soon an open call is looked at
	laterLook time.Duration // the same of one that should end: a look costs a guest as much as a call
	patience  time.Duration // how long a call may sleep that should end
	weights   Weights       // of the calls that are drawn

	world spec.Backend
	walks int // in this world
	hosts []spec.Host
	base  map[int]spec.HostState // of the hosts that a walk has used

	known []Known // differences of this world's stack from the one that walks are drawn on
	all   []Known // of all stacks; nil: the suite's own
}

// A pair of guests is used for this many walks, so that what one walk leaves behind unseen meets few others, and the
// filters left behind do not fill the table of a network device.
const walksPerWorld = 100

// NewGround is a ground of one lab. A simulated one gives each walk a world of its own.
func NewGround(lab spec.Lab, simulated bool) *Ground {
	if simulated {
		return &Ground{lab: lab, fresh: true, look: time.Millisecond, laterLook: time.Millisecond, weights: weights}
	}
	return &Ground{
		lab: lab, look: 5 * time.Millisecond, laterLook: 200 * time.Millisecond, patience: 5 * time.Second, weights: weights,
	}
}

// ready has a world with hosts that are known.
func (g *Ground) ready(ctx context.Context, seed int64) error {
	if g.world != nil && !g.fresh && g.walks < walksPerWorld {
		return nil
	}
	if err := g.Leave(ctx); err != nil {
		return err
	}
	world, err := g.lab.Fresh(ctx, seed)
	if err != nil {
		return err
	}
	g.world, g.hosts, g.walks = world, world.Hosts(), 0
	g.base = map[int]spec.HostState{}
	return g.learn(ctx)
}

// use makes a host's address a symbol of the walk, and looks at the host before anything is done to it.
func (g *Ground) use(ctx context.Context, r *run, number int) error {
	if number >= len(g.hosts) {
		return fmt.Errorf("the walk speaks of host %d, and there are %d", number, len(g.hosts))
	}
	if r.used[number] {
		return nil
	}
	r.used[number] = true
	ports, err := g.hosts[number].Ports(ctx)
	if err != nil {
		return err
	}
	port, addr, ok := local(ports)
	if !ok {
		return fmt.Errorf("host %d has no port with an IPv4 address", number)
	}
	r.symbols.host(number, addr, port)
	r.ethernet = r.ethernet || port.LinkLayer == "Ethernet"
	if _, ok := g.base[number]; !ok {
		g.base[number], err = g.hosts[number].Observe(ctx)
	}
	return err
}

// Leave closes the world: the next walk has a fresh one.
func (g *Ground) Leave(ctx context.Context) error {
	if g.world == nil {
		return nil
	}
	err := g.world.Close(ctx)
	g.world = nil
	return err
}

// begin is a run of a walk in the ground's world.
func (g *Ground) begin(ctx context.Context, walkSeed uint64, worldSeed int64) (*run, error) {
	if err := g.ready(ctx, worldSeed); err != nil {
		return nil, err
	}
	g.walks++
	r := &run{
		ground: g, symbols: newSymbols(walkSeed), board: newBoard(), agents: map[string]*agent{},
		undo: map[string]func(context.Context) error{}, used: map[int]bool{},
	}
	return r, g.use(ctx, r, 0)
}

// start starts a process that can do mischief where the host lets it.
func (g *Ground) start(ctx context.Context, host int) (spec.Process, error) {
	if s, ok := g.hosts[host].(spec.Saboteur); ok {
		return s.StartMischief(ctx)
	}
	return g.hosts[host].Start(ctx)
}

// finish ends a run. Link-layer filters that it leaves behind, which are of its own groups, become part of the base of
// the next; with anything else left behind a world is used no more: a membership that was left, for one, loses its
// filter when the link goes down. found is what no walk may leave behind.
func (g *Ground) finish(ctx context.Context, r *run) (found string, err error) {
	if err := r.end(ctx); err != nil {
		return "", errors.Join(err, g.Leave(ctx))
	}
	for _, i := range slices.Sorted(maps.Keys(r.used)) {
		state, err := g.hosts[i].Observe(ctx)
		if err != nil {
			return "", errors.Join(err, g.Leave(ctx))
		}
		if lines := newLines(g.base[i], state); len(lines) > 0 {
			found = fmt.Sprintf("host%d logged %q", i, lines)
		} else if state.Taint != g.base[i].Taint {
			found = fmt.Sprintf("host%d is tainted", i)
		}
		clean := maps.Equal(state.Resources, g.base[i].Resources) && slices.Equal(state.IGMP, g.base[i].IGMP)
		if found != "" || r.shifted || !clean {
			return found, g.Leave(ctx)
		}
		g.base[i] = state
	}
	return found, nil
}

// Play plays a whole walk; want is what another stack told of it, or nil. The walk is over where the stack crashed.
func (g *Ground) Play(
	ctx context.Context, w Walk, worldSeed int64, want []Told,
) (told []Told, found string, err error) {
	r, err := g.begin(ctx, w.Seed, worldSeed)
	if err != nil {
		return nil, "", err
	}
	for i, s := range w.Steps {
		var expected *Told
		if i < len(want) {
			expected = &want[i]
		}
		t, err := r.play(ctx, i+1, s, expected)
		if err != nil {
			_ = r.end(ctx)
			return told, "", errors.Join(fmt.Errorf("step %d, %s: %w", i+1, s, err), g.Leave(ctx))
		}
		told = append(told, t)
		if expected != nil && t.String() != expected.String() && !w.races() {
			if _, ok := g.explains(s, *expected, t); !ok {
				break // what follows a difference is no news
			}
		}
	}
	found, err = g.finish(ctx, r)
	return told, found, err
}

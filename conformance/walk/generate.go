package walk

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
)

// Length is how many steps a walk draws. What follows them shows how it all ended.
const Length = 30

// Draw draws the walk of a seed on a stack, and tells what it told.
func Draw(ctx context.Context, g *Ground, seed uint64) (w Walk, told []Told, err error) {
	r, err := g.begin(ctx, seed, int64(seed))
	if err != nil {
		return w, nil, err
	}
	w.Seed = seed
	d := &drawer{
		rand: rand.New(rand.NewPCG(seed, 0)), run: r, board: r.board, counts: map[string]int{}, made: map[string]int{},
		prepared: map[string]bool{},
	}
	d.theme = themes[themeOf(seed)]
	d.stories = d.theme.someStories(d.rand)
	d.storyFrom = d.rand.IntN(storiesUntil)
	if len(d.theme.others) > 0 && d.chance(8) {
		d.other = one(d, d.theme.others...)
	}
	play := func(s Step) error {
		t, err := r.play(ctx, len(w.Steps)+1, s, nil)
		if err != nil {
			return fmt.Errorf("walk %d, step %d, %s: %w", seed, len(w.Steps)+1, s, err)
		}
		w.Steps, told = append(w.Steps, s), append(told, t)
		return nil
	}
	for len(w.Steps) < Length && err == nil {
		s := d.next()
		d.made[s.Call]++
		d.steps++
		err = play(s)
	}
	for _, s := range d.closing() {
		if err == nil && r.undefined(s) == "" {
			err = play(s)
		}
	}
	if err != nil {
		return w, told, errors.Join(err, r.end(ctx), g.Leave(ctx))
	}
	_, err = g.finish(ctx, r)
	return w, told, err
}

// drawer draws the steps of one walk, with the board of the run that plays them.
type drawer struct {
	rand   *rand.Rand
	run    *run
	board  *board
	theme  theme
	queue  []Step // steps that go together and are not yet made
	counts map[string]int
	by     string // the process of this step
	other  string // a process beside p1; empty: none

	stories   []story // the walk tells the first one that has something to begin with
	storyFrom int     // is the first step that may begin it

	steps    int             // made
	made     map[string]int  // calls by name
	prepared map[string]bool // processes that have made their theme's first steps
}

// next is the next step that is defined.
func (d *drawer) next() Step {
	race := d.chance(raceIn)
	removal := d.steps >= removalFrom && d.chance(removalIn)
	if s, ok := d.queued(); ok {
		return s
	}
	d.by = d.process()
	if !d.prepared[d.by] {
		d.prepared[d.by] = true
		if s, ok := d.beginAnew(); ok {
			return s
		}
	}
	if _, ok := d.id(always); !ok && d.chance(anewIn) {
		if s, ok := d.beginAnew(); ok {
			return s
		}
	}
	if removal {
		if s, ok := d.begin(deviceGone(d)); ok {
			return s
		}
	}
	if s, ok := d.story(); ok {
		return s
	}
	if race {
		if s, ok := d.race(); ok {
			return s
		}
	}
	for {
		for _, name := range d.theme.order(d.rand, d.run.ground.weights, d.made) {
			if s, ok := draws[name](d); ok && d.run.undefined(s) == "" {
				if s.By == "" {
					s.By = d.by
				}
				return s
			}
			d.queue = nil
		}
		d.by = "p1" // another may be unable to do anything, as one that starts when the device is gone
		if s, ok := d.beginAnew(); ok {
			return s
		}
	}
}

// queued is the first of the steps that go together that is defined; those before it are left out.
func (d *drawer) queued() (s Step, ok bool) {
	for len(d.queue) > 0 {
		s, d.queue = d.queue[0], d.queue[1:]
		if d.run.undefined(s) == "" {
			return s, true
		}
	}
	return unmade, false
}

// begin begins steps that go together.
func (d *drawer) begin(steps []Step) (first Step, ok bool) {
	d.queue = steps
	return d.queued()
}

// beginAnew begins what the theme begins with.
func (d *drawer) beginAnew() (first Step, ok bool) { return d.begin(d.theme.prelude(d)) }

// story begins the walk's story when its time has come: the first one that has something to begin with.
func (d *drawer) story() (first Step, ok bool) {
	if d.steps < d.storyFrom {
		return unmade, false
	}
	for len(d.stories) > 0 && !ok {
		tell := d.stories[0]
		d.stories = d.stories[1:]
		first, ok = d.begin(tell(d))
	}
	if ok {
		d.stories = nil
	}
	return first, ok
}

const (
	storiesUntil = Length - 14 // is the first step that begins no story: most are over by the end
	anewIn       = 12          // steps of a process without an id to what its theme begins with
	raceIn       = 5           // steps to a race, where one can be run
	removalFrom  = Length - 12 // is the first step that may remove the device: what follows finds little to do
	removalIn    = 100         // steps from there to a removal
)

// process is who makes the next step: most often the first one.
func (d *drawer) process() string {
	if d.other != "" && d.chance(6) {
		return d.other
	}
	return "p1"
}

// here is the address of the process's host.
func (d *drawer) here() string {
	if hostOf(d.by) == 1 {
		return "peer"
	}
	return "local"
}

// fresh is a symbol that nothing has had.
func (d *drawer) fresh(kind string) string {
	d.counts[kind]++
	return fmt.Sprintf("%s%d", kind, d.counts[kind])
}

// one of some.
func one[T any](d *drawer, some ...T) T { return some[d.rand.IntN(len(some))] }

// chance is true once in n.
func (d *drawer) chance(n int) bool { return d.rand.IntN(n) == 0 }

// closing are the steps that show how a walk has ended; those that are undefined by then are left out.
func (d *drawer) closing() []Step {
	var steps []Step
	b := d.board
	for _, name := range b.undoable() {
		steps = append(steps, undone(name))
	}
	for _, name := range live(b.channels, func(c *channel) bool { return !c.gone && !c.off && !c.blocking }) {
		c := b.channels[name]
		for range len(c.unread) + 1 {
			steps = append(steps, Step{
				By: c.by, Call: "rdma_get_cm_event", Args: map[string]any{"channel": name, "nowhere": false}, Gives: d.fresh("ev"),
			})
		}
	}
	for _, name := range live(b.qps, func(q *qp) bool { return !q.gone }) {
		for _, group := range []string{"group1.gid", "group2.gid", "group3.gid"} {
			steps = append(steps, Step{
				By: b.qps[name].by, Call: "ibv_detach_mcast", Args: map[string]any{"qp": name, "gid": group, "mlid": 0},
			})
		}
	}
	for _, name := range live(b.procs, func(p *proc) bool { return !p.ended }) {
		steps = append(steps, Step{By: name, Call: "allocations"})
	}
	steps = append(steps, observed)
	for _, name := range live(b.procs, func(p *proc) bool { return !p.ended }) {
		steps = append(steps, Step{By: name, Call: Kill})
	}
	return append(steps, observed)
}

package walk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// Told is what one step told.
type Told struct {
	Answer string   // the call's own, "blocked", or why it was not made
	Ended  []string // what earlier calls answered that this step let end
	Shown  []string // what the ids that the step speaks of show

	silent bool // an event that should have come did not
}

// String is all of it, in one line.
func (t Told) String() string {
	return strings.Join(slices.Concat([]string{t.Answer}, t.Ended, t.Shown), "; ")
}

// blocked is the answer of a call that is asleep, with nothing of its own to wake it.
const blocked = "blocked"

// run is one walk on one backend.
type run struct {
	ground   *Ground
	symbols  *symbols
	board    *board
	agents   map[string]*agent
	order    []string // of the agents, oldest first
	undo     map[string]func(context.Context) error
	used     map[int]bool // hosts
	shifted  bool         // GIDs may have other indexes than before, or there is no device
	removal  *removal     // of the device of host 0
	crashed  bool
	ethernet bool // a host has such a port
	silent   bool // of this step: an event that should come does not
}

// agent is a process of the walk with its open calls.
type agent struct {
	name string
	spec.Process
	open []*flight
}

// flight is a call that has begun.
type flight struct {
	step   int
	method string
	done   chan struct{}
	answer any
	err    error
	slept  bool
	ended  func(*flight) string // accounts for its answer and gives the text
}

// deadlineOfCall is the net under every call; a call that is asleep is proved so long before.
const deadlineOfCall = 20 * time.Second

// play makes a step. want is what the other stack told, if there is one: a call that has ended there is waited for.
func (r *run) play(ctx context.Context, number int, s Step, want *Told) (told Told, err error) {
	ctx, cancel := context.WithTimeout(ctx, deadlineOfCall)
	defer cancel()
	if why := r.undefined(s); why != "" {
		return Told{Answer: "not made: " + why}, nil
	}
	if !isProcess(s.By) || s.Call == Kill {
		if told.Answer, err = r.toHost(ctx, s); err == nil {
			told.Ended, err = r.collect(ctx, want)
		}
		return told, err
	}
	a, err := r.agent(ctx, s.By)
	if err != nil {
		return told, err
	}
	r.silent = want != nil && want.silent
	if err := r.settleBefore(ctx, a, s); err != nil {
		return told, err
	}
	f, err := r.begin(ctx, a, number, s)
	if err != nil {
		return told, err
	}
	over, err := r.rest(ctx, a, f, want == nil || want.Answer != blocked)
	switch {
	case err != nil:
		return told, err
	case over:
		told.Answer = f.ended(f)
	default:
		told.Answer, f.slept = blocked, true
		a.open = append(a.open, f)
		r.slept(s)
	}
	if s.Call == "ibv_post_send" {
		// A simulated world comes to rest when it is looked at: what was sent has arrived.
		if _, err := a.InFlight(ctx); err != nil && !isCrash(err) {
			return told, err
		}
	}
	if told.Ended, err = r.collect(ctx, want); err != nil {
		return told, err
	}
	if err := r.settleAfter(ctx, a); err != nil {
		return told, err
	}
	told.silent = r.silent
	told.Shown, err = r.show(ctx, a, s)
	return told, err
}

// agent is a process of the walk, started when it is first named.
func (r *run) agent(ctx context.Context, name string) (*agent, error) {
	if a := r.agents[name]; a != nil {
		return a, nil
	}
	host := hostOf(name)
	if err := r.ground.use(ctx, r, host); err != nil {
		return nil, err
	}
	p, err := r.ground.start(ctx, host)
	if err != nil {
		return nil, err
	}
	a := &agent{name: name, Process: p}
	r.agents[name], r.board.procs[name] = a, &proc{}
	r.order = append(r.order, name)
	return a, nil
}

// begin begins a call of a process.
func (r *run) begin(ctx context.Context, a *agent, number int, s Step) (*flight, error) {
	args, answer, ok := call.New(s.Call)
	if !ok {
		return nil, fmt.Errorf("step %d: no call is named %q", number, s.Call)
	}
	resolved, missing := r.symbols.resolve(s.Args)
	if len(missing) > 0 {
		return nil, fmt.Errorf("step %d: %s stands for nothing", number, missing[0])
	}
	if s.Args != nil {
		if err := into(resolved, args); err != nil {
			return nil, fmt.Errorf("step %d, %s: %w", number, s, err)
		}
	}
	f := &flight{step: number, method: s.Call, done: make(chan struct{}), answer: answer}
	f.ended = func(f *flight) string { return r.account(a, s, f) }
	launch(ctx, f, func(ctx context.Context) error { return call.Perform(ctx, a.Process, s.Call, args, answer) })
	return f, nil
}

// launch makes a flight's call, which only its process's end cuts short: a sleeper may be woken by any later step.
func launch(ctx context.Context, f *flight, perform func(context.Context) error) {
	ctx = spec.Concurrent(context.WithoutCancel(ctx))
	go func() {
		defer close(f.done)
		f.err = perform(ctx)
	}()
}

// rest waits until a call has come to rest: over, or asleep. One that should end is given time before it is looked at,
// and patience when it sleeps. Looking proves nothing: what it shows does.
func (r *run) rest(ctx context.Context, a *agent, f *flight, shouldEnd bool) (over bool, err error) {
	pause := r.ground.look
	if shouldEnd {
		pause = r.ground.laterLook
	}
	var asleepSince time.Time
	for {
		select {
		case <-f.done:
			return true, nil
		case <-ctx.Done():
			return false, fmt.Errorf("%s of step %d neither returns nor sleeps: %w", f.method, f.step, ctx.Err())
		case <-time.After(pause): // each look costs a guest the time that it needs for the call itself
		}
		asleep, err := a.asleep(ctx, f)
		switch {
		case err != nil && isCrash(err):
			<-f.done
			return true, nil
		case err != nil:
			return false, err
		case !asleep:
		case !shouldEnd || r.ground.patience == 0:
			return false, nil
		case asleepSince.IsZero():
			asleepSince = time.Now()
		case time.Since(asleepSince) > r.ground.patience:
			return false, nil
		}
	}
}

func isCrash(err error) bool {
	var crashed *spec.Crashed
	return errors.As(err, &crashed)
}

// asleep tells whether all calls that are open, f among them, are asleep at one time.
func (a *agent) asleep(ctx context.Context, f *flight) (bool, error) {
	calls, err := a.InFlight(ctx)
	if err != nil {
		return false, err
	}
	sleeping := map[string]int{}
	for _, c := range calls {
		if !c.Blocked {
			return false, nil
		}
		sleeping[c.Method]++
	}
	want := map[string]int{}
	for _, o := range a.open {
		want[o.method]++
	}
	if f != nil {
		want[f.method]++
	}
	for method, n := range want {
		if sleeping[method] < n {
			return false, nil
		}
	}
	return true, nil
}

// collect tells of the calls that were asleep and have ended, oldest first.
func (r *run) collect(ctx context.Context, want *Told) (texts []string, err error) {
	expected := 0
	if want != nil {
		expected = len(want.Ended)
	}
	var asleepSince time.Time
	var ended []*flight
	defer func() {
		slices.SortFunc(ended, func(a, b *flight) int { return a.step - b.step })
		for _, f := range ended {
			texts = append(texts, fmt.Sprintf("%s of step %d ended: %s", f.method, f.step, f.ended(f)))
		}
	}()
	for {
		settled := true
		for _, name := range r.order {
			a := r.agents[name]
			for k := 0; k < len(a.open); k++ {
				f := a.open[k]
				select {
				case <-f.done:
					a.open = slices.Delete(a.open, k, k+1)
					k--
					ended = append(ended, f)
				default:
				}
			}
			if len(a.open) == 0 {
				continue
			}
			asleep, err := a.asleep(ctx, nil)
			if err != nil && !isCrash(err) {
				return nil, err
			}
			settled = settled && asleep
		}
		switch {
		case settled && (len(ended) >= expected || r.ground.patience == 0):
			return nil, nil
		case settled && asleepSince.IsZero():
			asleepSince = time.Now()
		case settled && time.Since(asleepSince) > r.ground.patience:
			return nil, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("open calls neither return nor sleep: %w", err)
		}
	}
}

// settleBefore waits for the event that a retrieval is to find.
func (r *run) settleBefore(ctx context.Context, a *agent, s Step) error {
	if s.Call != "rdma_get_cm_event" || s.Args["nowhere"] == true {
		return nil
	}
	name := s.symbol("channel")
	if c := r.board.channels[name]; len(c.unread) > 0 {
		return r.await(ctx, a, name)
	}
	return nil
}

// settleAfter waits for the event that a call has begun, where the channel held none: it becomes readable. Behind an
// event that is there already, another's arrival cannot be seen.
func (r *run) settleAfter(ctx context.Context, a *agent) error {
	for _, name := range live(r.board.channels, func(c *channel) bool { return !c.gone && c.by == a.name && c.unproved }) {
		if c := r.board.channels[name]; len(c.unread) == 1 {
			if err := r.await(ctx, a, name); err != nil {
				return err
			}
			if c.unproved = c.polled; !c.unproved {
				if i := r.board.ids[c.unread[0].id]; i != nil && c.unread[0].join == nil {
					i.resolving = false
				}
			}
		}
	}
	return nil
}

// await returns when a channel is readable. One that stays empty although an event should come stays polled.
func (r *run) await(ctx context.Context, a *agent, name string) error {
	c := r.board.channels[name]
	if c.off || c.polled {
		return nil
	}
	handle, _ := r.symbols.values[name].(uint64)
	f := &flight{method: "poll", done: make(chan struct{}), ended: func(*flight) string { c.polled = false; return "0" }}
	launch(ctx, f, func(ctx context.Context) error { return a.PollChannel(ctx, spec.Channel(handle)) })
	over, err := r.rest(ctx, a, f, !r.silent)
	if err == nil && !over {
		c.polled, r.silent = true, true
		a.open = append(a.open, f)
	}
	return err
}

// end kills all processes and takes all changes back.
func (r *run) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, deadlineOfCall)
	defer cancel()
	var errs []error
	for _, name := range r.order {
		if _, err := r.agents[name].Kill(ctx); err != nil {
			errs = append(errs, err)
			continue // what it has begun may never end
		}
		for _, f := range r.agents[name].open {
			<-f.done
		}
		r.board.procs[name].ended = true
	}
	if err := r.awaitRemoval(ctx); err != nil {
		errs = append(errs, err)
	}
	for _, name := range r.board.undoable() {
		if err := r.undo[name](ctx); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

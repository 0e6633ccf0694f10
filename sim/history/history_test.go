package history

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

// How large a history is, and how many are made.
const (
	threads   = 3
	calls     = 8 // of a thread, before the id is destroyed
	histories = 300
)

// groups differ in address, or in port alone.
var groups = []spec.Sockaddr{
	spec.NewSockaddr(netip.MustParseAddr("239.1.2.3"), 0),
	spec.NewSockaddr(netip.MustParseAddr("239.1.2.3"), 7),
	spec.NewSockaddr(netip.MustParseAddr("239.3.2.1"), 0),
}

// patience is how long a call may take before it counts as hung. It decides nothing else.
const patience = time.Minute

// application is a process with one id, and the history of what its threads call on it.
type application struct {
	ctx     context.Context
	host    spec.Host
	process spec.Process
	channel spec.Channel
	id      spec.ID

	clock, numbers atomic.Int64
	lock           sync.Mutex
	history        []porcupine.Operation
	broken         error // the first answer that no call should give
}

func newApplication(ctx context.Context, seed int64, quirks ...string) (*application, error) {
	lab, err := sim.NewLab(sim.Options{Quirks: quirks})
	if err != nil {
		return nil, err
	}
	world, err := lab.Fresh(ctx, seed)
	if err != nil {
		return nil, err
	}
	a := &application{ctx: spec.Concurrent(ctx), host: world.Hosts()[0]}
	if a.process, err = a.host.Start(ctx); err != nil {
		return nil, err
	}
	if a.channel, err = a.process.CreateEventChannel(ctx); err != nil {
		return nil, err
	}
	if err = a.process.SetNonblock(ctx, a.channel, true); err != nil {
		return nil, err
	}
	if a.id, err = a.process.CreateID(ctx, a.channel, 0, spec.PSUDP); err != nil {
		return nil, err
	}
	return a, a.process.BindAddr(ctx, a.id, spec.NewSockaddr(netip.MustParseAddr("192.168.100.1"), 0))
}

// record adds the points of a call to the history; all of them lie between its beginning and its end.
func (a *application) record(thread int, begin int64, out output, in ...input) {
	end := a.clock.Add(1)
	a.lock.Lock()
	defer a.lock.Unlock()
	for _, i := range in {
		a.history = append(a.history, porcupine.Operation{
			ClientId: thread, Input: i, Call: begin, Output: out, Return: end,
		})
	}
}

// fail notes an answer that ends the history.
func (a *application) fail(err error) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.broken == nil {
		a.broken = err
	}
}

// thread is one thread of the application.
type thread struct {
	*application
	number int
	random *rand.Rand
	unread []event // that it has retrieved and not acknowledged
}

type event struct {
	ref    spec.EventRef
	number int
}

func (t *thread) join() {
	group, number := t.random.IntN(len(groups)), int(t.numbers.Add(1))
	begin := t.clock.Add(1)
	if err := t.process.JoinMulticast(t.ctx, t.id, groups[group], spec.Context(number)); err != nil {
		t.fail(err)
		return
	}
	t.record(t.number, begin, output{}, input{action: join, number: number, group: group})
}

// get retrieves an event if there is one.
func (t *thread) get(settled bool) (some bool) {
	begin := t.clock.Add(1)
	e, err := t.process.GetEvent(t.ctx, t.channel)
	out := output{number: int(e.UD.PrivateData), none: spec.Outcome(err) == "EAGAIN"}
	if err != nil && !out.none {
		t.fail(err)
		return false
	}
	t.record(t.number, begin, out, input{action: get, settled: settled})
	if err == nil {
		t.unread = append(t.unread, event{e.Ref, out.number})
	}
	return err == nil
}

// ack acknowledges the events that the thread has.
func (t *thread) ack() {
	for _, e := range t.unread {
		begin := t.clock.Add(1)
		if err := t.process.AckEvent(t.ctx, e.ref); err != nil {
			t.fail(err)
			return
		}
		t.record(t.number, begin, output{}, input{action: ack, number: e.number})
	}
	t.unread = nil
}

// leave leaves a group. It waits for what others have not acknowledged; the thread's own events are.
func (t *thread) leave() {
	t.ack()
	group, number := t.random.IntN(len(groups)), int(t.numbers.Add(1))
	begin := t.clock.Add(1)
	err := t.process.LeaveMulticast(t.ctx, t.id, groups[group])
	if err != nil && spec.Outcome(err) != "EADDRNOTAVAIL" {
		t.fail(err)
		return
	}
	t.record(t.number, begin, output{}, points("leave", number, group, err)...)
}

func (t *thread) destroy() {
	t.ack()
	runtime.Gosched()
	begin := t.clock.Add(1)
	if err := t.process.DestroyID(t.ctx, t.id); err != nil {
		t.fail(err)
		return
	}
	t.record(t.number, begin, output{}, points("destroy", 0, 0, nil)...)
}

// run makes the thread's calls before the id is destroyed.
func (t *thread) run() {
	for range calls {
		switch t.random.IntN(6) {
		case 0, 1:
			t.join()
		case 2, 3:
			t.get(false)
		case 4:
			t.ack()
		case 5:
			t.leave()
		}
		runtime.Gosched() // or a thread would be through before the next one begins
	}
	t.ack()
}

// end destroys the id, or retrieves and acknowledges while another thread does.
func (t *thread) end() {
	if t.number == 0 {
		t.destroy()
		return
	}
	for range 2 {
		t.get(false)
		runtime.Gosched()
	}
	t.ack()
}

// atOnce runs f for every thread, each on a goroutine.
func atOnce(all []*thread, f func(*thread)) {
	var group sync.WaitGroup
	begin := make(chan struct{})
	for _, t := range all {
		group.Go(func() {
			<-begin
			f(t)
		})
	}
	close(begin)
	group.Wait()
}

// linearizable makes a history and tells whether the model allows it. The seed fixes which calls the threads make; how
// they mix is the machine's affair too.
func linearizable(t *testing.T, seed int64, quirks ...string) (bool, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a, err := newApplication(ctx, seed, quirks...)
	if err != nil {
		return false, err
	}
	var all []*thread
	for i := range threads {
		all = append(all, &thread{application: a, number: i, random: rand.New(rand.NewPCG(uint64(seed), uint64(i)))})
	}
	atOnce(all, (*thread).run)
	if seed%2 == 0 {
		if _, err := a.host.Observe(ctx); err != nil { // looking settles the world
			return false, err
		}
		for all[0].get(true) {
		}
		all[0].ack()
	} else if a.broken == nil {
		atOnce(all, (*thread).end)
	}
	if a.broken != nil {
		return false, a.broken
	}
	verdict := porcupine.CheckOperationsTimeout(idModel, a.history, patience)
	if verdict == porcupine.Unknown {
		return false, errors.New("the history is too long to be checked")
	}
	return verdict == porcupine.Ok, nil
}

func TestHistoriesAreLinearizable(t *testing.T) {
	g := NewWithT(t)
	for seed := range int64(histories) {
		ok, err := linearizable(t, seed)
		g.Expect(err).NotTo(HaveOccurred(), "seed %d", seed)
		g.Expect(ok).To(BeTrue(), "seed %d: no order of its calls explains the history", seed)
	}
}

// A stack that is wrong is found by the same histories.
func TestHistoriesOfAWrongStackAreNot(t *testing.T) {
	for _, quirk := range []string{
		"ack-not-counted", "destroy-does-not-wait", "duplicate-event", "fifo-leave", "leave-ignores-port",
		"leave-keeps-event", "leave-unknown-succeeds", "lose-context", "lose-event",
	} {
		t.Run(quirk, func(t *testing.T) {
			for seed := range int64(histories) {
				ok, err := linearizable(t, seed, quirk)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if !ok {
					t.Logf("found by history %d", seed)
					return
				}
			}
			t.Errorf("%d histories, and the model allows them all", histories)
		})
	}
}

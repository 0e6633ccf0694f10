package target

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"joinmcast/hw/client"
	"joinmcast/hw/vm"
	"joinmcast/spec"
)

// guestLab hands out pairs of guests restored from one saved state, so that no spec meets what another one left. While
// a spec runs on one pair, the next is made ready. Of unspoiled worlds it hands a pair out again whose guests tell that
// they are as they were: an emulator that has run something once runs it again in a fourth of the time.
type guestLab struct {
	lab      *vm.Lab
	nonce    string
	rdmaCore string          // as the guests know it
	life     context.Context // ends with the lab
	end      context.CancelFunc
	next     chan ready
	returned chan *guests // unspoiled ones; nil of fresh worlds
	maker    sync.WaitGroup
}

// ready is a pair somebody has greeted, or why there is none.
type ready struct {
	guests *guests
	err    error
}

func (t *Target) openGuests(ctx context.Context, nonce string, progress func(string)) (spec.Lab, error) {
	programs, err := t.programs()
	if err != nil {
		return nil, err
	}
	// A lab ends with its context: with ctx while it is being opened, with Close afterwards.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	opened := context.AfterFunc(ctx, end)
	lab, err := vm.Open(life, vm.Config{
		Kernel: t.Kernel, RDMACore: t.RDMACore, HostBinary: programs.host, AgentBinary: programs.agent,
		Beside: t.HeldBeside, Ahead: len(t.HeldBeside) == 0, Mischief: programs.mischief, Capture: t.Capture,
		Progress: progress,
	})
	opened()
	if err != nil {
		end()
		return nil, err
	}
	l := &guestLab{
		lab: lab, nonce: nonce, rdmaCore: lab.Root(), life: life, end: end, next: make(chan ready, ahead),
	}
	if t.Worlds == Unspoiled {
		l.next, l.returned = make(chan ready), make(chan *guests, 1)
	}
	l.maker.Go(l.make)
	return l, nil
}

// ahead is how many pairs wait in stock. A long spec leaves a core of the machine free, which the short ones after it
// live on.
const ahead = 2

// make makes pairs ready, ahead of the specs, until the lab ends.
func (l *guestLab) make() {
	defer close(l.next)
	for l.life.Err() == nil {
		guests, err := l.fresh(l.life)
		select {
		case l.next <- ready{guests, err}:
		case <-l.life.Done():
			if guests != nil {
				_ = guests.end(l.life)
			}
		}
	}
}

// fresh restores a pair and greets the host under test. It is looked at once, which changes nothing and spares the spec
// the time that an emulator takes to run anything for the first time. The second host sleeps until it is used.
func (l *guestLab) fresh(ctx context.Context) (*guests, error) {
	pair, err := l.lab.Fresh()
	if err != nil {
		return nil, err
	}
	if err := pair.Guests[0].Wake(ctx); err != nil {
		pair.Close()
		return nil, err
	}
	var conns []client.HostConn
	for i, g := range pair.Guests {
		conn := client.HostConn{Name: g.Name(), LastWords: func() string { return lastWords(g) }}
		if i == 0 {
			conn.Conn = g
		} else {
			conn.Wake = func(ctx context.Context) (io.ReadWriteCloser, error) { return g, g.Wake(ctx) }
		}
		conns = append(conns, conn)
	}
	backend, err := client.Dial(ctx, conns, client.Options{Nonce: l.nonce, RDMACore: l.rdmaCore})
	if err == nil {
		_, err = backend.Hosts()[0].Observe(ctx)
	}
	if err != nil {
		pair.Close()
		return nil, err
	}
	return &guests{Backend: backend, pair: pair, returned: l.returned}, nil
}

// dying is how long a guest that has hung up is given to say its last words.
const dying = 2 * time.Second

// lastWords are the end of a guest's console, complete when the guest has ended.
func lastWords(g *vm.Guest) string {
	ctx, cancel := context.WithTimeout(context.Background(), dying)
	defer cancel()
	select {
	case <-g.Ended():
	case <-ctx.Done():
	}
	return g.LastWords()
}

// Fresh implements spec.Lab.
func (l *guestLab) Fresh(ctx context.Context, _ int64) (spec.Backend, error) {
	select {
	case g := <-l.returned:
		return g, nil
	default:
	}
	select {
	case r, ok := <-l.next:
		if !ok {
			return nil, errors.New("the guests have ended")
		}
		if r.err != nil {
			return nil, r.err
		}
		return r.guests, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close implements spec.Lab.
func (l *guestLab) Close(ctx context.Context) error {
	l.end()
	l.maker.Wait()
	for r := range l.next {
		if r.guests != nil {
			_ = r.guests.end(ctx)
		}
	}
	select {
	case g := <-l.returned:
		_ = g.end(ctx)
	default:
	}
	l.lab.Close()
	return nil
}

// guests are one pair, used once, or again and again while it is unspoiled.
type guests struct {
	*client.Backend
	pair     *vm.Pair
	returned chan<- *guests // where it waits for the next spec; nil: it does not
}

var _ spec.Wiretap = (*guests)(nil)

// WriteWire implements spec.Wiretap.
func (g *guests) WriteWire(w io.Writer) error { return g.pair.WriteWire(w) }

// Close ends the connections and the guests, unless they can serve another spec. Guests that cannot be asked any more
// cannot.
func (g *guests) Close(ctx context.Context) error {
	if g.returned != nil {
		if spoiled, err := g.Renew(ctx); err == nil && len(spoiled) == 0 {
			select {
			case g.returned <- g:
				return nil
			default: // another pair waits already
			}
		}
	}
	return g.end(ctx)
}

func (g *guests) end(ctx context.Context) error {
	err := g.Backend.Close(ctx)
	for _, guest := range g.pair.Guests {
		err = errors.Join(err, guest.Err())
	}
	g.pair.Close()
	return err
}

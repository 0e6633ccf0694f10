package target

import (
	"context"
	"errors"

	"joinmcast/hw/client"
	"joinmcast/hw/vm"
	"joinmcast/spec"
)

// guestLab hands out pairs of guests restored from one saved state, so that no spec meets what another one left.
type guestLab struct {
	lab   *vm.Lab
	nonce string
	end   context.CancelFunc
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
		Spares: spares, Progress: progress,
	})
	opened()
	if err != nil {
		end()
		return nil, err
	}
	return &guestLab{lab: lab, nonce: nonce, end: end}, nil
}

// spares is how many pairs are restored ahead, while a spec runs on another one.
const spares = 1

// Fresh implements spec.Lab.
func (l *guestLab) Fresh(ctx context.Context, _ int64) (spec.Backend, error) {
	pair, err := l.lab.Fresh(ctx)
	if err != nil {
		return nil, err
	}
	var conns []client.HostConn
	for _, g := range pair.Guests {
		conns = append(conns, client.HostConn{Name: g.Name(), Conn: g, LastWords: g.LastWords})
	}
	backend, err := client.Dial(ctx, conns, client.Options{Nonce: l.nonce})
	if err != nil {
		pair.Close()
		return nil, err
	}
	return &guests{Backend: backend, pair: pair}, nil
}

// Close implements spec.Lab.
func (l *guestLab) Close(context.Context) error {
	l.lab.Close()
	l.end()
	return nil
}

// guests are one pair, used once.
type guests struct {
	*client.Backend
	pair *vm.Pair
}

// Close ends the connections and the guests.
func (g *guests) Close(ctx context.Context) error {
	err := g.Backend.Close(ctx)
	for _, guest := range g.pair.Guests {
		err = errors.Join(err, guest.Err())
	}
	g.pair.Close()
	return err
}

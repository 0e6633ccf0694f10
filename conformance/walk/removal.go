package walk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"joinmcast/spec"
)

// removal takes the RDMA device of host 0 away for the rest of a walk. It is over when no process has the device open.
type removal struct {
	over chan struct{}
	err  error
}

// removeDevice begins the removal and returns when the kernel has closed the ids that were bound to the device. The
// kernel tells of the event first and closes the id beside, so that a call between the two may have another answer
// (JM-EVT-27). What an id answers that is neither bound nor closed is told, for it is the stack's doing.
func (r *run) removeDevice(ctx context.Context, host spec.Configurer, change spec.Change) (told string, err error) {
	gone := &removal{over: make(chan struct{})}
	r.removal, r.board.unplugged = gone, true
	removing := spec.Concurrent(context.WithoutCancel(ctx)) // the processes that it waits for outlive the step
	go func() {
		defer close(gone.over)
		_, gone.err = host.Configure(removing, change)
	}()
	for _, name := range r.board.bound() {
		i := r.board.ids[name]
		if wrong, err := r.awaitClosed(ctx, i.by, name); wrong != "" || err != nil {
			return wrong, err
		}
		if c := r.board.channels[i.channel]; c != nil {
			c.unread = append(c.unread, &pending{id: name})
		}
	}
	return "0", nil
}

// awaitClosed returns when the kernel no longer lets an id be used. Binding what is bound is refused, and does nothing.
func (r *run) awaitClosed(ctx context.Context, by, name string) (wrong string, err error) {
	number, _ := r.symbols.values[name].(uint64)
	for {
		err := r.agents[by].BindAddr(ctx, spec.ID(number), spec.EmptySockaddr(spec.AFInet))
		var refused *spec.CallError
		switch {
		case err == nil:
			return name + " can be bound again", nil
		case !errors.As(err, &refused):
			return "", fmt.Errorf("%s cannot be asked whether it is closed: %w", name, err)
		case refused.Errno == spec.ENXIO:
			return "", nil
		case refused.Errno != spec.EINVAL:
			return name + " is neither bound nor closed: " + refused.Errno.String(), nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("%s is not closed, although its device is being removed: %w", name, ctx.Err())
		case <-time.After(r.ground.look): // each question costs a guest the time that the closing needs
		}
	}
}

// awaitRemoval waits until the device is gone, where it is being removed and nobody is left who has it open.
func (r *run) awaitRemoval(ctx context.Context) error {
	if r.removal == nil || len(live(r.board.procs, func(p *proc) bool { return !p.ended })) > 0 {
		return nil
	}
	select {
	case <-r.removal.over:
		return r.removal.err
	case <-ctx.Done():
		return fmt.Errorf("the device is not gone, although all processes have ended: %w", ctx.Err())
	}
}

// bound are the ids of host 0 that have its device.
func (b *board) bound() []string {
	return live(b.ids, func(i *id) bool { return hostOf(i.by) == 0 && !i.gone && i.verbs && !b.procs[i.by].ended })
}

// removable says why the device must not be removed now: how the walk goes on would be anybody's guess.
func (b *board) removable() string {
	here := func(by string) bool { return hostOf(by) == 0 }
	switch {
	case b.unplugged:
		return "the device is gone"
	case len(b.undoable()) > 0:
		return "a change may wait for what the device shows of it"
	case len(b.bound()) == 0:
		return "no id is bound that would tell when it has begun"
	case len(live(b.procs, func(p *proc) bool { return p.failing > 0 || p.changed })) > 0:
		return "a call may fail that asks for the ids' state"
	case len(live(b.ids, func(i *id) bool { return here(i.by) && !i.gone && (i.busy || i.resolving) })) > 0:
		return "a call on an id is open"
	}
	for _, name := range live(b.channels, func(c *channel) bool { return here(c.by) && !c.gone }) {
		c := b.channels[name]
		if c.off || c.unproved {
			return "whether the ids of a channel are closed would not be seen"
		}
		for _, p := range c.unread {
			if p.join == nil {
				return "whether an id is bound is not known before its event is read"
			}
		}
	}
	return ""
}

package sim_test

import (
	"context"
	"fmt"
	"log"

	"joinmcast/sim"
	"joinmcast/spec"
)

// subscriber is an application to be tested: an id bound to the host's address, with its event channel.
type subscriber struct {
	process spec.Process
	channel spec.Channel
	id      spec.ID
}

func newSubscriber(ctx context.Context, h spec.Host) *subscriber {
	p, err := h.Start(ctx)
	must(err)
	ch, err := p.CreateEventChannel(ctx)
	must(err)
	id, err := p.CreateID(ctx, ch, 0, spec.PSUDP)
	must(err)
	must(p.BindAddr(ctx, id, addr("192.168.100.1")))
	return &subscriber{p, ch, id}
}

// subscribe joins a group and waits until it is told to be a member.
func (s *subscriber) subscribe(ctx context.Context, group string) error {
	if err := s.process.JoinMulticast(ctx, s.id, addr(group), 0); err != nil {
		return err
	}
	event, err := s.process.GetEvent(ctx, s.channel)
	if err != nil {
		return err
	}
	if event.Type != spec.MulticastJoin {
		return fmt.Errorf("%s with status %d", event.Type, event.Status)
	}
	return s.process.AckEvent(ctx, event.Ref)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// freshHost is the first host of a simulated world of its own; the seed fixes all that happens in it.
func freshHost(ctx context.Context) spec.Host {
	lab, err := sim.NewLab(sim.Options{})
	must(err)
	world, err := lab.Fresh(ctx, 1)
	must(err)
	return world.Hosts()[0]
}

// The kernel runs out of memory at the third join. Commands are named as the kernel's headers name them.
func Example_aCallFails() {
	ctx := context.Background()
	host := freshHost(ctx)
	_, err := host.(spec.Faulter).Inject(ctx, spec.Fault{
		Fail: &spec.CallFault{Command: "JOIN_MCAST", Nth: 3, Errno: spec.ENOMEM},
	})
	must(err)

	app := newSubscriber(ctx, host)
	for _, group := range []string{"239.0.0.1", "239.0.0.2", "239.0.0.3", "239.0.0.4"} {
		fmt.Println(group, app.subscribe(ctx, group))
	}
	// Output:
	// 239.0.0.1 <nil>
	// 239.0.0.2 <nil>
	// 239.0.0.3 rdma_join_multicast: -1, errno ENOMEM (12)
	// 239.0.0.4 <nil>
}

// The event of a join is lost. Whoever waits for it without a time-out waits for ever, and is told so at once.
func Example_anEventIsLost() {
	ctx := context.Background()
	host := freshHost(ctx)
	_, err := host.(spec.Faulter).Inject(ctx, spec.Fault{
		Event: &spec.EventFault{Type: spec.MulticastJoin, Nth: 1, Drop: true},
	})
	must(err)

	fmt.Println(newSubscriber(ctx, host).subscribe(ctx, "239.0.0.1"))
	// Output:
	// rdma_get_cm_event did not return (nothing left in the world can wake it); open calls: rdma_get_cm_event
}

// The event of the first join comes late, behind that of the second: it is held back until its fault is undone.
func Example_anEventIsLate() {
	ctx := context.Background()
	host := freshHost(ctx)
	undo, err := host.(spec.Faulter).Inject(ctx, spec.Fault{
		Event: &spec.EventFault{Type: spec.MulticastJoin, Nth: 1},
	})
	must(err)

	app := newSubscriber(ctx, host)
	must(app.process.JoinMulticast(ctx, app.id, addr("239.0.0.1"), 1))
	must(app.process.JoinMulticast(ctx, app.id, addr("239.0.0.2"), 2))
	first, err := app.process.GetEvent(ctx, app.channel)
	must(err)
	must(undo(ctx))
	second, err := app.process.GetEvent(ctx, app.channel)
	must(err)
	fmt.Println("contexts, in the order of their events:", first.UD.PrivateData, second.UD.PrivateData)
	// Output:
	// contexts, in the order of their events: 0x2 0x1
}

package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// LoseDevice takes away the RDMA device that the id is bound to, and gives the next event of the id. The removal is not
// over before the last process has let go of the device: in the spec's cleanup all processes end, so does the removal,
// and the device comes back.
func (id *ID) LoseDevice(ctx context.Context) (spec.Event, error) {
	ginkgo.GinkgoHelper()
	host := id.host
	change := spec.Change{RemoveDevice: &spec.DeviceChange{Device: host.Port(ctx).Device}}
	configurer := host.configurer()
	var undo func(context.Context) error
	var failed error
	removed := make(chan struct{})
	removing, stop := context.WithCancel(context.WithoutCancel(ctx)) // outlives the spec's body
	go func() {
		defer close(removed)
		undo, failed = configurer.Configure(removing, change)
	}()
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) {
		defer stop()
		host.must(host.world.End(ctx), "end the processes that hold the device")
		select {
		case <-removed:
		case <-ctx.Done():
			host.must(ctx.Err(), "wait until the device of "+host.name+" is gone")
		}
		host.must(failed, "remove the device of "+host.name)
		host.must(undo(ctx), "bring the device of "+host.name+" back")
	})
	var event spec.Event
	getting := id.Begin(ctx, "rdma_get_cm_event", func(ctx context.Context) error {
		var err error
		event, err = id.GetEvent(ctx)
		return err
	})
	err := getting.Result(ctx)
	return event, err
}

// MustLoseDevice is LoseDevice for a spec of what comes after the event, which it acknowledges.
func (id *ID) MustLoseDevice(ctx context.Context) spec.Event {
	ginkgo.GinkgoHelper()
	event, err := id.LoseDevice(ctx)
	must(err, leansOnRemoval)
	id.MustAck(ctx, event)
	return event
}

// leansOnRemoval is the requirement that the event of a removal comes.
const leansOnRemoval = "JM-EVT-26"

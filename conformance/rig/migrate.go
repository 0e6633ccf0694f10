package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// MustCreateChannel makes an event channel. It outlives the ids that are made after it, so that they can migrate to it.
func (p *Process) MustCreateChannel(ctx context.Context) spec.Channel {
	ginkgo.GinkgoHelper()
	ch, err := p.CreateEventChannel(ctx)
	must(err, leansOnUDPIds)
	p.cleanup(func(ctx context.Context) { must(p.DestroyEventChannel(ctx, ch), leansOnCleanOrder) })
	return ch
}

// Migrate moves the id to another channel; 0 makes it synchronous.
func (id *ID) Migrate(ctx context.Context, ch spec.Channel) error {
	err := id.MigrateID(ctx, id.Handle, ch)
	if err == nil {
		id.Channel = ch
	}
	return err
}

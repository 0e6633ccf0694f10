package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// JoinToItsEnd joins and says how that ended, where more than one end is right: by the errno of a refusal, or by the
// type of the event. The event is zero after a refusal.
func (id *ID) JoinToItsEnd(ctx context.Context, a spec.Sockaddr) (ending string, event spec.Event) {
	ginkgo.GinkgoHelper()
	if err := id.JoinAddr(ctx, a, NewContext()); err != nil {
		return spec.Outcome(err), spec.Event{}
	}
	event = id.MustGetEvent(ctx)
	return event.Type.String(), event
}

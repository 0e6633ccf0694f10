package rig

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// MustInject makes a fault happen on the host until the spec ends, or until undo is called before that.
func (h *Host) MustInject(ctx context.Context, f spec.Fault) (undo func(ctx context.Context)) {
	ginkgo.GinkgoHelper()
	h.use(ctx)
	faulter, ok := h.Host.(spec.Faulter)
	if !ok {
		h.must(fmt.Errorf("%s claims the capability %q and is no spec.Faulter", h.name, spec.HasFaults), "inject a fault")
	}
	takeBack, err := faulter.Inject(ctx, f)
	h.must(err, "inject the fault "+f.String())
	return h.undoOnce(takeBack, "undo a fault of "+h.name)
}

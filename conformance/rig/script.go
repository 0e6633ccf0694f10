package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// MustRun runs a script to its end: that it ends at all is what most races are about, so a script that hangs is the
// spec's HANG. What each step answered is for the spec to judge.
func (p *Process) MustRun(ctx context.Context, s spec.Script) [][]spec.Tally {
	ginkgo.GinkgoHelper()
	tallies, err := p.Script(ctx, s)
	must(err, "")
	return tallies
}

package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"
)

// MustKill ends the process by force, whatever it holds, and returns when it is gone.
func (p *Process) MustKill(ctx context.Context) {
	ginkgo.GinkgoHelper()
	p.ended = true
	_, err := p.next.Kill(ctx)
	p.host.must(err, "kill a process of "+p.host.name)
}

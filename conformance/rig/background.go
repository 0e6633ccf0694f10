package rig

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/spec"
)

// Background is a call under way while the spec goes on.
type Background struct {
	method string
	p      *Process
	done   chan struct{}
	err    error
}

// Begin makes one call of the process while the spec goes on; method is its C name. Only one such call of a name may be
// under way at a time.
func (p *Process) Begin(ctx context.Context, method string, perform func(ctx context.Context) error) *Background {
	b := &Background{method: method, p: p, done: make(chan struct{})}
	go func() {
		defer close(b.done)
		b.err = perform(spec.Concurrent(ctx))
	}()
	return b
}

// Settle waits until the call has come to rest and says how: "blocked", asleep with nothing of its own to wake it, or
// "returned".
func (b *Background) Settle(ctx context.Context) string {
	ginkgo.GinkgoHelper()
	state := ""
	gomega.Eventually(ctx, func(g gomega.Gomega, ctx context.Context) {
		select {
		case <-b.done:
			state = "returned"
			return
		default:
		}
		open, err := b.p.next.InFlight(ctx)
		g.Expect(err).NotTo(gomega.HaveOccurred())
		for _, c := range open {
			if c.Method == b.method && c.Blocked {
				state = "blocked"
				return
			}
		}
		g.Expect(state).NotTo(gomega.BeEmpty(), b.method+" has neither returned nor come to rest")
	}).WithTimeout(b.p.host.world.deadline).WithPolling(time.Millisecond).Should(gomega.Succeed())
	return state
}

// Result waits for the call's answer.
func (b *Background) Result(ctx context.Context) error {
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return &spec.Hung{Method: b.method, Proof: "the spec's time is over"}
	}
}

package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// MustFailNext makes one call of the process's librdmacm to a C function fail: the one after the next skip calls.
func (p *Process) MustFailNext(ctx context.Context, f spec.CFunction, skip int, errno spec.Errno) {
	ginkgo.GinkgoHelper()
	p.host.must(p.FailNext(ctx, f, skip, errno), "make a call to "+string(f)+" fail")
}

// MustSetFD puts a file descriptor into a channel and gives the one that was there.
func (p *Process) MustSetFD(ctx context.Context, ch spec.Channel, fd int) (old int) {
	ginkgo.GinkgoHelper()
	old, err := p.SetFD(ctx, ch, fd)
	p.host.must(err, "put a file descriptor into a channel")
	return old
}

// MustSetEUID changes the process's effective user.
func (p *Process) MustSetEUID(ctx context.Context, uid uint32) {
	ginkgo.GinkgoHelper()
	p.host.must(p.SetEUID(ctx, uid), "change the user")
}

// Forsake gives the process up: it can do nothing in an orderly way any more, and is killed at the end of the spec.
func (p *Process) Forsake() { p.lost = true }

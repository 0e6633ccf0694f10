package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// MustRefuseAFIB makes librdmacm believe that the kernel knows no AF_IB, and so none of the commands that came with it.
// The library asks once in a process, at its first call: it writes a command that makes an id, and one that binds it to
// an AF_IB address. The second is refused here.
func (p *Process) MustRefuseAFIB(ctx context.Context) {
	ginkgo.GinkgoHelper()
	const create = 1
	p.host.must(p.FailNext(ctx, spec.Write, create, spec.EINVAL), "make the library's look for AF_IB fail")
}

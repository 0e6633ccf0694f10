package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"
)

// MustCountAllocations is how many blocks of memory librdmacm has got and not given back.
func (p *Process) MustCountAllocations(ctx context.Context) int {
	ginkgo.GinkgoHelper()
	blocks, err := p.Allocations(ctx)
	p.host.must(err, "count the allocations of librdmacm")
	return blocks
}

package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// Echo is what a full member with a QP of this kind hears of its own text: the text, "none", or how the QP was refused.
// The sender speaks last, so that the member hears something in any case.
func (p *Process) Echo(ctx context.Context, attr spec.QPInitAttr, group Group, sender *Sender) string {
	ginkgo.GinkgoHelper()
	const own, sentinel = "own", "the sentinel"
	id := p.BoundID(ctx)
	qp, err := id.newQP(ctx, attr)
	if err != nil {
		return spec.Outcome(err)
	}
	qp.MustPostRoom(ctx)
	qp.way = id.MustBeMember(ctx, group).UD.AH
	qp.MustSay(ctx, group, own)
	sender.MustSay(ctx, group, sentinel)
	return NamePayloads(qp.MustReceiveUntil(ctx, sentinel), own)
}

package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// Sender is a send-only member of some groups.
type Sender struct {
	qp    *QP
	joins map[Group]spec.Event
}

// MustSender makes a send-only member of these groups.
func (p *Process) MustSender(ctx context.Context, groups ...Group) *Sender {
	ginkgo.GinkgoHelper()
	id := p.BoundID(ctx)
	s := &Sender{qp: id.MustCreateQP(ctx), joins: map[Group]spec.Event{}}
	for _, group := range groups {
		id.MustJoinEx(ctx, group, spec.SendOnlyMember)
		s.joins[group] = id.MustTakeJoin(ctx, group)
	}
	return s
}

// MustSend sends a text with immediate data to one of the sender's groups, and waits until it has left.
func (s *Sender) MustSend(ctx context.Context, group Group, text string, imm uint32) {
	ginkgo.GinkgoHelper()
	s.qp.MustSend(ctx, s.joins[group], []byte(text), imm)
}

package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/conformance/match"
	"joinmcast/spec"
)

// Sender is a send-only member of some groups.
type Sender struct {
	*QP
	joins map[Group]spec.Event
}

// MustSender makes a send-only member of these groups.
func (p *Process) MustSender(ctx context.Context, groups ...Group) *Sender {
	ginkgo.GinkgoHelper()
	return p.BoundID(ctx).MustBecomeSender(ctx, groups...)
}

// MustBecomeSender is MustSender of an id that is bound already.
func (id *ID) MustBecomeSender(ctx context.Context, groups ...Group) *Sender {
	ginkgo.GinkgoHelper()
	s := &Sender{QP: id.MustCreateQP(ctx), joins: map[Group]spec.Event{}}
	for _, group := range groups {
		id.MustJoinEx(ctx, group, spec.SendOnlyMember)
		s.joins[group] = id.MustTakeJoin(ctx, group)
		s.way = s.joins[group].UD.AH
	}
	return s
}

// MustSend sends a text with immediate data to one of the sender's groups, and waits until it has left.
func (s *Sender) MustSend(ctx context.Context, group Group, text string, imm uint32) {
	ginkgo.GinkgoHelper()
	s.QP.MustSend(ctx, s.joins[group], []byte(text), imm)
}

// MustSay sends a text without immediate data to a group, and waits until it has left. The QP is a receiver's or a
// sender's; the group need not be one of its own.
func (q *QP) MustSay(ctx context.Context, group Group, text string) {
	ginkgo.GinkgoHelper()
	q.MustPost(ctx, q.Towards(group.GID()), ToMembers([]byte(text)))
}

// Towards is the way to a GID, made by hand of the JOIN event of a receiver or a sender.
func (q *QP) Towards(g spec.GID) spec.AHAttr {
	way := q.way
	way.GRH.DGID = g
	if mlid, ok := world.mlids[g]; ok {
		way.DLID = mlid
	}
	return way
}

// Back is the way back to the sender of a datagram (ibv_init_ah_from_wc).
func (q *QP) Back(c spec.Completion) spec.AHAttr {
	way := q.way
	way.GRH.DGID, _ = Endpoints(c.GRH)
	way.DLID = c.SLID
	return way
}

// ToMembers is a payload without immediate data for the members of a RDMA_PS_UDP group.
func ToMembers(payload []byte) spec.SendWR {
	return spec.SendWR{RemoteQPN: spec.MulticastQPN, QKey: spec.UDPQKey, Data: payload}
}

// MustPost posts a datagram to an address, and waits until it has left.
func (q *QP) MustPost(ctx context.Context, to spec.AHAttr, wr spec.SendWR) {
	ginkgo.GinkgoHelper()
	gomega.Expect(q.Post(ctx, to, wr).Status).To(match.Be("the send's completion", spec.WCSuccess))
}

// Post posts a datagram to an address and gives its completion.
func (q *QP) Post(ctx context.Context, to spec.AHAttr, wr spec.SendWR) spec.Completion {
	ginkgo.GinkgoHelper()
	ah, err := q.id.CreateAH(ctx, q.id.Handle, to)
	must(err, "JM-EVT-08")
	wr.AH = ah
	must(q.id.PostSend(ctx, q.Handle, wr), leansOnData)
	sent, err := q.id.WaitCompletion(ctx, q.Handle, spec.SendQueue)
	must(err, leansOnData)
	must(q.id.DestroyAH(ctx, ah), leansOnData)
	return sent
}

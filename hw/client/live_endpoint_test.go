//go:build live

package client_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

func TestLiveEndpointIsPassiveAndJoins(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	p, err := host.Start(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	qp := &spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 1, MaxRecvWR: 1}
	id, err := p.CreateEP(t.Context(), spec.EPAttr{
		Passive: true, PS: spec.PSUDP, QPType: spec.QPTypeUD, Src: ownAddr(t, host), QP: qp,
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.JoinMulticast(t.Context(), id, group, 0)).To(Succeed())
	state, err := p.ReadID(t.Context(), id)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(state.QP).To(BeZero())
	g.Expect(state.Event.Type).To(Equal(spec.MulticastJoin))
	g.Expect(p.DestroyEP(t.Context(), id)).To(Succeed())
}

func TestLiveActiveEndpointHasAQP(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	p, err := host.Start(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	id, err := p.CreateEP(t.Context(), spec.EPAttr{
		PS: spec.PSUDP, QPType: spec.QPTypeUD, Src: ownAddr(t, host), Dst: group,
		QP: &spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 1, MaxRecvWR: 1},
	})
	g.Expect(err).NotTo(HaveOccurred())
	state, err := p.ReadID(t.Context(), id)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(state.QP).NotTo(BeZero())
	g.Expect(spec.Outcome(p.JoinMulticast(t.Context(), id, group, 0))).To(Equal("EINVAL"))
	g.Expect(p.DestroyEP(t.Context(), id)).To(Succeed())
}

func TestLiveDestroyedQPThatLivesOnKeepsItsHandle(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0]).withQP()
	event := a.join()
	g.Expect(a.AckEvent(t.Context(), event.Ref)).To(Succeed())

	g.Expect(spec.Outcome(a.IBVDestroyQP(t.Context(), a.qp))).To(Equal("EBUSY"))
	g.Expect(a.DestroyQP(t.Context(), a.id)).To(Succeed())
	g.Expect(a.attached()).To(Equal("0"))
	g.Expect(a.IBVDestroyQP(t.Context(), a.qp)).To(Succeed())
	a.qp = 0
	a.destroy()
}

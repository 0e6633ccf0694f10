package sim_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// endpoint makes an id by rdma_create_ep.
func (w *world) endpoint(a spec.EPAttr) *member {
	m := &member{world: w, p: w.procs[0]}
	var err error
	m.id, err = m.p.CreateEP(w.ctx, a)
	w.Expect(err).NotTo(HaveOccurred())
	return m
}

func (m *member) read() spec.IDState {
	s, err := m.p.ReadID(m.ctx, m.id)
	m.Expect(err).NotTo(HaveOccurred())
	return s
}

func TestAPassiveEndpointMayJoinAndHasNoQP(t *testing.T) {
	for _, ps := range []spec.PortSpace{spec.PSUDP, spec.PSIB} {
		w := newWorld(t, 1)
		attr := &spec.QPInitAttr{MaxSendWR: 1, MaxRecvWR: 1}
		m := w.endpoint(spec.EPAttr{Passive: true, PS: ps, QPType: spec.QPTypeUD, Src: w.addrOf(0), QP: attr})
		m.Expect(m.read().QP).To(BeZero())
		m.Expect(m.join(group)).To(Succeed(), ps.String())
		m.Expect(m.read().Event.UD.QKey).To(BeNumerically("==", spec.UDPQKey))
		m.Expect(m.leave(group)).To(Succeed())
		m.Expect(m.p.DestroyEP(m.ctx, m.id)).To(Succeed())
		m.Expect(w.state().Resources["cm_id"]).To(BeZero())
	}
}

func TestAnActiveEndpointHasAQPAndMayNotJoin(t *testing.T) {
	w := newWorld(t, 1)
	attr := &spec.QPInitAttr{MaxSendWR: 1, MaxRecvWR: 1}
	m := w.endpoint(spec.EPAttr{PS: spec.PSUDP, QPType: spec.QPTypeUD, Src: w.addrOf(0), Dst: group, QP: attr})
	m.Expect(m.read().QP).NotTo(BeZero())
	m.Expect(spec.Outcome(m.join(group))).To(Equal("EINVAL"))
	m.Expect(m.p.DestroyEP(m.ctx, m.id)).To(Succeed())
}

func TestAnEndpointThatCannotBeIsNone(t *testing.T) {
	w := newWorld(t, 1)
	_, err := w.procs[0].CreateEP(w.ctx, spec.EPAttr{Passive: true, PS: spec.PSUDP, QPType: spec.QPTypeUD})
	w.Expect(err).To(MatchError(&spec.CallError{Method: "rdma_create_ep", Ret: -1, Errno: spec.EINVAL}))
	w.Expect(w.state().Resources["cm_id"]).To(BeZero())
}

func TestAMigratedIDTellsItsEventsOnTheNewChannel(t *testing.T) {
	m := newWorld(t, 1).bound(0)
	m.Expect(m.join(group)).To(Succeed())
	to, err := m.p.CreateEventChannel(m.ctx)
	m.Expect(err).NotTo(HaveOccurred())
	m.Expect(m.p.MigrateID(m.ctx, m.id, to)).To(Succeed())
	m.ch = to
	m.Expect(m.acked().Type).To(Equal(spec.MulticastJoin))
	m.Expect(m.leave(group)).To(Succeed())
}

func TestAMigrationWaitsForAcknowledgements(t *testing.T) {
	m := newWorld(t, 1).bound(0)
	m.Expect(m.join(group)).To(Succeed())
	m.event()
	to, err := m.p.CreateEventChannel(m.ctx)
	m.Expect(err).NotTo(HaveOccurred())
	m.Expect(spec.Outcome(m.p.MigrateID(m.ctx, m.id, to))).To(Equal("HANG"))
}

func TestAnIDMigratedToNoChannelIsSynchronous(t *testing.T) {
	m := newWorld(t, 1).bound(0)
	m.Expect(m.p.MigrateID(m.ctx, m.id, 0)).To(Succeed())
	m.Expect(m.join(group)).To(Succeed())
	m.Expect(m.read().Event).To(HaveField("Type", spec.MulticastJoin))
	m.Expect(spec.Outcome(m.p.MigrateID(m.ctx, m.id, 0))).To(Equal("EINVAL"))
}

func TestADestroyedQPThatIsAttachedStaysAlive(t *testing.T) {
	m := newWorld(t, 1).attachedMember(0, group)
	m.Expect(spec.Outcome(m.p.IBVDestroyQP(m.ctx, m.qp))).To(Equal("EBUSY"))
	m.Expect(m.p.DestroyQP(m.ctx, m.id)).To(Succeed())
	m.Expect(m.read().QP).To(BeZero())
	m.Expect(m.leave(group)).To(Succeed())
	m.Expect(m.detaches(group)).To(Equal("0"))
	m.Expect(m.p.IBVDestroyQP(m.ctx, m.qp)).To(Succeed())
}

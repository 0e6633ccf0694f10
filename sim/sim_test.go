package sim_test

import (
	"context"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

// world is a fresh simulated world under test, with a process on each host.
type world struct {
	*WithT
	ctx     context.Context
	backend spec.Backend
	hosts   []spec.Host
	procs   []spec.Process
}

// context of the joins in these tests.
const joinContext spec.Context = 0xC0FFEE

var group = addr("239.1.2.3")

func addr(a string) spec.Sockaddr { return spec.NewSockaddr(netip.MustParseAddr(a), 0) }

// newWorld boots a world that keeps all promises but for the named quirks.
func newWorld(t *testing.T, seed int64, quirks ...string) *world {
	t.Helper()
	return newWorldWith(t, sim.Options{Quirks: quirks, Nonce: "n0nce"}, seed)
}

func newWorldWith(t *testing.T, o sim.Options, seed int64) *world {
	t.Helper()
	g := NewWithT(t)
	lab, err := sim.NewLab(o)
	g.Expect(err).NotTo(HaveOccurred())
	w := &world{WithT: g, ctx: t.Context()}
	w.backend, err = lab.Fresh(w.ctx, seed)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(w.backend.Close(context.Background())).To(Succeed()) })
	w.hosts = w.backend.Hosts()
	for _, h := range w.hosts {
		p, err := h.Start(w.ctx)
		g.Expect(err).NotTo(HaveOccurred())
		w.procs = append(w.procs, p)
	}
	return w
}

// member is an application's id with its channel and QP.
type member struct {
	*world
	p  spec.Process
	ch spec.Channel
	id spec.ID
	qp spec.QP
}

// bound makes an id on a host, bound to the host's address.
func (w *world) bound(host int) *member { return w.boundOf(w.procs[host], host) }

func (w *world) boundOf(p spec.Process, host int) *member {
	return w.boundOfTo(p, w.addrOf(host))
}

// boundTo makes an id on a host, bound to one of the host's addresses.
func (w *world) boundTo(host int, a spec.Sockaddr) *member { return w.boundOfTo(w.procs[host], a) }

func (w *world) boundOfTo(p spec.Process, a spec.Sockaddr) *member {
	m := w.unboundOf(p, spec.PSUDP)
	m.Expect(m.p.BindAddr(m.ctx, m.id, a)).To(Succeed())
	return m
}

func (w *world) addrOf(host int) spec.Sockaddr {
	n := 100<<8 + 1 + host
	return spec.NewSockaddr(netip.AddrFrom4([4]byte{192, 168, byte(n >> 8), byte(n)}), 0)
}

// unbound makes an id on the host under test, bound to nothing.
func (w *world) unbound(ps spec.PortSpace) *member { return w.unboundOf(w.procs[0], ps) }

func (w *world) unboundOf(p spec.Process, ps spec.PortSpace) *member {
	m := &member{world: w, p: p}
	var err error
	m.ch, err = m.p.CreateEventChannel(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	m.id, err = m.p.CreateID(w.ctx, m.ch, 0, ps)
	w.Expect(err).NotTo(HaveOccurred())
	return m
}

// withQP gives the id a UD QP.
func (m *member) withQP() *member {
	var err error
	m.qp, err = m.p.CreateQP(m.ctx, m.id, spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 16, MaxRecvWR: 16})
	m.Expect(err).NotTo(HaveOccurred())
	return m
}

func (m *member) join(a spec.Sockaddr) error { return m.p.JoinMulticast(m.ctx, m.id, a, joinContext) }

func (m *member) leave(a spec.Sockaddr) error { return m.p.LeaveMulticast(m.ctx, m.id, a) }

// event retrieves the next event.
func (m *member) event() spec.Event {
	e, err := m.p.GetEvent(m.ctx, m.ch)
	m.Expect(err).NotTo(HaveOccurred())
	return e
}

// acked retrieves the next event and acknowledges it.
func (m *member) acked() spec.Event {
	e := m.event()
	m.Expect(m.p.AckEvent(m.ctx, e.Ref)).To(Succeed())
	return e
}

// joined joins a group and takes its event.
func (m *member) joined(a spec.Sockaddr) spec.Event {
	m.Expect(m.join(a)).To(Succeed())
	e := m.acked()
	m.Expect(e.Type).To(Equal(spec.MulticastJoin))
	return e
}

// detaches probes whether the QP is attached to a group; it is not afterwards.
func (m *member) detaches(a spec.Sockaddr) string {
	return spec.Outcome(m.p.DetachMulticast(m.ctx, m.qp, spec.MGIDOf(a.Addr()), 0))
}

func TestJoinAttachesWhenTheEventIsRetrieved(t *testing.T) {
	m := newWorld(t, 1).bound(0).withQP()
	m.Expect(m.join(group)).To(Succeed())
	m.Expect(m.p.PollChannel(m.ctx, m.ch)).To(Succeed())
	m.Expect(m.detaches(group)).To(Equal("EINVAL"))
	e := m.acked()
	m.Expect(e.Type).To(Equal(spec.MulticastJoin))
	m.Expect(e.UD.PrivateData).To(Equal(joinContext))
	m.Expect(e.UD.AH.GRH.DGID).To(Equal(spec.MGIDOf(group.Addr())))
	m.Expect(m.detaches(group)).To(Equal("0"))
	m.Expect(m.leave(group)).To(Succeed())
	m.Expect(spec.Outcome(m.leave(group))).To(Equal("EADDRNOTAVAIL"))
	m.Expect(m.p.DestroyQP(m.ctx, m.id)).To(Succeed())
	m.Expect(m.p.DestroyID(m.ctx, m.id)).To(Succeed())
	m.Expect(m.p.DestroyEventChannel(m.ctx, m.ch)).To(Succeed())
}

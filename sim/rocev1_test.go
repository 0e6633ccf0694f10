package sim_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// sendAsTold sends a datagram the way of a JOIN event.
func (m *member) sendAsTold(e spec.Event, data string) {
	ah, err := m.p.CreateAH(m.ctx, m.id, e.UD.AH)
	m.Expect(err).NotTo(HaveOccurred())
	m.sendWR(spec.SendWR{AH: ah, RemoteQPN: e.UD.QPNum, QKey: e.UD.QKey, Data: spec.Bytes(data)})
}

// A datagram of RoCEv1 has InfiniBand's own GRH, and reaches every QP of the group: those of the sender's host without
// the IP layer, whose memberships it does not ask for.
func TestRoCEv1CarriesGroupsOfBothFamilies(t *testing.T) {
	for _, address := range []string{"239.1.2.3", "ff1e::7"} {
		t.Run(address, func(t *testing.T) {
			w := newWorldWith(t, on[spec.RoCEv1], 1)
			sender := w.bound(0).withQP()
			joined := sender.joined(addr(address))
			receivers := []*member{sender, w.attachedMember(0, addr(address)), w.attachedMember(1, addr(address))}
			for _, m := range receivers {
				m.post(1)
			}

			sender.sendAsTold(joined, "hello")

			for _, m := range receivers {
				got := m.receives()
				m.Expect(string(got.Data)).To(Equal("hello"))
				m.Expect(got.GRH[0] >> 4).To(BeEquivalentTo(6))
				m.Expect(got.GRH[4:8]).To(Equal(spec.Bytes{0, 12 + 8 + 8 + 4, 0x1b, 1}), "length, next header, hop limit")
				m.Expect(spec.GID(got.GRH[8:24])).To(Equal(spec.GID(w.addrOf(0).Addr().As16())))
				m.Expect(spec.GID(got.GRH[24:40])).To(Equal(joined.UD.AH.GRH.DGID))
			}
		})
	}
}

// A switch of the port's mode cuts the members of the old one off from senders of the new one, for their MGIDs differ.
func TestMembersOfTheTwoRoCEVersionsDoNotHearEachOther(t *testing.T) {
	w := newWorldWith(t, on[spec.RoCEv1], 1)
	older := w.attachedMember(1, group)
	sender := w.bound(0).withQP()
	old := sender.joined(group)
	for _, h := range w.hosts {
		_, err := h.(spec.Configurer).Configure(w.ctx, spec.Change{
			SetRoCEMode: &spec.RoCEModeChange{Device: "rxe0", Port: 1, Mode: spec.RoCEv2Mode},
		})
		w.Expect(err).NotTo(HaveOccurred())
	}
	newer := w.attachedMember(1, group)
	recent := sender.joined(group)
	older.post(2)
	newer.post(2)

	sender.sendAsTold(recent, "to RoCE v2")
	sender.sendAsTold(old, "to RoCE v1")

	w.Expect(string(newer.receives().Data)).To(Equal("to RoCE v2"))
	w.Expect(string(older.receives().Data)).To(Equal("to RoCE v1"))
}

func TestUnicastOfRoCEv1ComesFromTheSendersGID(t *testing.T) {
	w := newWorldWith(t, on[spec.RoCEv1], 1)
	sender, m := w.bound(0).withQP(), w.bound(1).withQP()
	m.post(1)
	way := sender.joined(group).UD.AH
	way.GRH.DGID = spec.GID(w.addrOf(1).Addr().As16())
	ah, err := sender.p.CreateAH(sender.ctx, sender.id, way)
	sender.Expect(err).NotTo(HaveOccurred())

	sender.sendWR(spec.SendWR{AH: ah, RemoteQPN: 17, QKey: spec.UDPQKey, Data: spec.Bytes("hello")})

	got := m.receives()
	m.Expect(string(got.Data)).To(Equal("hello"))
	m.Expect(spec.GID(got.GRH[8:24])).To(Equal(spec.GID(w.addrOf(0).Addr().As16())))
}

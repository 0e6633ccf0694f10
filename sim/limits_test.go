package sim_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

func TestAGroupHasRoomForSoManyQPs(t *testing.T) {
	const room = 56
	w := newWorld(t, 1)
	members := make([]*member, room+1)
	for i := range members {
		members[i] = w.bound(0).withQP()
		m := members[i]
		m.Expect(m.join(group)).To(Succeed())
		e := m.acked()
		if i < room {
			m.Expect(e.Type).To(Equal(spec.MulticastJoin))
		} else {
			m.Expect([]any{e.Type, e.Status, e.Errno}).To(Equal([]any{spec.MulticastError, -1, spec.ENOMEM}))
		}
	}
	w.Expect(members[0].leave(group)).To(Succeed())
	last := members[room]
	w.Expect(last.leave(group)).To(Succeed())
	last.joined(group)
}

func TestADeviceHasRoomForSoManyGroups(t *testing.T) {
	const room = 8192
	m := newWorld(t, 1).bound(0).withQP()
	attach := call.Step("ibv_attach_mcast", &call.AttachMulticastArgs{QP: m.qp, GID: spec.MGIDOf(group.Addr())})
	attach.Advance = true
	tallies, err := m.script(room+1, []spec.Step{attach})
	m.Expect(err).NotTo(HaveOccurred())
	m.Expect(tallies[0][0].Outcomes).To(Equal(map[string]int{"0": room, "ENOMEM": 1}))
	m.Expect(m.detaches(group)).To(Equal("0"))
	m.Expect(m.p.AttachMulticast(m.ctx, m.qp, spec.MGIDOf(group.Addr()), 0)).To(Succeed())
}

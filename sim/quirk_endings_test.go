package sim_test

import (
	"fmt"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// probesOfEndings show the quirks of the end of ids, QPs and processes, and of limits.
var probesOfEndings = map[string]probe{
	"close-ends-no-group": {seeKilled(igmpGroups), "1", "2"},
	"close-warns": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.PollChannel(m.ctx, m.ch)).To(Succeed())
		m.kill()
		return fmt.Sprint(w.state().Taint)
	}, "0", "512"},
	"datagram-holds-qp": {func(w *world) string {
		m := w.attachedMember(0, group)
		m.post(1)
		m.send(group, []byte("x"), nil)
		m.receives()
		m.kill()
		return qps(w.state())
	}, "0", "1"},
	"destroy-ends-newest": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		m.joined(addr("239.7.7.7"))
		m.Expect(m.p.DestroyID(m.ctx, m.id)).To(Succeed())
		return igmpGroups(w.state())
	}, "1", "2"},
	"destroy-ends-told": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.DestroyID(m.ctx, m.id)).To(Succeed())
		return igmpGroups(w.state())
	}, "1", "2"},
	"destroy-holds-gid": {func(w *world) string {
		m := w.bound(0)
		for range 32 { // some end before their join is told
			once := w.boundOf(m.p, 0)
			once.Expect(once.join(group)).To(Succeed())
			once.Expect(once.p.DestroyID(once.ctx, once.id)).To(Succeed())
		}
		m.kill()
		w.configure(spec.Change{RemoveDevice: &spec.DeviceChange{Device: "rxe0"}})
		return fmt.Sprint(w.state().Taint)
	}, "0", "512"},
	"destroy-keeps-events": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.PollChannel(m.ctx, m.ch)).To(Succeed())
		m.Expect(m.p.DestroyID(m.ctx, m.id)).To(Succeed())
		return m.eventsLeft()
	}, "HANG", "SIGSEGV"},
	"destroy-qp-attached": {func(w *world) string {
		m := w.attachedMember(0, group)
		return spec.Outcome(m.p.IBVDestroyQP(m.ctx, m.qp))
	}, "EBUSY", "0"},
	"exit-keeps-filter": {seeKilled(func(s spec.HostState) string { return fmt.Sprint(len(s.Filters)) }), "3", "4"},
	"pd-leak-at-exit":   {seeKilled(func(s spec.HostState) string { return fmt.Sprint(s.Resources["pd"]) }), "0", "1"},

	"detach-makes-no-room": {func(w *world) string {
		members := w.fill(room)
		members[0].Expect(members[0].leave(group)).To(Succeed())
		return w.late()
	}, "0", "ENOMEM"},
	"full-is-einval": {func(w *world) string {
		w.fill(room)
		return w.late()
	}, "ENOMEM", "EINVAL"},
	"groups-go-on-counting": {func(w *world) string {
		m := w.bound(0).withQP()
		m.attachTo(groupRoom)
		m.Expect(m.detaches(group)).To(Equal("0"))
		return spec.Outcome(m.p.AttachMulticast(m.ctx, m.qp, spec.GID{0: 0xff, 15: 1}, 0))
	}, "0", "ENOMEM"},
	"groups-of-a-socket": {func(w *world) string {
		m := w.bound(0)
		for i := range 20 {
			m.joined(addr(fmt.Sprintf("239.9.0.%d", i+1)))
		}
		return spec.Outcome(m.join(group))
	}, "0", "ENOMEM"},
	"one-group-more": {func(w *world) string {
		return fmt.Sprint(w.bound(0).withQP().attachTo(groupRoom + 1))
	}, "map[0:8192 ENOMEM:1]", "map[0:8193]"},
	"one-qp-more": {func(w *world) string {
		w.fill(room)
		return w.late()
	}, "ENOMEM", "0"},
}

// What rxe has room for: QPs in a group, and groups.
const (
	room      = 56
	groupRoom = 8192
)

// fill makes so many members of the group whose QPs are attached.
func (w *world) fill(n int) []*member {
	members := make([]*member, n)
	for i := range members {
		members[i] = w.attachedMember(0, group)
	}
	return members
}

// late is the outcome of one more attach to the group.
func (w *world) late() string {
	m := w.bound(0).withQP()
	return spec.Outcome(m.p.AttachMulticast(m.ctx, m.qp, spec.MGIDOf(group.Addr()), 0))
}

// attachTo attaches the QP to so many groups in a row, and counts the outcomes.
func (m *member) attachTo(groups int) map[string]int {
	attach := call.Step("ibv_attach_mcast", &call.AttachMulticastArgs{QP: m.qp, GID: spec.MGIDOf(group.Addr())})
	attach.Advance = true
	tallies, err := m.script(groups, []spec.Step{attach})
	m.Expect(err).NotTo(HaveOccurred())
	return tallies[0][0].Outcomes
}

func (m *member) kill() {
	_, err := m.p.Kill(m.ctx)
	m.Expect(err).NotTo(HaveOccurred())
}

// seeKilled is what is seen of a host once a member with a QP has been killed.
func seeKilled(see func(spec.HostState) string) func(*world) string {
	return func(w *world) string {
		w.attachedMember(0, group).kill()
		return see(w.state())
	}
}

func igmpGroups(s spec.HostState) string { return fmt.Sprint(len(s.IGMP)) }

func qps(s spec.HostState) string { return fmt.Sprint(s.Resources["qp"]) }

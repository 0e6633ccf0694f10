package sim_test

import (
	"fmt"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfLeave show the quirks of how a membership ends.
var probesOfLeave = map[string]probe{
	"leave-null-not-found": {func(w *world) string {
		return spec.Outcome(w.bound(0).leave(nil))
	}, "EINVAL", "EADDRNOTAVAIL"},
	"early-leave-waits": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		return spec.Outcome(m.leave(group))
	}, "0", "HANG"},
	"leave-awaits-all-events": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		m.Expect(m.join(addr("239.7.7.7"))).To(Succeed())
		m.event()
		return spec.Outcome(m.leave(group))
	}, "0", "HANG"},
	"leave-ends-all-equal": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		m.joined(group)
		return m.leavesTwice()
	}, "0 0", "0 EADDRNOTAVAIL"},
	"leave-needs-qp": {func(w *world) string {
		m := w.attachedMember(0, group)
		m.Expect(m.detaches(group)).To(Equal("0"))
		m.Expect(m.p.DestroyQP(m.ctx, m.id)).To(Succeed())
		return spec.Outcome(m.leave(group))
	}, "0", "EINVAL"},
	"leave-tells-detach": {func(w *world) string {
		m := w.attachedMember(0, group)
		m.Expect(m.detaches(group)).To(Equal("0"))
		return spec.Outcome(m.leave(group))
	}, "0", "EINVAL"},
	"sendonly-leave-detaches": {func(w *world) string {
		m := w.bound(0).withQP()
		m.sendOnly(group)
		m.Expect(m.attaches(group)).To(Equal("0"))
		m.Expect(m.leave(group)).To(Succeed())
		return m.detaches(group)
	}, "0", "EINVAL"},
	"igmp-once-per-id": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		m.joined(group)
		return w.igmpUsers(group)
	}, "2", "1"},
	"deliver-after-detach": {func(w *world) string {
		sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
		w.bound(1).joined(group) // so that the host still lets the group in
		m.post(1)
		m.Expect(m.leave(group)).To(Succeed())
		sender.send(group, []byte("hello"), nil)
		_, err := m.p.WaitCompletion(m.ctx, m.qp, spec.RecvQueue)
		return spec.Outcome(err)
	}, "HANG", "0"},
	"early-leave-detaches": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.attaches(group)).To(Equal("0"))
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.leave(group)).To(Succeed())
		return m.detaches(group)
	}, "0", "EINVAL"},
	"error-needs-no-ack": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.join(unattachable)).To(Succeed())
		m.event()
		return spec.Outcome(m.leave(unattachable))
	}, "HANG", "0"},
	"leave-any-handle": {func(w *world) string {
		f := w.rawFile()
		handle := f.writes(f.joinCommand(f.boundID(), group))
		f.opens()
		return f.leaves(handle)
	}, "EINVAL", "0"},
	"leave-misses-wake-up": {seeLeaveThatWaits, "0", "HANG"},
	"leave-ends-igmp": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		w.bound(0).joined(group)
		m.Expect(m.leave(group)).To(Succeed())
		return w.igmpUsers(group)
	}, "1", "0"},
	"leave-wrong-igmp": {func(w *world) string {
		m, newer := w.bound(0), addr("239.7.7.7")
		m.joined(group)
		m.joined(newer)
		m.Expect(m.leave(group)).To(Succeed())
		return w.igmpUsers(group) + " " + w.igmpUsers(newer)
	}, "0 1", "1 0"},
	"ipv6-leave-ignores-scope": {func(w *world) string {
		m, scoped := w.bound(0), addr("ff12::7")
		m.joined(scoped)
		scoped = scoped.Clone()
		scoped[spec.SizeofSockaddrIn6-4] = 1
		return spec.Outcome(m.leave(scoped))
	}, "EADDRNOTAVAIL", "0"},
	"leave-by-mgid": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		return spec.Outcome(m.leave(addr("::ffff:239.1.2.3")))
	}, "EADDRNOTAVAIL", "0"},
	"rocev1-leave-ends-igmp": {seeLeaveOfEveryHost, "true", "false"},
	"leave-unlists-late": {func(w *world) string {
		const rounds = 50
		m := w.bound(0)
		for i := range rounds {
			m.joined(addr(fmt.Sprintf("239.1.2.%d", 3+i)))
		}
		tallies, err := m.script(rounds, m.leaver(), m.leaver())
		m.Expect(err).NotTo(HaveOccurred())
		return fmt.Sprint(tallies[0][0].Outcomes["ENOENT"]+tallies[1][0].Outcomes["ENOENT"] > 0)
	}, "false", "true"},
	"leave-keeps-listed": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		return m.leavesTwice()
	}, "0 EADDRNOTAVAIL", "0 ENOENT"},
}

func (m *member) leavesTwice() string {
	return spec.Outcome(m.leave(group)) + " " + spec.Outcome(m.leave(group))
}

// igmpUsers is how many users the host under test has of a group.
func (w *world) igmpUsers(a spec.Sockaddr) string {
	for _, m := range w.state().IGMP {
		if m.Group == a.Addr() {
			return fmt.Sprint(m.Users)
		}
	}
	return "0"
}

// seeLeaveThatWaits is the answer of a leave that waits for an acknowledgement while another group is joined.
func seeLeaveThatWaits(w *world) string {
	m := w.bound(0)
	m.Expect(m.join(group)).To(Succeed())
	held := m.event()
	done := make(chan error, 1)
	go func() { done <- m.p.LeaveMulticast(spec.Concurrent(m.ctx), m.id, group) }()
	m.Eventually(func() ([]spec.InFlight, error) { return m.p.InFlight(m.ctx) }).Should(HaveLen(1))
	m.joined(addr("239.7.7.7"))
	m.Expect(m.p.AckEvent(m.ctx, held.Ref)).To(Succeed())
	open, err := m.p.InFlight(m.ctx)
	m.Expect(err).NotTo(HaveOccurred())
	if len(open) > 0 {
		return "HANG"
	}
	return spec.Outcome(<-done)
}

// seeLeaveOfEveryHost tells whether a host is still in the group of all hosts when an id has left it.
func seeLeaveOfEveryHost(w *world) string {
	everyHost := addr("224.0.0.1")
	m := w.bound(0)
	m.joined(everyHost)
	m.Expect(m.leave(everyHost)).To(Succeed())
	return fmt.Sprint(w.igmpUsers(everyHost) != "0")
}

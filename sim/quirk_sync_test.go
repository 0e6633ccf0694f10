package sim_test

import (
	"fmt"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfSync show the quirks of synchronous ids, and of ids that migrate.
var probesOfSync = map[string]probe{
	"sync-join-drops-event": {func(w *world) string {
		m := w.sync()
		m.Expect(m.join(group)).To(Succeed())
		return fmt.Sprint(m.own() != nil)
	}, "true", "false"},
	"sync-failed-attach-untold": {func(w *world) string {
		return spec.Outcome(w.sync().withQP().join(unattachable))
	}, "EINVAL", "0"},
	"sync-leave-refused": {func(w *world) string {
		m := w.sync()
		m.Expect(m.join(group)).To(Succeed())
		return spec.Outcome(m.leave(group))
	}, "0", "EBUSY"},
	"sync-errno-negative": {func(w *world) string {
		m := w.sync()
		w.losesAddress()
		return spec.Outcome(m.join(group))
	}, "ENOENT", "errno -2"},
	"sync-refused-join-waits": {func(w *world) string {
		m := &member{world: w, p: w.procs[0]}
		var err error
		m.id, err = m.p.CreateID(w.ctx, 0, 0, spec.PSUDP)
		w.Expect(err).NotTo(HaveOccurred())
		return spec.Outcome(m.join(group))
	}, "EINVAL", "HANG"},
	"sync-ack-uncounted": {func(w *world) string {
		m := w.sync()
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.AckEvent(m.ctx, m.own().Ref)).To(Succeed())
		return spec.Outcome(m.leave(group))
	}, "0", "HANG"},
	"sync-destroy-hangs": {func(w *world) string {
		m := w.sync()
		m.Expect(m.join(group)).To(Succeed())
		return spec.Outcome(m.p.DestroyID(m.ctx, m.id))
	}, "0", "HANG"},
	"migrate-keeps-later": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.migrates()).To(Equal("0"))
		m.Expect(m.join(group)).To(Succeed())
		return m.eventsLeft()
	}, "MULTICAST_JOIN HANG", "HANG"},
	"migrate-loses-unread": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.PollChannel(m.ctx, m.ch)).To(Succeed())
		m.Expect(m.migrates()).To(Equal("0"))
		return m.eventsLeft()
	}, "MULTICAST_JOIN HANG", "HANG"},
	"migrate-keeps-memberships": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		m.Expect(m.migrates()).To(Equal("0"))
		return spec.Outcome(m.leave(group))
	}, "0", "EINVAL"},
	"migrate-wakes-nobody": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.PollChannel(m.ctx, m.ch)).To(Succeed())
		return m.sleepersAfterMigration()
	}, "0", "1"},
	"migrate-wakes-always": {func(w *world) string { return w.bound(0).sleepersAfterMigration() }, "1", "0"},
	"migrate-needs-channel": {func(w *world) string {
		m := w.bound(0)
		return spec.Outcome(m.p.MigrateID(m.ctx, m.id, 0))
	}, "0", "EINVAL"},
	"migrate-stays-async": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.p.MigrateID(m.ctx, m.id, 0)).To(Succeed())
		m.Expect(m.join(group)).To(Succeed())
		return fmt.Sprint(m.own() != nil)
	}, "true", "false"},
}

// own is id->event.
func (m *member) own() *spec.Event {
	s, err := m.p.ReadID(m.ctx, m.id)
	m.Expect(err).NotTo(HaveOccurred())
	return s.Event
}

// migrates takes the id to a new channel.
func (m *member) migrates() string {
	m.ch = m.channel()
	return spec.Outcome(m.p.MigrateID(m.ctx, m.id, m.ch))
}

// sleepersAfterMigration is how many sleep on a new channel after the id has come there, of one.
func (m *member) sleepersAfterMigration() string {
	to := m.channel()
	m.Expect(spec.Outcome(m.p.PollChannel(m.ctx, to))).To(Equal("HANG"), "control: nothing is there yet")
	m.Expect(m.p.MigrateID(m.ctx, m.id, to)).To(Succeed())
	open, err := m.p.InFlight(m.ctx)
	m.Expect(err).NotTo(HaveOccurred())
	return fmt.Sprint(len(open))
}

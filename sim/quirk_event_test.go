package sim_test

import (
	"fmt"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfEvents show the quirks of what is told, by events and by what a call returns.
var probesOfEvents = map[string]probe{
	"listen-id-told": {seeEvent(func(e spec.Event) any { return e.ListenID == e.ID }), "false", "true"},
	"context-of-newest": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.p.JoinMulticast(m.ctx, m.id, group, 1)).To(Succeed())
		m.Expect(m.p.JoinMulticast(m.ctx, m.id, addr("239.7.7.7"), 2)).To(Succeed())
		return fmt.Sprint(uint64(m.event().UD.PrivateData))
	}, "1", "2"},
	"context-has-length":   {seeEvent(func(e spec.Event) any { return e.UD.PrivateDataLen }), "0", "8"},
	"event-without-qpn":    {seeEvent(func(e spec.Event) any { return e.UD.QPNum }), "16777215", "0"},
	"event-without-qkey":   {seeEvent(func(e spec.Event) any { return e.UD.QKey }), "19088743", "0"},
	"event-without-port":   {seeEvent(func(e spec.Event) any { return e.UD.AH.PortNum }), "1", "0"},
	"event-without-source": {seeEvent(func(e spec.Event) any { return e.UD.AH.GRH.SGIDIndex }), "1", "255"},
	"event-hop-limit-one":  {seeEvent(func(e spec.Event) any { return e.UD.AH.GRH.HopLimit }), "64", "1"},
	"event-flow-label":     {seeEvent(func(e spec.Event) any { return e.UD.AH.GRH.FlowLabel }), "0", "74565"},
	"failed-attach-fails-get": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.join(unattachable)).To(Succeed())
		_, err := m.p.GetEvent(m.ctx, m.ch)
		return spec.Outcome(err)
	}, "0", "EINVAL"},
	"failed-attach-status-zero": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.join(unattachable)).To(Succeed())
		return fmt.Sprint(m.event().Status)
	}, "-1", "0"},
	"failure-is-join": {func(w *world) string { return w.failure().Type.String() }, "MULTICAST_ERROR", "MULTICAST_JOIN"},
	"status-positive": {func(w *world) string { return fmt.Sprint(w.failure().Status) }, "-2", "2"},
	"empty-is-enodata": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.p.SetNonblock(m.ctx, m.ch, true)).To(Succeed())
		_, err := m.p.GetEvent(m.ctx, m.ch)
		return spec.Outcome(err)
	}, "EAGAIN", "ENODATA"},
	"removal-untold": {func(w *world) string {
		m := w.bound(0)
		m.losesDevice()
		return m.eventsLeft()
	}, "DEVICE_REMOVAL HANG", "HANG"},
	"removed-id-stays": {func(w *world) string {
		m := w.bound(0)
		m.losesDevice()
		m.acked()
		return spec.Outcome(m.p.DestroyID(m.ctx, m.id))
	}, "0", "ENXIO"},
	"leave-returns-errno": {func(w *world) string { return fmt.Sprint(retOf(w, w.bound(0).leave(group))) }, "-1", "99"},
	"poll-misses-event": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		return spec.Outcome(m.p.PollChannel(m.ctx, m.ch))
	}, "0", "HANG"},
	"write-error-lost": {func(w *world) string {
		p := w.mischief()
		m := w.boundOf(p, 0)
		_, err := p.(spec.Mischief).SetFD(m.ctx, m.ch, -1)
		m.Expect(err).NotTo(HaveOccurred())
		return spec.Outcome(m.join(group))
	}, "EBADF", "ENODATA"},
	"calloc-unchecked": {func(w *world) string {
		p := w.mischief()
		m := w.boundOf(p, 0)
		m.Expect(p.(spec.Mischief).FailNext(m.ctx, spec.Calloc, 0, spec.ENOMEM)).To(Succeed())
		return spec.Outcome(m.join(group))
	}, "ENOMEM", "SIGSEGV"},
	"lost-answer-keeps-join": {func(w *world) string {
		f := w.rawFile()
		c := f.joinCommand(f.boundID(), group)
		c.Unmapped = true
		_, err := f.WriteRaw(w.ctx, f.file, c)
		return fmt.Sprint(spec.Outcome(err), " ", len(w.state().IGMP))
	}, "EFAULT 1", "EFAULT 2"},
}

// seeEvent tells something of a JOIN event.
func seeEvent(of func(spec.Event) any) func(w *world) string {
	return func(w *world) string { return fmt.Sprint(of(w.bound(0).joined(group))) }
}

// failure is the event of a join that the kernel fails under way.
func (w *world) failure() spec.Event {
	m := w.bound(0)
	w.losesAddress()
	m.Expect(m.join(group)).To(Succeed())
	return m.event()
}

// losesDevice takes the device away that the id is bound to; that call ends with the process.
func (m *member) losesDevice() {
	go func() {
		remove := spec.Change{RemoveDevice: &spec.DeviceChange{Device: "rxe0"}}
		_, _ = m.hosts[0].(spec.Configurer).Configure(spec.Concurrent(m.ctx), remove)
	}()
	m.Eventually(func() []spec.Port {
		ports, err := m.hosts[0].Ports(m.ctx)
		m.Expect(err).NotTo(HaveOccurred())
		return ports
	}).Should(BeEmpty())
}

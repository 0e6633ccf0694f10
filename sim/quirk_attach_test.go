package sim_test

import (
	"errors"
	"fmt"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// unattachable can be joined on RoCEv2, and no QP attached to it.
var unattachable = addr("192.168.1.1")

// probesOfAttach show the quirks of when a QP is attached, and of attaching by hand.
var probesOfAttach = map[string]probe{
	"attach-qp-of-join": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.withQP().acked()
		return m.detaches(group)
	}, "0", "EINVAL"},
	"attach-late-qp": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		return m.withQP().detaches(group)
	}, "EINVAL", "0"},
	"destroyed-qp-stays": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.DestroyQP(m.ctx, m.id)).To(Succeed())
		return m.acked().Type.String()
	}, "MULTICAST_JOIN", "MULTICAST_ERROR"},
	"failed-attach-ends": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.join(unattachable)).To(Succeed())
		m.acked()
		return spec.Outcome(m.leave(unattachable))
	}, "0", "EADDRNOTAVAIL"},
	"attach-beyond-limit": {func(w *world) string {
		w.fillsGroup()
		return w.bound(0).withQP().attaches(group)
	}, "ENOMEM", "0"},
	"refused-attach-takes-room": {func(w *world) string {
		first, m := w.fillsGroup(), w.bound(0).withQP()
		m.Expect(m.attaches(group)).To(Equal("ENOMEM"))
		m.Expect(first.detaches(group)).To(Equal("0"))
		return m.attaches(group)
	}, "0", "ENOMEM"},
	"leave-detaches-own-only": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		m.Expect(m.withQP().attaches(group)).To(Equal("0"))
		m.Expect(m.leave(group)).To(Succeed())
		return m.detaches(group)
	}, "EINVAL", "0"},
	"attach-minus-one": {func(w *world) string {
		m := w.bound(0).withQP()
		return fmt.Sprint(retOf(w, m.p.AttachMulticast(m.ctx, m.qp, spec.GID{}, 0)))
	}, "22", "-1"},
	"attach-connected": {func(w *world) string { return w.connected().attaches(group) }, "EINVAL", "0"},
	"attach-counted": {func(w *world) string {
		m := w.attachedMember(0, group)
		return m.attaches(group) + " " + m.detaches(group) + " " + m.detaches(group)
	}, "0 0 EINVAL", "0 0 0"},
	"iwarp-attach-enosys": {func(w *world) string { return w.connected().attaches(group) }, "EOPNOTSUPP", "ENOSYS"},
	"ethernet-permissive-mlid": {func(w *world) string {
		m := w.bound(0).withQP()
		return spec.Outcome(m.p.AttachMulticast(m.ctx, m.qp, spec.MGIDOf(group.Addr()), 0xffff))
	}, "0", "EINVAL"},
	"detach-unattached-succeeds": {func(w *world) string { return w.bound(0).withQP().detaches(group) }, "EINVAL", "0"},
}

// attaches attaches the QP to a group by hand.
func (m *member) attaches(a spec.Sockaddr) string {
	return spec.Outcome(m.p.AttachMulticast(m.ctx, m.qp, spec.MGIDOf(a.Addr()), 0))
}

// fillsGroup attaches as many QPs to the group as its device takes, and gives the first.
func (w *world) fillsGroup() (first *member) {
	first = w.bound(0).withQP()
	limits, err := first.p.QueryDevice(w.ctx, first.id)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(first.attaches(group)).To(Equal("0"))
	for range limits.MaxMcastQPAttach - 1 {
		w.Expect(w.bound(0).withQP().attaches(group)).To(Equal("0"))
	}
	return first
}

// connected is an id on the host under test with a QP of type RC.
func (w *world) connected() *member {
	m := w.unbound(spec.PSTCP)
	m.Expect(m.p.BindAddr(m.ctx, m.id, w.addrOf(0))).To(Succeed())
	var err error
	m.qp, err = m.p.CreateQP(m.ctx, m.id, spec.QPInitAttr{Type: spec.QPTypeRC, MaxSendWR: 1, MaxRecvWR: 1})
	m.Expect(err).NotTo(HaveOccurred())
	return m
}

// retOf is what a call that failed returned.
func retOf(w *world, err error) int {
	var failed *spec.CallError
	w.Expect(errors.As(err, &failed)).To(BeTrue())
	return failed.Ret
}

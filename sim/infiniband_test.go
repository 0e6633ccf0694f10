package sim_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// inject makes a fault of the subnet happen at the host under test.
func (w *world) inject(f spec.SMFault) {
	_, err := w.hosts[0].(spec.Faulter).Inject(w.ctx, spec.Fault{SM: &f})
	w.Expect(err).NotTo(HaveOccurred())
}

// boundIn makes an id of a port space on the host under test.
func (w *world) boundIn(ps spec.PortSpace) *member {
	m := w.unbound(ps)
	m.Expect(m.p.BindAddr(m.ctx, m.id, w.addrOf(0))).To(Succeed())
	return m
}

// told is the event of a join of a.
func (m *member) told(a spec.Sockaddr) spec.Event {
	m.Expect(m.join(a)).To(Succeed())
	return m.acked()
}

// tells is the types and the statuses of the events that the member gets; the last word is why there are no more.
func (m *member) tells() string {
	for seen := ""; ; {
		e, err := m.p.GetEvent(m.ctx, m.ch)
		if err != nil {
			return seen + spec.Outcome(err)
		}
		seen += fmt.Sprint(e.Type, " ", e.Status, " ")
	}
}

var probesOfInfiniBand = map[string]probe{
	"ib-any-mlid": {func(w *world) string {
		m := w.bound(0).withQP()
		return spec.Outcome(m.p.AttachMulticast(m.ctx, m.qp, spec.GID{0: 0xff, 15: 1}, 0xBFFF))
	}, "EINVAL", "0"},
	"ib-default-qkey": {func(w *world) string {
		return fmt.Sprintf("%#x", w.boundIn(spec.PSIPoIB).joined(group).UD.QKey)
	}, "0xb1b", "0x1234567"},
	"ib-keeps-groups": {func(w *world) string {
		w.configure(spec.Change{SetSubnet: &spec.SubnetChange{MLIDs: 2}}) // one is the broadcast group's
		m := w.bound(0)
		m.joined(group)
		m.Expect(m.leave(group)).To(Succeed())
		return m.told(addr("239.9.9.9")).Type.String()
	}, "MULTICAST_JOIN", "MULTICAST_ERROR"},
	"ib-loss-untold": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		w.inject(spec.SMFault{Event: spec.PortError})
		return m.tells()
	}, "MULTICAST_ERROR -102 HANG", "HANG"},
	"ib-maps-assigned": {func(w *world) string {
		return w.bound(0).joined(addr("ff12:a01b::7")).UD.AH.GRH.DGID.String()
	}, "ff12:a01b::7", "ff12:601b::7"},
	"ib-no-assigned-group": {func(w *world) string {
		return spec.Outcome(w.bound(0).join(addr("0.0.0.0")))
	}, "0", "EINVAL"},
	"ib-one-signature": {func(w *world) string {
		return w.bound(0).joined(group).UD.AH.GRH.DGID.String()
	}, "ff12:4001:ffff::f01:203", "ff12:401b:ffff::f01:203"},
	"ib-privileged-qkey": {func(w *world) string {
		w.configure(spec.Change{SetSubnet: &spec.SubnetChange{QKey: 0x80000b1b}})
		p := w.mischief()
		w.Expect(p.(spec.Mischief).SetEUID(w.ctx, 1000)).To(Succeed())
		m := w.unboundOf(p, spec.PSIPoIB)
		m.Expect(p.BindAddr(m.ctx, m.id, w.addrOf(0))).To(Succeed())
		_, err := p.CreateQP(m.ctx, m.id, spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 1, MaxRecvWR: 1})
		return spec.Outcome(err)
	}, "EPERM", "0"},
	"ib-refusal-untold": {func(w *world) string {
		w.inject(spec.SMFault{Refuse: 0x0700})
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		return m.tells()
	}, "MULTICAST_ERROR -22 HANG", "HANG"},
	"ib-sendonly-becomes-full": {func(w *world) string {
		w.configure(spec.Change{SetSubnet: &spec.SubnetChange{NoSendOnly: true}})
		m := w.bound(0)
		m.Expect(m.p.JoinMulticastEx(m.ctx, m.id, &spec.JoinAttr{
			CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: group,
		}, 0)).To(Succeed())
		return m.tells()
	}, "MULTICAST_ERROR -22 HANG", "MULTICAST_JOIN 0 HANG"},
	"sendonly-asks-nobody": {func(w *world) string {
		m := w.bound(0)
		w.inject(spec.SMFault{Event: spec.ClientReregister})
		return spec.Outcome(m.p.JoinMulticastEx(m.ctx, m.id, &spec.JoinAttr{
			CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: group,
		}, 0))
	}, "0", "EOPNOTSUPP"},
	"ib-swapped-mlid": {func(w *world) string {
		return fmt.Sprintf("%#x", w.bound(0).joined(group).UD.AH.DLID)
	}, "0xc001", "0x1c0"},
	"ib-without-broadcast": {func(w *world) string {
		m := w.bound(0)
		w.configure(spec.Change{SetLink: &spec.LinkChange{Netdev: "ib0"}})
		return spec.Outcome(m.join(group))
	}, "EADDRNOTAVAIL", "0"},
}

// Datagrams go to the members on both hosts, the sender's own QP included, with a GRH that names the group and the
// sender; a send-only member's host gets none.
func TestInfiniBandCarriesDatagramsToTheMembers(t *testing.T) {
	w := newWorldWith(t, on[spec.InfiniBand], 1)
	sender := w.bound(0).withQP()
	joined := sender.joined(group)
	far, quiet := w.attachedMember(1, group), w.bound(1).withQP()
	quiet.sendOnly(group)
	for _, m := range []*member{sender, far, quiet} {
		m.post(1)
	}

	sender.sendAsTold(joined, "hello")

	for _, m := range []*member{sender, far} {
		got := m.receives()
		m.Expect(string(got.Data)).To(Equal("hello"))
		m.Expect(got.SLID).NotTo(BeZero())
		m.Expect(spec.GID(got.GRH[8:24]).String()).To(Equal("fe80::ff:fe00:1"))
		m.Expect(spec.GID(got.GRH[24:40])).To(Equal(joined.UD.AH.GRH.DGID))
	}
	quiet.receivesNothing()
}

// The sender's LID and QP number are the way back to it, without a GRH too.
func TestInfiniBandAnswersByLID(t *testing.T) {
	w := newWorldWith(t, on[spec.InfiniBand], 1)
	member, sender := w.attachedMember(0, group), w.attachedMember(1, group)
	member.post(1)
	sender.post(2)
	sender.sendAsTold(sender.joined(group), "question")
	sender.receives()
	question := member.receives()

	ah, err := member.p.CreateAH(member.ctx, member.id, spec.AHAttr{DLID: question.SLID, PortNum: 1})
	member.Expect(err).NotTo(HaveOccurred())
	member.sendWR(spec.SendWR{AH: ah, RemoteQPN: question.SrcQP, QKey: spec.UDPQKey, Data: spec.Bytes("answer")})

	answer := sender.receives()
	sender.Expect(string(answer.Data)).To(Equal("answer"))
	sender.Expect(answer.HasGRH).To(BeFalse())
	sender.Expect(answer.ByteLen).To(BeEquivalentTo(spec.GRHBytes + len("answer")))
}

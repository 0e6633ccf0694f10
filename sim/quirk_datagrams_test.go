package sim_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfDatagrams show the quirks of datagrams.
var probesOfDatagrams = map[string]probe{
	"attach-counts": {func(w *world) string {
		m := w.attachedMember(1, group)
		m.Expect(m.p.AttachMulticast(m.ctx, m.qp, spec.MGIDOf(group.Addr()), 0)).To(Succeed())
		m.post(4)
		w.bound(0).withQP().send(group, []byte("x"), nil)
		return m.gets(payload)
	}, "x HANG", "x x HANG"},
	"buffer-needed": {func(w *world) string {
		sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
		sender.send(group, []byte("lost"), nil)
		_, err := w.hosts[1].Observe(w.ctx) // an observation settles the world
		w.Expect(err).NotTo(HaveOccurred())
		m.post(1)
		sender.send(group, []byte("kept"), nil)
		return m.gets(payload)
	}, "kept HANG", "HANG"},
	"deliver-to-first": {func(w *world) string {
		first, second := w.attachedMember(1, group), w.attachedMember(1, group)
		first.post(1)
		second.post(1)
		w.bound(0).withQP().send(group, []byte("x"), nil)
		first.Expect(payload(first.receives())).To(Equal("x"))
		return second.gets(payload)
	}, "x HANG", "HANG"},
	"deliver-to-twins": {func(w *world) string {
		const twin = "239.129.2.3"
		sender, witness, m := w.bound(0).withQP(), w.attachedMember(1, group), w.attachedMember(1, addr(twin))
		witness.post(1)
		m.post(1)
		sender.send(group, []byte("x"), nil)
		witness.Expect(payload(witness.receives())).To(Equal("x"))
		return m.gets(payload)
	}, "HANG", "x HANG"},
	"empty-dropped":      {seeSent(length, ""), "40 HANG", "HANG"},
	"imm-zero-lost":      {seeImm(0), "0 HANG", "none HANG"},
	"imm-stays":          {seeImm(7, -1), "7 none HANG", "7 7 HANG"},
	"mtu-one-less":       {seeSent(length, strings.Repeat("x", 1024)), "1064 HANG", "HANG"},
	"pad-counted":        {seeSent(length, "12345"), "45 HANG", "48 HANG"},
	"src-qp-own":         {seeSent(sourceQP, "x"), "17 HANG", "18 HANG"},
	"header-swapped":     {seeSent(destination, "x"), "239.1.2.3 HANG", "192.168.100.1 HANG"},
	"too-long-truncated": {seeSent(length, strings.Repeat("x", 1025)), "HANG", "1064 HANG"},
	"header-stays": {func(w *world) string {
		other := addr("239.7.7.7")
		sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
		m.joined(other)
		m.post(4)
		sender.send(group, []byte("x"), nil)
		sender.send(other, []byte("x"), nil)
		return m.gets(destination)
	}, "239.1.2.3 239.7.7.7 HANG", "239.1.2.3 239.1.2.3 HANG"},
	"link-ends-groups": {func(w *world) string {
		w.bound(0).joined(group)
		w.configure(spec.Change{SetLink: &spec.LinkChange{Netdev: "eth0"}})
		return fmt.Sprint(len(w.state().IGMP))
	}, "1", "0"},
	"loops-nothing": {func(w *world) string {
		m := w.attachedMember(0, group)
		m.post(1)
		m.send(group, []byte("x"), nil)
		return m.gets(payload)
	}, "x HANG", "HANG"},
	"members-only": {seeSent(payload, "x"), "x HANG", "HANG"},
	"qkey-ignored": {func(w *world) string {
		sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
		m.post(1)
		sender.sendWR(spec.SendWR{AH: sender.ah(group), RemoteQPN: spec.MulticastQPN, QKey: 1, Data: []byte("x")})
		return m.gets(payload)
	}, "HANG", "x HANG"},
	"short-buffer-filled": {func(w *world) string {
		sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
		m.Expect(m.p.PostRecv(m.ctx, m.qp, spec.RecvWR{Size: 42})).To(Succeed())
		sender.send(group, []byte("hello"), nil)
		return m.gets(payload)
	}, "HANG", "he HANG"},
	"vlan-untagged": {func(w *world) string {
		from, to := w.addVLAN(0), w.addVLAN(1)
		sender, m := w.boundTo(0, from).withQP(), w.boundTo(1, to).withQP()
		m.joined(group)
		m.post(1)
		sender.sendAsTold(sender.joined(group), "x")
		return m.gets(payload)
	}, "x HANG", "HANG"},
}

// gets is what is seen of each datagram that a member gets; the last word is why there are no more.
func (m *member) gets(see func(spec.Completion) string) string {
	for seen := ""; ; {
		wc, err := m.p.WaitCompletion(m.ctx, m.qp, spec.RecvQueue)
		if err != nil {
			return seen + spec.Outcome(err)
		}
		seen += see(wc) + " "
	}
}

// What is seen of a datagram.
func payload(wc spec.Completion) string  { return string(wc.Data) }
func length(wc spec.Completion) string   { return fmt.Sprint(wc.ByteLen) }
func sourceQP(wc spec.Completion) string { return fmt.Sprint(wc.SrcQP) }

// destination is that of the IPv4 header, which lies at the end of the GRH's room.
func destination(wc spec.Completion) string {
	to := wc.GRH[spec.GRHBytes-4:]
	return fmt.Sprintf("%d.%d.%d.%d", to[0], to[1], to[2], to[3])
}

// seeSent is what a member on the other host gets of a payload that a stranger sends; it is not its device's first QP.
func seeSent(see func(spec.Completion) string, text string) func(*world) string {
	return func(w *world) string {
		w.bound(1).withQP()
		sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
		m.post(4)
		sender.send(group, []byte(text), nil)
		return m.gets(see)
	}
}

// seeImm is what a member gets of immediate data; of a negative number none are sent.
func seeImm(sent ...int) func(*world) string {
	return func(w *world) string {
		sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
		m.post(4)
		for _, n := range sent {
			var imm *uint32
			if n >= 0 {
				imm = new(uint32(n))
			}
			sender.send(group, []byte("x"), imm)
		}
		return m.gets(func(wc spec.Completion) string {
			if wc.Imm == nil {
				return "none"
			}
			return fmt.Sprint(*wc.Imm)
		})
	}
}

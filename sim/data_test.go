package sim_test

import (
	"bytes"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

// attachedMember is bound, has a QP, and has joined and retrieved.
func (w *world) attachedMember(host int, a spec.Sockaddr) *member {
	m := w.bound(host).withQP()
	m.joined(a)
	return m
}

// post posts n buffers for an ordinary datagram.
func (m *member) post(n int) {
	for i := range n {
		m.Expect(m.p.PostRecv(m.ctx, m.qp, spec.RecvWR{WRID: uint64(i), Size: 2048})).To(Succeed())
	}
}

// ah is an address handle for a group, from the id's IPv4 GID.
func (m *member) ah(a spec.Sockaddr) spec.AH {
	h, err := m.p.CreateAH(m.ctx, m.id, spec.AHAttr{
		IsGlobal: true, PortNum: 1, GRH: spec.GlobalRoute{DGID: spec.MGIDOf(a.Addr()), SGIDIndex: 1, HopLimit: 64},
	})
	m.Expect(err).NotTo(HaveOccurred())
	return h
}

// send sends a datagram to a group and takes its completion.
func (m *member) send(a spec.Sockaddr, data []byte, imm *uint32) {
	m.sendWR(spec.SendWR{AH: m.ah(a), RemoteQPN: spec.MulticastQPN, QKey: spec.UDPQKey, Imm: imm, Data: data})
}

func (m *member) sendWR(wr spec.SendWR) {
	m.Expect(m.p.PostSend(m.ctx, m.qp, wr)).To(Succeed())
	wc, err := m.p.WaitCompletion(m.ctx, m.qp, spec.SendQueue)
	m.Expect(err).NotTo(HaveOccurred())
	m.Expect(wc.Status).To(Equal(spec.WCSuccess))
}

// receives takes a completion; nothing says that none comes.
func (m *member) receives() spec.Completion {
	wc, err := m.p.WaitCompletion(m.ctx, m.qp, spec.RecvQueue)
	m.Expect(err).NotTo(HaveOccurred())
	return wc
}

// receivesNothing ends the process: the wait it makes is never over.
func (m *member) receivesNothing() {
	_, err := m.p.WaitCompletion(m.ctx, m.qp, spec.RecvQueue)
	m.Expect(err).To(BeAssignableToTypeOf(&spec.Hung{}))
}

func TestEveryAttachedMemberGetsOneCopy(t *testing.T) {
	w := newWorld(t, 1)
	sender := w.attachedMember(0, group)
	members := []*member{sender, w.attachedMember(0, group), w.attachedMember(1, group)}
	for _, m := range members {
		m.post(2)
	}
	imm := uint32(0xabcd)
	sender.send(group, []byte("hello"), &imm)
	for _, m := range members {
		wc := m.receives()
		m.Expect(wc.ByteLen).To(Equal(uint32(45)))
		m.Expect(wc.HasGRH).To(BeTrue())
		m.Expect(wc.Imm).To(HaveValue(Equal(imm)))
		m.Expect(wc.Data).To(Equal(spec.Bytes("hello")))
		m.Expect(wc.SrcQP).To(Equal(uint32(17)), "the sender's QP is its host's first")
		m.Expect(wc.GRH[:20]).To(HaveEach(byte(0)))
		m.Expect(wc.GRH[32:40]).To(Equal(spec.Bytes{192, 168, 100, 1, 239, 1, 2, 3}))
	}
	sender.send(group, []byte("sentinel"), nil)
	for _, m := range members {
		m.Expect(m.receives().Data).To(Equal(spec.Bytes("sentinel")))
	}
}

func TestWhoGetsNothing(t *testing.T) {
	for name, deaf := range map[string]func(w *world) *member{
		"another group's member, though the groups share a link-layer address": func(w *world) *member {
			return w.attachedMember(1, addr("224.129.2.3"))
		},
		"attached by hand on a host that is no member": func(w *world) *member {
			m := w.bound(1).withQP()
			m.Expect(m.p.AttachMulticast(m.ctx, m.qp, spec.MGIDOf(group.Addr()), 0)).To(Succeed())
			return m
		},
		"a send-only member": func(w *world) *member {
			m := w.bound(1).withQP()
			attr := &spec.JoinAttr{CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: group}
			m.Expect(m.p.JoinMulticastEx(m.ctx, m.id, attr, 0)).To(Succeed())
			m.acked()
			return m
		},
		"one that left": func(w *world) *member {
			m := w.attachedMember(1, group)
			m.Expect(m.leave(group)).To(Succeed())
			return m
		},
		"one whose link is down": func(w *world) *member {
			m := w.attachedMember(1, group)
			down := spec.Change{SetLink: &spec.LinkChange{Netdev: "eth0", Up: false}}
			_, err := w.hosts[1].(spec.Configurer).Configure(w.ctx, down)
			m.Expect(err).NotTo(HaveOccurred())
			return m
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 2)
			sender, m := w.attachedMember(0, group), deaf(w)
			sender.post(1)
			m.post(1)
			sender.send(group, []byte("x"), nil)
			sender.Expect(sender.receives().Data).To(Equal(spec.Bytes("x")), "the witness")
			m.receivesNothing()
		})
	}
}

func TestADatagramWithoutABufferIsDropped(t *testing.T) {
	w := newWorld(t, 3)
	sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
	sender.send(group, []byte("lost"), nil)
	_, err := w.hosts[1].Observe(w.ctx) // an observation settles the world
	w.Expect(err).NotTo(HaveOccurred())
	m.post(1)
	sender.send(group, []byte("kept"), nil)
	m.Expect(m.receives().Data).To(Equal(spec.Bytes("kept")))
}

func TestPayloadsUpToTheMTUArrive(t *testing.T) {
	w := newWorld(t, 4)
	sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
	m.post(4)
	for _, size := range []int{0, 1, 1024} {
		sender.send(group, bytes.Repeat([]byte{7}, size), nil)
		m.Expect(m.receives().Data).To(HaveLen(size))
	}
	sender.send(group, make([]byte, 1025), nil)
	m.receivesNothing()
}

func TestADatagramWithAnotherQueueKeyIsDropped(t *testing.T) {
	w := newWorld(t, 5)
	sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
	m.post(1)
	sender.sendWR(spec.SendWR{AH: sender.ah(group), RemoteQPN: spec.MulticastQPN, QKey: 1, Data: []byte("x")})
	m.receivesNothing()
}

func TestUnicastReachesTheQPItNames(t *testing.T) {
	w := newWorld(t, 6)
	sender, m := w.bound(0).withQP(), w.bound(1).withQP()
	m.post(1)
	ah := sender.ah(w.addrOf(1))
	sender.sendWR(spec.SendWR{AH: ah, RemoteQPN: 17, QKey: spec.UDPQKey, Data: []byte("x")})
	m.Expect(m.receives().Data).To(Equal(spec.Bytes("x")))
	sender.Expect(sender.p.DestroyAH(w.ctx, ah)).To(Succeed())
}

func TestHopLimitIsTheSendersOfMulticastAndTheRoutesOfUnicast(t *testing.T) {
	for name, c := range map[string]struct {
		to               string
		kernel, rdmaCore string
		want             byte
	}{
		"multicast":                 {"239.1.2.3", "", "", 3},
		"unicast":                   {"192.168.100.2", "", "", 64},
		"unicast of an old kernel":  {"192.168.100.2", "5.10.262", "44.0", 3},
		"unicast of an old library": {"192.168.100.2", "6.1.192", "33.2", 3},
		"unicast of bookworm's":     {"192.168.100.2", "6.1.192", "44.0", 64},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWith(t, sim.Options{Kernel: c.kernel, RDMACore: c.rdmaCore}, 6)
			sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
			m.post(1)
			to := netip.MustParseAddr(c.to)
			ah, err := sender.p.CreateAH(sender.ctx, sender.id, spec.AHAttr{
				IsGlobal: true, PortNum: 1, GRH: spec.GlobalRoute{DGID: spec.MGIDOf(to), SGIDIndex: 1, HopLimit: 3},
			})
			m.Expect(err).NotTo(HaveOccurred())
			wr := spec.SendWR{AH: ah, RemoteQPN: spec.MulticastQPN, QKey: spec.UDPQKey, Data: []byte("x")}
			if !to.IsMulticast() {
				wr.RemoteQPN = 17
			}
			sender.sendWR(wr)
			m.Expect(m.receives().GRH[28]).To(Equal(c.want))
		})
	}
}

func TestTooSmallABufferEndsTheQPOfUpstream(t *testing.T) {
	w := newWorld(t, 7, "short-buffer-is-malformed")
	sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
	m.Expect(m.p.PostRecv(m.ctx, m.qp, spec.RecvWR{Size: 44})).To(Succeed())
	m.post(1)
	sender.send(group, []byte("hello"), nil)
	m.Expect(m.receives().Status).To(Equal(spec.WCLocQPOpErr))
	m.Expect(m.receives().Status).To(Equal(spec.WCWRFlushErr), "what was posted behind it")
	m.post(1)
	m.receivesNothing() // what is posted afterwards stays: rxe's provider wakes nobody
}

func TestAFullReceiveQueueIsENOMEM(t *testing.T) {
	for rdmaCore, want := range map[string]int{"33.2": -12, "44.0": 12} { // the sign was wrong before 40
		t.Run(rdmaCore, func(t *testing.T) {
			m := newWorldWith(t, sim.Options{Kernel: "6.1.192", RDMACore: rdmaCore}, 8).bound(0).withQP()
			m.post(31) // 16 asked for, rounded up to a ring of 32 with one slot free
			err := m.p.PostRecv(m.ctx, m.qp, spec.RecvWR{Size: 64})
			m.Expect(err).To(MatchError(&spec.CallError{Method: "ibv_post_recv", Ret: want}))
		})
	}
}

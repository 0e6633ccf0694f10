package sim_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/sim/quirk"
	"joinmcast/spec"
	"joinmcast/spec/call"
)

// probe shows a quirk: what is seen of a stack without it, and with it.
type probe struct {
	see         func(w *world) string
	law, quirky string
}

// probes tell, for each quirk, how to see it, what the law says, and what the quirk makes of it.
var probes = map[string]probe{
	"ack-lost":                {seeLeaveAfterAck, "0", "HANG"},
	"rocev1-leave-drops-igmp": {seeLeaveOfEveryHost, "true", "false"},
	"ack-not-counted": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.event()
		return spec.Outcome(m.leave(group))
	}, "HANG", "0"},
	"addr-not-copied": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		return spec.Outcome(m.leave(group))
	}, "0", "EADDRNOTAVAIL"},
	"ah-from-the-stack": {func(w *world) string {
		return fmt.Sprint(w.bound(0).joined(group).UD.AH.GRH.TrafficClass)
	}, "0", "90"},
	"attach-only-once": {func(w *world) string {
		m := w.attachedMember(0, group)
		return spec.Outcome(m.p.AttachMulticast(m.ctx, m.qp, spec.MGIDOf(group.Addr()), 0))
	}, "0", "EINVAL"},
	"attach-error-becomes-eperm": {func(w *world) string {
		m := w.sync().withQP()
		return spec.Outcome(m.join(addr("192.168.1.1")))
	}, "EINVAL", "EPERM"},
	"attach-at-join": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.join(group)).To(Succeed())
		return m.detaches(group)
	}, "EINVAL", "0"},
	"attach-unchecked": {func(w *world) string {
		m := w.bound(0).withQP()
		return spec.Outcome(m.p.AttachMulticast(m.ctx, m.qp, spec.GID{1}, 0))
	}, "EINVAL", "0"},
	"deliver-twice":   {seeReceives, "45 45 HANG", "45 45 45 45 HANG"},
	"drop-grh-length": {seeReceives, "45 45 HANG", "5 5 HANG"},
	"destroy-does-not-wait": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.event()
		return spec.Outcome(m.p.DestroyID(m.ctx, m.id))
	}, "HANG", "0"},
	"detach-on-wrong-group": {func(w *world) string {
		m, other := w.bound(0).withQP(), addr("239.7.7.7")
		m.joined(other)
		m.joined(group)
		m.Expect(m.leave(group)).To(Succeed())
		return m.detaches(other)
	}, "0", "EINVAL"},
	"duplicate-event": {seeEvents, "MULTICAST_JOIN HANG", "MULTICAST_JOIN MULTICAST_JOIN HANG"},
	"destroy-ep-leaks-qp": {func(w *world) string {
		m := w.sync().withQP()
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.DestroyEP(m.ctx, m.id)).To(Succeed())
		return fmt.Sprint(w.state().Resources["qp"])
	}, "0", "1"},
	"destroy-keeps-records": {func(w *world) string {
		return fmt.Sprint(w.blocksKept(func(p spec.Process) {
			m := w.boundOf(p, 0)
			m.joined(group)
			m.Expect(p.DestroyID(m.ctx, m.id)).To(Succeed())
			m.Expect(p.DestroyEventChannel(m.ctx, m.ch)).To(Succeed())
		}))
	}, "0", "1"},
	"error-without-context": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.join(addr("192.168.1.1"))).To(Succeed())
		return fmt.Sprintf("%#x", uint64(m.event().UD.PrivateData))
	}, "0xc0ffee", "0x0"},
	"errno-524": {func(w *world) string {
		return spec.Outcome(w.bound(0).join(addr("ff1e::1")))
	}, "EOPNOTSUPP", "ENOTSUPP"},
	"error-has-status-zero": {func(w *world) string {
		m := w.bound(0)
		w.losesAddress()
		m.Expect(m.join(group)).To(Succeed())
		return fmt.Sprint(m.event().Status)
	}, "-2", "0"},
	"failed-attach-untold": {func(w *world) string {
		m := w.bound(0).withQP()
		m.Expect(m.join(addr("192.168.1.1"))).To(Succeed())
		return m.event().Type.String()
	}, "MULTICAST_ERROR", "MULTICAST_JOIN"},
	"first-leave-detaches": {func(w *world) string {
		m := w.attachedMember(0, group)
		m.joined(group)
		m.Expect(m.leave(group)).To(Succeed())
		return m.detaches(group)
	}, "0", "EINVAL"},
	"fifo-leave": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.p.JoinMulticast(m.ctx, m.id, group, 1)).To(Succeed())
		m.Expect(m.p.JoinMulticast(m.ctx, m.id, group, 2)).To(Succeed())
		m.Expect(m.leave(group)).To(Succeed())
		return fmt.Sprint(uint64(m.event().UD.PrivateData))
	}, "1", "2"},
	"leave-detaches-early": {func(w *world) string {
		const rounds = 50
		m := w.bound(0).withQP()
		m.Expect(m.p.SetNonblock(m.ctx, m.ch, true)).To(Succeed())
		member := []spec.Step{
			call.Step("rdma_join_multicast", &call.JoinMulticastArgs{ID: m.id, Addr: group}), m.leaver()[0],
		}
		member[0].Advance = true
		reader := []spec.Step{
			call.Step("rdma_get_cm_event", &call.GetEventArgs{Channel: m.ch}),
			call.Step("rdma_ack_cm_event", &call.AckEventArgs{Event: spec.FromStep[spec.EventRef](0)}),
		}
		_, err := m.script(rounds, member, reader, reader)
		m.Expect(err).NotTo(HaveOccurred())
		detach := call.Step("ibv_detach_mcast", &call.DetachMulticastArgs{QP: m.qp, GID: spec.MGIDOf(group.Addr())})
		detach.Advance = true
		tallies, err := m.script(rounds, []spec.Step{detach})
		m.Expect(err).NotTo(HaveOccurred())
		return fmt.Sprint(tallies[0][0].Outcomes["0"] > 0)
	}, "false", "true"},
	"igmp-leak": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		m.Expect(m.leave(group)).To(Succeed())
		return fmt.Sprint(len(w.state().IGMP))
	}, "1", "2"},
	"join-after-route": {func(w *world) string {
		m := w.unbound(spec.PSUDP)
		m.Expect(m.p.ResolveAddr(m.ctx, m.id, w.addrOf(0), group, 1000)).To(Succeed())
		m.acked()
		m.Expect(m.p.ResolveRoute(m.ctx, m.id, 1000)).To(Succeed())
		m.acked()
		return spec.Outcome(m.join(group))
	}, "EINVAL", "0"},
	"join-unbound-succeeds": {func(w *world) string {
		return spec.Outcome(w.unbound(spec.PSUDP).join(group))
	}, "EINVAL", "0"},
	"kernel-warning": {func(w *world) string {
		w.bound(0).joined(group)
		return fmt.Sprint(len(w.state().KernelLog), w.state().Taint)
	}, "0 0", "1 512"},
	"leave-ignores-port": {func(w *world) string {
		m := w.bound(0)
		m.joined(spec.NewSockaddr(group.Addr(), 7777))
		return spec.Outcome(m.leave(group))
	}, "EADDRNOTAVAIL", "0"},
	"leave-keeps-attached": {func(w *world) string {
		m := w.attachedMember(0, group)
		m.Expect(m.leave(group)).To(Succeed())
		return m.detaches(group)
	}, "EINVAL", "0"},
	"leave-keeps-event": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.leave(group)).To(Succeed())
		return m.eventsLeft()
	}, "HANG", "MULTICAST_JOIN HANG"},
	"leave-unknown-succeeds": {func(w *world) string {
		return spec.Outcome(w.bound(0).leave(group))
	}, "EADDRNOTAVAIL", "0"},
	"lose-context": {func(w *world) string {
		return fmt.Sprintf("%#x", uint64(w.bound(0).joined(group).UD.PrivateData))
	}, "0xc0ffee", "0x0"},
	"lose-event": {seeEvents, "MULTICAST_JOIN HANG", "HANG"},
	"mask-after-address": {func(w *world) string {
		m := w.bound(0)
		return spec.Outcome(m.p.JoinMulticastEx(m.ctx, m.id, &spec.JoinAttr{CompMask: 7}, 0))
	}, "EOPNOTSUPP", "EINVAL"},
	"migrate-does-not-wait": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.event()
		return spec.Outcome(m.p.MigrateID(m.ctx, m.id, w.channel()))
	}, "HANG", "0"},
	"migrate-keeps-events": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.PollChannel(m.ctx, m.ch)).To(Succeed())
		from := m.ch
		m.ch = w.channel()
		m.Expect(m.p.MigrateID(m.ctx, m.id, m.ch)).To(Succeed())
		m.ch = from
		return m.eventsLeft()
	}, "HANG", "MULTICAST_JOIN HANG"},
	"negative-errno": {func(w *world) string {
		err := w.bound(0).join(nil)
		var refused *spec.CallError
		w.Expect(errors.As(err, &refused)).To(BeTrue())
		return fmt.Sprint(refused.Ret)
	}, "-1", "-22"},
	"qp-leak-at-exit": {func(w *world) string {
		m := w.bound(0).withQP()
		_, err := m.p.Kill(m.ctx)
		w.Expect(err).NotTo(HaveOccurred())
		return fmt.Sprint(w.state().Resources["qp"])
	}, "0", "1"},
	"refused-bind-sticks": {func(w *world) string {
		m := w.unbound(spec.PSUDP)
		w.configure(spec.Change{AddNetdev: &spec.NewNetdev{Netdev: "bare0", Prefix: netip.MustParsePrefix("10.7.0.1/24")}})
		m.Expect(spec.Outcome(m.p.BindAddr(m.ctx, m.id, addr("10.7.0.1")))).To(Equal("ENODEV"))
		return spec.Outcome(m.p.BindAddr(m.ctx, m.id, w.addrOf(0)))
	}, "0", "ENODEV"},
	"refused-join-leaks-igmp": {func(w *world) string {
		m := w.bound(0)
		w.configure(spec.Change{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 200}})
		m.Expect(m.join(group)).NotTo(Succeed())
		return fmt.Sprint(len(w.state().IGMP))
	}, "1", "2"},
	"refused-join-stays": {func(w *world) string {
		m := w.unbound(spec.PSUDP)
		m.Expect(m.join(group)).NotTo(Succeed())
		m.Expect(m.p.BindAddr(m.ctx, m.id, w.addrOf(0))).To(Succeed())
		return spec.Outcome(m.leave(group))
	}, "EADDRNOTAVAIL", "ENOENT"},
	"route-loses-join": {func(w *world) string {
		m := w.unbound(spec.PSUDP)
		m.Expect(m.p.ResolveAddr(m.ctx, m.id, w.addrOf(0), group, 1000)).To(Succeed())
		m.acked()
		m.Expect(m.join(group)).To(Succeed())
		m.Expect(m.p.ResolveRoute(m.ctx, m.id, 1000)).To(Succeed())
		return m.eventsLeft()
	}, "MULTICAST_JOIN ROUTE_RESOLVED HANG", "ROUTE_RESOLVED HANG"},
	"rxe-filter-leak": {func(w *world) string {
		for range 2 {
			m := w.attachedMember(0, group)
			m.Expect(m.leave(group)).To(Succeed())
		}
		for _, f := range w.state().Filters {
			if f.Addr == "33:33:ef:01:02:03" {
				return fmt.Sprint(f.Users)
			}
		}
		return "0"
	}, "0", "2"},
	"sendonly-attaches": {func(w *world) string {
		m := w.bound(0).withQP()
		m.sendOnly(group)
		return m.detaches(group)
	}, "EINVAL", "0"},
	"sendonly-igmp": {func(w *world) string {
		w.bound(0).sendOnly(group)
		return fmt.Sprint(len(w.state().IGMP))
	}, "1", "2"},
	"sendonly-leave-igmp": {func(w *world) string {
		m := w.bound(0)
		m.sendOnly(group)
		w.bound(0).joined(group)
		m.Expect(m.leave(group)).To(Succeed())
		return fmt.Sprint(len(w.state().IGMP))
	}, "2", "1"},
	"skip-auto-attach": {func(w *world) string { return w.attachedMember(0, group).detaches(group) }, "0", "EINVAL"},
	"sendonly-becomes-full": {func(w *world) string {
		p := w.mischief()
		w.Expect(p.(spec.Mischief).FailNext(w.ctx, spec.Write, 1, spec.EINVAL)).To(Succeed())
		attr := &spec.JoinAttr{CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: group}
		err := p.JoinMulticastEx(w.ctx, w.boundOf(p, 0).id, attr, 0)
		return fmt.Sprint(spec.Outcome(err), " ", len(w.state().IGMP))
	}, "EOPNOTSUPP 1", "0 2"},
	"short-buffer-is-malformed": {func(w *world) string {
		sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
		m.Expect(m.p.PostRecv(m.ctx, m.qp, spec.RecvWR{Size: 44})).To(Succeed())
		sender.send(group, []byte("hello"), nil)
		sender.send(group, []byte("hi"), nil)
		return m.receives().Status.String()
	}, "SUCCESS", "LOC_QP_OP_ERR"},
	"sync-join-ignores-type": {func(w *world) string {
		m := w.sync()
		w.losesAddress()
		return spec.Outcome(m.join(group))
	}, "ENOENT", "0"},
	"sync-leave-hangs": {func(w *world) string {
		m := w.sync()
		m.Expect(m.join(group)).To(Succeed())
		return spec.Outcome(m.leave(group))
	}, "0", "HANG"},
	"sync-join-returns-early": {func(w *world) string {
		m := w.sync()
		m.Expect(m.join(group)).To(Succeed())
		s, err := m.p.ReadID(w.ctx, m.id)
		w.Expect(err).NotTo(HaveOccurred())
		return fmt.Sprint(s.Event != nil)
	}, "true", "false"},
	"tcp-may-join": {func(w *world) string {
		m := w.unbound(spec.PSTCP)
		m.Expect(m.p.BindAddr(m.ctx, m.id, w.addrOf(0))).To(Succeed())
		return spec.Outcome(m.join(group))
	}, "EINVAL", "0"},
	"two-mlids-lose-qp": {func(w *world) string {
		m := w.bound(0).withQP()
		gid := spec.MGIDOf(group.Addr())
		m.Expect(m.p.AttachMulticast(m.ctx, m.qp, gid, 1)).To(Succeed())
		m.Expect(m.p.AttachMulticast(m.ctx, m.qp, gid, 2)).To(Succeed())
		_, err := m.p.Kill(m.ctx)
		w.Expect(err).NotTo(HaveOccurred())
		return fmt.Sprint(w.state().Resources, len(w.state().KernelLog))
	}, "map[cm_id:0 cq:0 ctx:0 mr:0 pd:0 qp:0] 0", "map[cm_id:0 cq:2 ctx:0 mr:0 pd:1 qp:1] 1"},
	"wrong-mgid": {func(w *world) string {
		return w.bound(0).joined(group).UD.AH.GRH.DGID.String()
	}, "::ffff:239.1.2.3", "::ffff:239.1.2.2"},
}

// sync is a synchronous id on the host under test, bound to its address.
func (w *world) sync() *member {
	m := &member{world: w, p: w.procs[0]}
	var err error
	m.id, err = m.p.CreateID(w.ctx, 0, 0, spec.PSUDP)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(m.p.BindAddr(w.ctx, m.id, w.addrOf(0))).To(Succeed())
	return m
}

// sendOnly makes m a send-only member.
func (m *member) sendOnly(a spec.Sockaddr) {
	attr := &spec.JoinAttr{CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: a}
	m.Expect(m.p.JoinMulticastEx(m.ctx, m.id, attr, 0)).To(Succeed())
	m.acked()
}

// channel is one more event channel of the process under test.
func (w *world) channel() spec.Channel {
	ch, err := w.procs[0].CreateEventChannel(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	return ch
}

// mischief is a process on the host under test whose calls of spec.Mischief work.
func (w *world) mischief() spec.Process {
	p, err := w.hosts[0].(spec.Saboteur).StartMischief(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	return p
}

// blocksKept is how much more memory the library holds after something was done twice than after the first time.
func (w *world) blocksKept(something func(spec.Process)) int {
	p := w.mischief()
	var blocks [2]int
	for i := range blocks {
		something(p)
		var err error
		blocks[i], err = p.(spec.Mischief).Allocations(w.ctx)
		w.Expect(err).NotTo(HaveOccurred())
	}
	return blocks[1] - blocks[0]
}

// configure changes the host under test for good.
func (w *world) configure(c spec.Change) {
	_, err := w.hosts[0].(spec.Configurer).Configure(w.ctx, c)
	w.Expect(err).NotTo(HaveOccurred())
}

// losesAddress takes the address away that ids of the host under test are bound to.
func (w *world) losesAddress() {
	prefix := netip.PrefixFrom(w.addrOf(0).Addr(), 24)
	w.configure(spec.Change{DelAddr: &spec.NetdevAddr{Netdev: "eth0", Prefix: prefix}})
}

// state observes the host under test.
func (w *world) state() spec.HostState {
	s, err := w.hosts[0].Observe(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	return s
}

// eventsLeft retrieves events until there is none; that last call never returns.
func (m *member) eventsLeft() string {
	for seen := ""; ; {
		e, err := m.p.GetEvent(m.ctx, m.ch)
		if err != nil {
			return seen + spec.Outcome(err)
		}
		seen += e.Type.String() + " "
	}
}

func seeEvents(w *world) string {
	m := w.bound(0)
	m.Expect(m.join(group)).To(Succeed())
	return m.eventsLeft()
}

func seeLeaveAfterAck(w *world) string {
	m := w.bound(0)
	m.joined(group)
	return spec.Outcome(m.leave(group))
}

// seeReceives sends two datagrams and lists the lengths that arrive.
func seeReceives(w *world) string {
	sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
	m.post(8)
	for range 2 {
		sender.send(group, []byte("hello"), nil)
	}
	for seen := ""; ; {
		wc, err := m.p.WaitCompletion(m.ctx, m.qp, spec.RecvQueue)
		if err != nil {
			return seen + spec.Outcome(err)
		}
		seen += fmt.Sprint(wc.ByteLen, " ")
	}
}

// on are the worlds of the transports that quirks name.
var on = map[spec.Transport]sim.Options{
	"":          {},
	spec.RoCEv1: {Kind: "rxe-both", Mode: spec.RoCEv1Mode},

	spec.InfiniBand: {Kind: "mlx4"},
	spec.IWARP:      {Kind: "siw"},
}

// probeOf finds the probe that shows a quirk.
func probeOf(name string) (p probe, ok bool) {
	for _, some := range []map[string]probe{
		probes, probesOfInfiniBand, probesOfAddress, probesOfBinding, probesOfMapping, probesOfDatagrams, probesOfEndings,
		probesOfAttach, probesOfEvents, probesOfLeave, probesOfJoinEx, probesOfSync, probesOfProcesses, probesOfIDs,
	} {
		if p, ok = some[name]; ok {
			return p, true
		}
	}
	return probe{}, false
}

func TestEveryQuirkDoesWhatItSays(t *testing.T) {
	for _, q := range quirk.All() {
		t.Run(q.Name, func(t *testing.T) {
			g := NewWithT(t)
			probe, ok := probeOf(q.Name)
			g.Expect(ok).To(BeTrue(), "no probe shows %s: %s", q.Name, q.Does)
			for seed := range int64(4) {
				o := on[q.On]
				g.Expect(probe.see(newWorldWith(t, o, seed))).To(Equal(probe.law), "seed %d, without the quirk", seed)
				o.Quirks = []string{q.Name}
				if q.Beside != "" {
					o.Quirks = append(o.Quirks, q.Beside)
				}
				g.Expect(probe.see(newWorldWith(t, o, seed))).To(Equal(probe.quirky), "seed %d, with it", seed)
			}
			g.Expect(q.CaughtBy).To(MatchRegexp(`^JM-[A-Z]+-\d\d$`))
			g.Expect(q.Does).NotTo(BeEmpty())
		})
	}
}

func TestDumbBackends(t *testing.T) {
	for name, c := range map[string]struct {
		lab  spec.Lab
		want error
	}{
		"permit": {quirk.Permit(spec.RoCEv2), nil},
		"refuse": {quirk.Refuse(spec.RoCEv2), &spec.CallError{Method: "rdma_join_multicast", Ret: -1, Errno: spec.EPERM}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b, err := c.lab.Fresh(t.Context(), 1)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Hosts()).To(HaveLen(2))
			p, err := b.Hosts()[1].Start(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			err = p.JoinMulticast(t.Context(), 0, nil, 0)
			if c.want == nil {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(c.want))
			}
			g.Expect(p.Kill(context.Background())).To(Equal(spec.Exit{Signal: "SIGKILL"}))
		})
	}
}

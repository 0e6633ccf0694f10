package kernel_test

import (
	"net"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/kernel"
	"joinmcast/sim/sm"
	"joinmcast/sim/uabi"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// host is a kernel on a wire of its own, with a process that has the rdma_cm device open.
type host struct {
	*WithT
	t       *testing.T
	kernel  *kernel.Kernel
	process *kernel.Process
	run     *world.Process
	cm      uabi.CM
	world   *world.World
	wire    *fabric.Switch
}

// newHost boots one that keeps the law.
func newHost(t *testing.T) *host {
	t.Helper()
	return newDeviatingHost(t, kernel.Deviations{})
}

func newDeviatingHost(t *testing.T, d kernel.Deviations) *host {
	t.Helper()
	return bootHost(t, d, kernel.DefaultKind)
}

// newHostWith boots one with devices of some kinds; the n-th has the address 192.168.10n.1.
func newHostWith(t *testing.T, kinds ...string) *host {
	t.Helper()
	return bootHost(t, kernel.Deviations{}, kinds...)
}

func bootHost(t *testing.T, d kernel.Deviations, kinds ...string) *host {
	t.Helper()
	w := world.New(1)
	return bootHostIn(t, w, kernel.Config{Subnet: fabric.NewSubnet(w, sm.Default()), Deviates: d}, kinds...)
}

// bootHostIn boots one in a world.
func bootHostIn(t *testing.T, w *world.World, c kernel.Config, kinds ...string) *host {
	t.Helper()
	for i, name := range kinds {
		kind, err := kernel.KindNamed(name)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		c.Devices = append(c.Devices, kernel.Device{
			Kind: kind, MAC: net.HardwareAddr{2, 0, 0, 0, 0, byte(1 + i)},
			Addrs: []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, byte(100 + i), 1}), 24)},
		})
	}
	wire := fabric.NewSwitch(w)
	k := kernel.New(w, wire, c)
	h := &host{WithT: NewWithT(t), t: t, kernel: k, process: k.NewProcess(), world: w, wire: wire}
	h.run = w.NewProcess(h.process.Exit)
	t.Cleanup(func() { h.run.Kill() })
	h.cm = h.open()
	return h
}

// open opens the rdma_cm device once more.
func (h *host) open() (cm uabi.CM) {
	h.Expect(h.do(func() error {
		fd, err := h.process.OpenCM()
		cm = h.process.CM(fd)
		return err
	})).To(Succeed())
	return cm
}

// do makes a system call.
func (h *host) do(f func() error) error { return h.run.Call(h.t.Context(), "system call", f) }

func (h *host) create(ps spec.PortSpace) uabi.CMID {
	var id uabi.CMID
	h.Expect(h.do(func() (err error) {
		id, err = h.cm.CreateID(uabi.CreateID{UID: 7, PS: ps})
		return err
	})).To(Succeed())
	return id
}

func (h *host) bind(id uabi.CMID, a spec.Sockaddr) error {
	return h.do(func() error { return h.cm.BindAddr(id, a) })
}

func (h *host) resolve(id uabi.CMID, src, dst spec.Sockaddr) error {
	return h.do(func() error { return h.cm.ResolveAddr(uabi.ResolveAddr{ID: id, Src: src, Dst: dst}) })
}

// bound is an id of PS_UDP on the host's address.
func (h *host) bound() uabi.CMID {
	id := h.create(spec.PSUDP)
	h.Expect(h.bind(id, local)).To(Succeed())
	return id
}

func (h *host) join(id uabi.CMID, a spec.Sockaddr) (uabi.Multicast, error) {
	return h.joinRaw(uabi.JoinMulticast{ID: id, UID: 9, Addr: a, AddrSize: len(a)})
}

func (h *host) joinRaw(r uabi.JoinMulticast) (m uabi.Multicast, err error) {
	err = h.do(func() (err error) {
		m, err = h.cm.JoinMulticast(r)
		return err
	})
	return m, err
}

func (h *host) event() uabi.Event {
	var e uabi.Event
	h.Expect(h.do(func() (err error) {
		e, err = h.cm.GetEvent()
		return err
	})).To(Succeed())
	return e
}

func (h *host) configure(c spec.Change) {
	_, err := h.kernel.Configure(c)
	h.Expect(err).NotTo(HaveOccurred())
}

func addr(a string) spec.Sockaddr { return spec.NewSockaddr(netip.MustParseAddr(a), 0) }

// onEth0 is a link-local address with its scope, the interface's index.
func onEth0(a string) spec.Sockaddr {
	s := addr(a)
	s[24] = 2
	return s
}

var (
	local = addr("192.168.100.1")
	group = addr("239.1.2.3")
	v6    = addr("ff1e::1")
)

// tooSmallMTU leaves no room for any InfiniBand MTU.
var tooSmallMTU = spec.Change{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 200}}

// routeResolved is an id that went one step too far.
func (h *host) routeResolved() uabi.CMID {
	id := h.create(spec.PSUDP)
	h.Expect(h.resolve(id, local, group)).To(Succeed())
	h.Expect(h.event().Type).To(Equal(spec.AddrResolved))
	h.Expect(h.do(func() error { return h.cm.ResolveRoute(id, 1000) })).To(Succeed())
	h.Expect(h.event().Type).To(Equal(spec.RouteResolved))
	return id
}

// Each case breaks two rules, so that its errno tells which is looked at first; the last ones break only one.
func TestJoinChecksInOrder(t *testing.T) {
	const unknown uabi.CMID = 99
	for name, c := range map[string]struct {
		ask  func(h *host) uabi.JoinMulticast
		want spec.Errno
	}{
		"family before id": {func(*host) uabi.JoinMulticast {
			return uabi.JoinMulticast{ID: unknown, Addr: spec.EmptySockaddr(spec.AFUnix), AddrSize: 128}
		}, spec.EINVAL},
		"size before id": {func(*host) uabi.JoinMulticast {
			return uabi.JoinMulticast{ID: unknown, Addr: group, AddrSize: 28}
		}, spec.EINVAL},
		"flags before id": {func(*host) uabi.JoinMulticast {
			return uabi.JoinMulticast{ID: unknown, Addr: group, AddrSize: 16, Flags: 2}
		}, spec.EINVAL},
		"device before address": {func(h *host) uabi.JoinMulticast {
			return uabi.JoinMulticast{ID: h.create(spec.PSUDP), Addr: v6, AddrSize: 28}
		}, spec.EINVAL},
		"state before address": {func(h *host) uabi.JoinMulticast {
			return uabi.JoinMulticast{ID: h.routeResolved(), Addr: v6, AddrSize: 28}
		}, spec.EINVAL},
		"QP type before address": {func(h *host) uabi.JoinMulticast {
			id := h.create(spec.PSTCP)
			h.Expect(h.bind(id, local)).To(Succeed())
			return uabi.JoinMulticast{ID: id, Addr: v6, AddrSize: 28}
		}, spec.EINVAL},
		"zero before family": {func(h *host) uabi.JoinMulticast {
			return uabi.JoinMulticast{ID: h.bound(), Addr: addr("::"), AddrSize: 28}
		}, spec.EINVAL},
		"family before MTU": {func(h *host) uabi.JoinMulticast {
			h.configure(tooSmallMTU)
			return uabi.JoinMulticast{ID: h.bound(), Addr: v6, AddrSize: 28}
		}, spec.EOPNOTSUPP},
		"unknown id": {func(*host) uabi.JoinMulticast {
			return uabi.JoinMulticast{ID: unknown, Addr: group, AddrSize: 16}
		}, spec.ENOENT},
		"AF_IB": {func(h *host) uabi.JoinMulticast {
			return uabi.JoinMulticast{ID: h.bound(), Addr: spec.NewSockaddrIB(spec.GID{1}), AddrSize: 48}
		}, spec.EOPNOTSUPP},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			_, err := h.joinRaw(c.ask(h))
			h.Expect(err).To(MatchError(c.want))
			h.Expect(h.kernel.Observe().IGMP).To(HaveLen(1), "only 224.0.0.1")
		})
	}
}

func TestTooSmallAnMTULeavesTheIGMPMembershipBehindUpstream(t *testing.T) {
	for leaks, groups := range map[bool]int{false: 1, true: 2} {
		h := newDeviatingHost(t, kernel.Deviations{RefusalLeaksIGMP: leaks})
		id := h.bound()
		h.configure(tooSmallMTU)
		_, err := h.join(id, group)
		h.Expect(err).To(MatchError(spec.EINVAL))
		h.run.Kill()
		h.Expect(h.kernel.Observe().IGMP).To(HaveLen(groups))
	}
}

func TestAddressesThatAreNotMulticastCanBeJoined(t *testing.T) {
	for a, want := range map[string]struct{ dgid, igmp string }{
		"192.168.1.1": {"::ffff:192.168.1.1", "192.168.1.1"},
		"0.1.2.3":     {"::ffff:0.1.2.3", "0.1.2.3"},
		"127.0.0.1":   {"::", "0.0.0.0"},
		"224.0.0.1":   {"::ffff:224.0.0.1", "224.0.0.1"},
	} {
		h := newHost(t)
		_, err := h.join(h.bound(), addr(a))
		h.Expect(err).NotTo(HaveOccurred())
		h.Expect(h.event().AH.GRH.DGID.String()).To(Equal(want.dgid))
		h.Expect(h.kernel.Observe().IGMP).To(ContainElement(HaveField("Group", netip.MustParseAddr(want.igmp))))
	}
}

func TestTheEventOfAJoin(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.event()).To(Equal(uabi.Event{
		UID: 9, ID: id, Type: spec.MulticastJoin, QPNum: spec.MulticastQPN, QKey: spec.UDPQKey,
		AH: spec.AHAttr{
			IsGlobal: true, PortNum: 1,
			GRH: spec.GlobalRoute{DGID: spec.MGIDOf(group.Addr()), SGIDIndex: 1, HopLimit: 64},
		},
	}))
}

func TestALinkLocalSourceHasTheFirstGID(t *testing.T) {
	h := newHost(t)
	id := h.create(spec.PSUDP)
	h.Expect(h.bind(id, onEth0("fe80::ff:fe00:1"))).To(Succeed())
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.event().AH.GRH.SGIDIndex).To(BeZero())
}

func TestALostSourceAddressIsAnErrorWhichUpstreamTellsWithStatusZero(t *testing.T) {
	for zero, status := range map[bool]int{false: -int(spec.ENOENT), true: 0} {
		h := newDeviatingHost(t, kernel.Deviations{TellsStatusZero: zero})
		id := h.bound()
		own := spec.NetdevAddr{Netdev: "eth0", Prefix: netip.MustParsePrefix("192.168.100.1/24")}
		h.configure(spec.Change{DelAddr: &own})
		_, err := h.join(id, group)
		h.Expect(err).NotTo(HaveOccurred())
		h.Expect(h.event()).To(Equal(uabi.Event{UID: 9, ID: id, Type: spec.MulticastError, Status: status}))
	}
}

func TestJoinWorksWithTheLinkDown(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	h.configure(spec.Change{SetLink: &spec.LinkChange{Netdev: "eth0"}})
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.event().Type).To(Equal(spec.MulticastJoin))
}

func TestBind(t *testing.T) {
	for name, c := range map[string]struct {
		ps        spec.PortSpace
		addr      spec.Sockaddr
		want      error
		hasDevice bool
	}{
		"own address":                 {spec.PSUDP, local, nil, true},
		"own link-local address":      {spec.PSUDP, onEth0("fe80::ff:fe00:1"), nil, true},
		"link-local without a scope":  {spec.PSUDP, addr("fe80::ff:fe00:1"), spec.EINVAL, false},
		"wildcard":                    {spec.PSUDP, addr("0.0.0.0"), nil, false},
		"loopback":                    {spec.PSUDP, addr("127.0.0.1"), nil, false},
		"not local":                   {spec.PSUDP, addr("192.168.100.9"), spec.EADDRNOTAVAIL, false},
		"PS_IPOIB on Ethernet":        {spec.PSIPoIB, local, spec.EINVAL, false},
		"a family nobody knows":       {spec.PSUDP, spec.EmptySockaddr(spec.AFUnspec), spec.EINVAL, false},
		"the wildcard of AF_IB":       {spec.PSIB, spec.NewSockaddrIB(spec.GID{}), nil, false},
		"PS_TCP on the own address":   {spec.PSTCP, local, nil, true},
		"127.0.0.2 is loopback too":   {spec.PSUDP, addr("127.0.0.2"), nil, false},
		"an IPv6 address not there":   {spec.PSUDP, addr("2001:db8::1"), spec.EADDRNOTAVAIL, false},
		"a multicast address":         {spec.PSUDP, group, spec.EADDRNOTAVAIL, false},
		"a port nobody has asked for": {spec.PSUDP, spec.NewSockaddr(local.Addr(), 7777), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			id := h.create(c.ps)
			err := h.bind(id, c.addr)
			if c.want == nil {
				h.Expect(err).NotTo(HaveOccurred())
				h.Expect(h.bind(id, c.addr)).To(MatchError(spec.EINVAL), "a second time")
			} else {
				h.Expect(err).To(MatchError(c.want))
			}
			var want uabi.Route
			if c.hasDevice {
				want = uabi.Route{Device: "rxe0", PortNum: 1}
			}
			h.Expect(h.cm.QueryRoute(id)).To(Equal(want))
		})
	}
}

func TestAPortIsBoundOnce(t *testing.T) {
	h := newHost(t)
	a := spec.NewSockaddr(local.Addr(), 7777)
	h.Expect(h.bind(h.create(spec.PSUDP), a)).To(Succeed())
	h.Expect(h.bind(h.create(spec.PSUDP), a)).To(MatchError(spec.EADDRINUSE))
	h.Expect(h.bind(h.create(spec.PSUDP), spec.NewSockaddr(netip.IPv4Unspecified(), 7777))).
		To(MatchError(spec.EADDRNOTAVAIL))
	h.Expect(h.bind(h.create(spec.PSTCP), a)).To(Succeed(), "port spaces do not share ports")
}

func TestResolveAddr(t *testing.T) {
	for name, c := range map[string]struct {
		routes   []spec.Route
		src, dst spec.Sockaddr
		want     error
		event    spec.EventType
		status   int
	}{
		"a group from a source":             {src: local, dst: group, event: spec.AddrResolved},
		"a group without source or route":   {dst: group, want: spec.ENETUNREACH},
		"a group with a route":              {routes: mcastVia("eth0"), dst: group, event: spec.AddrResolved},
		"a group through another device":    {routes: mcastVia("lo"), dst: group, event: spec.AddrError, status: -19},
		"a host of the subnet that is not":  {dst: addr("192.168.100.77"), event: spec.AddrError, status: -110},
		"the host itself":                   {dst: local, event: spec.AddrResolved},
		"source and destination of a kind":  {src: local, dst: v6, want: spec.EINVAL},
		"a source that is not local":        {src: addr("10.0.0.1"), dst: group, want: spec.EADDRNOTAVAIL},
		"an IPv6 group, which has a route":  {dst: v6, event: spec.AddrResolved},
		"a destination without any network": {dst: addr("10.0.0.1"), want: spec.ENETUNREACH},
		"the same from a source":            {src: local, dst: addr("10.0.0.1"), event: spec.AddrError, status: -110},
		"the wildcard":                      {dst: addr("0.0.0.0"), event: spec.AddrResolved},
		"the loopback address":              {dst: addr("127.0.0.1"), event: spec.AddrResolved},
		"a group from the loopback address": {src: addr("127.0.0.1"), dst: group, want: spec.ENODEV},
		"the host from the loopback":        {src: addr("127.0.0.1"), dst: local, event: spec.AddrError, status: -19},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			for _, r := range c.routes {
				h.configure(spec.Change{AddRoute: &r})
			}
			err := h.resolve(h.create(spec.PSUDP), c.src, c.dst)
			if c.want != nil {
				h.Expect(err).To(MatchError(c.want))
				return
			}
			h.Expect(err).NotTo(HaveOccurred())
			e := h.event()
			h.Expect(e.Type).To(Equal(c.event))
			h.Expect(e.Status).To(Equal(c.status))
		})
	}
}

func mcastVia(netdev string) []spec.Route {
	return []spec.Route{{Prefix: netip.MustParsePrefix("224.0.0.0/4"), Netdev: netdev}}
}

func TestAnUnreachableResolveLeavesTheIDBoundToNothing(t *testing.T) {
	h := newHost(t)
	id := h.create(spec.PSUDP)
	h.Expect(h.resolve(id, nil, group)).To(MatchError(spec.ENETUNREACH))
	_, err := h.join(id, group)
	h.Expect(err).To(MatchError(spec.EINVAL))
	h.Expect(h.bind(id, local)).To(MatchError(spec.EINVAL))
}

func TestIGMPCountsUsersAndSendOnlyIsNone(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	sendOnly := uabi.JoinMulticast{ID: id, Addr: group, AddrSize: 16, Flags: spec.SendOnlyMember}
	s, err := h.joinRaw(sendOnly)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.users()).To(Equal(0))
	m, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	_, err = h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.users()).To(Equal(2))
	h.Expect(h.kernel.Observe().Filters).To(ContainElement(
		spec.LinkFilter{Netdev: "eth0", Addr: "01:00:5e:01:02:03", Users: 1}))
	h.Expect(h.leave(s)).To(Succeed())
	h.Expect(h.users()).To(Equal(2))
	h.Expect(h.leave(m)).To(Succeed())
	h.Expect(h.leave(m)).To(MatchError(spec.ENOENT))
	h.Expect(h.users()).To(Equal(1))
	h.Expect(h.do(h.cm.Close)).To(Succeed())
	h.Expect(h.users()).To(Equal(0))
}

func (h *host) leave(m uabi.Multicast) error {
	return h.do(func() error {
		_, err := h.cm.LeaveMulticast(m)
		return err
	})
}

// users is how many users the group has on eth0.
func (h *host) users() int {
	for _, m := range h.kernel.Observe().IGMP {
		if m.Group == group.Addr() {
			return m.Users
		}
	}
	return 0
}

func TestLeaveReportsWhatWasReadAndDropsTheRest(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	read, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	unread, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.event()
	for m, want := range map[uabi.Multicast]uint32{read: 1, unread: 0} {
		var reported uint32
		h.Expect(h.do(func() (err error) {
			reported, err = h.cm.LeaveMulticast(m)
			return err
		})).To(Succeed())
		h.Expect(reported).To(Equal(want))
	}
	h.Expect(h.cm.SetNonblock(true)).To(Succeed())
	_, err = h.cm.GetEvent()
	h.Expect(err).To(MatchError(spec.EAGAIN))
}

func TestAClosedFileIsEBADF(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	h.Expect(h.cm.Close()).To(Succeed())
	_, err := h.join(id, group)
	h.Expect(err).To(MatchError(spec.EBADF))
	h.Expect(h.kernel.Observe().Resources).To(HaveKeyWithValue("cm_id", 0))
}

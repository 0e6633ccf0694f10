package kernel_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// ear is a station that notes the reports and the datagrams that go over the wire.
type ear struct{ heard []fabric.Frame }

func (e *ear) hear(f fabric.Frame) { e.heard = append(e.heard, f) }

// reports gives what was said of a group since the last call: the VLAN and the record's type of each message.
func (e *ear) reports(group netip.Addr) (said [][2]int) {
	for _, f := range e.heard {
		if f.Membership == nil {
			continue
		}
		for _, r := range f.Membership.Records {
			if r.Group == group {
				said = append(said, [2]int{int(f.VLAN), int(r.Type)})
			}
		}
	}
	e.heard = nil
	return said
}

// newHeardHost boots a host on a wire with an ear on it.
func newHeardHost(t *testing.T) (*host, *ear) {
	t.Helper()
	h, e := newHost(t), &ear{}
	h.wire.Tap(e.hear)
	return h, e
}

// What a report says of a group.
const (
	joins  = int(fabric.ChangeToExclude)
	leaves = int(fabric.ChangeToInclude)
)

func TestAJoinAndALeaveAreToldTwice(t *testing.T) {
	h, e := newHeardHost(t)
	m, err := h.join(h.bound(), group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(e.reports(group.Addr())).To(Equal([][2]int{{0, joins}, {0, joins}}))
	_, err = h.join(h.bound(), group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(e.reports(group.Addr())).To(BeEmpty(), "the host is a member already")
	leave := func() error {
		_, err := h.cm.LeaveMulticast(m)
		return err
	}
	h.Expect(h.do(leave)).To(Succeed())
	h.Expect(e.reports(group.Addr())).To(BeEmpty(), "the host is a member still")
	h.run.Kill()
	h.Expect(e.reports(group.Addr())).To(Equal([][2]int{{0, leaves}, {0, leaves}}))
}

func TestASendOnlyMemberIsSilent(t *testing.T) {
	h, e := newHeardHost(t)
	_, err := h.joinRaw(uabi.JoinMulticast{
		ID: h.bound(), UID: 9, Addr: group, AddrSize: len(group), Flags: spec.SendOnlyMember,
	})
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(e.reports(group.Addr())).To(BeEmpty())
}

func TestAVLANsGroupsAreToldOnTheVLAN(t *testing.T) {
	h, e := newHeardHost(t)
	h.configure(newNetdev("eth0"))
	h.Expect(e.reports(addr("ff02::1:ff00:1").Addr())).To(Equal([][2]int{{7, joins}, {7, joins}}), "its own address'")
	id := h.create(spec.PSUDP)
	h.Expect(h.bind(id, addr("10.7.0.1"))).To(Succeed())
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(e.reports(group.Addr())).To(Equal([][2]int{{7, joins}, {7, joins}}))
}

func TestAQueryIsAnsweredWithEveryGroup(t *testing.T) {
	h, e := newHeardHost(t)
	_, err := h.join(h.bound(), group)
	h.Expect(err).NotTo(HaveOccurred())
	e.heard = nil
	router := h.wire.Plug(deaf{})
	query := fabric.Report(deaf{}.MAC(), 0, netip.MustParseAddr("192.168.100.9"))
	query.Dst, query.Membership = fabric.GroupMAC(netip.MustParseAddr("224.0.0.1")), &fabric.Membership{Query: true}
	h.wire.Snoop(fabric.Snooping{})
	router.Send(query)
	h.world.Settled(func() {})
	h.Expect(e.heard).To(HaveLen(2), "the query, and one answer")
	h.Expect(e.heard[1].Membership.Records).To(Equal([]fabric.GroupRecord{
		{Type: fabric.ModeIsExclude, Group: group.Addr()},
	}), "224.0.0.1 goes without saying")
	h.Expect(e.heard[1].IP.Src).To(Equal(netip.MustParseAddr("192.168.100.1")))
}

// deaf is a station that takes nothing in.
type deaf struct{}

func (deaf) MAC() fabric.MAC      { return fabric.MAC{2, 0, 0, 0, 0, 9} }
func (deaf) Carrier() bool        { return true }
func (deaf) Receive(fabric.Frame) {}

// What `ip link set eth0 down` does and undoes, as a live host shows it.
func TestALinkThatGoesDownAndComesBack(t *testing.T) {
	h, e := newHeardHost(t)
	h.configure(newNetdev("eth0"))
	h.configure(spec.Change{AddRoute: &spec.Route{Prefix: netip.MustParsePrefix("224.0.0.0/4"), Netdev: "eth0"}})
	_, err := h.join(h.bound(), group)
	h.Expect(err).NotTo(HaveOccurred())
	before := h.kernel.Observe()
	e.heard = nil

	undo, err := h.kernel.Configure(spec.Change{SetLink: &spec.LinkChange{Netdev: "eth0"}})
	h.Expect(err).NotTo(HaveOccurred())
	down := h.kernel.Observe()
	h.Expect(down.IGMP).To(Equal([]spec.Membership{{Netdev: "eth0", Group: group.Addr(), Users: 1}}))
	h.Expect(down.MLD).To(ConsistOf(
		spec.Membership{Netdev: "eth0", Group: addr("ff01::1").Addr(), Users: 1},
		spec.Membership{Netdev: "eth0", Group: addr("ff02::1").Addr(), Users: 1},
		spec.Membership{Netdev: "new0", Group: addr("ff01::1").Addr(), Users: 1},
		spec.Membership{Netdev: "new0", Group: addr("ff02::1").Addr(), Users: 1},
	))
	h.Expect(down.Filters).To(ConsistOf(spec.LinkFilter{Netdev: "eth0", Addr: "01:80:c2:00:00:21", Users: 2}))
	h.Expect(e.heard).To(BeEmpty(), "it cannot say so any more")
	h.Expect(h.bind(h.create(spec.PSUDP), onEth0("fe80::ff:fe00:1"))).To(Succeed(), "the port's own GID stays")

	undo()
	after := h.kernel.Observe()
	h.Expect(after.IGMP).To(Equal(before.IGMP))
	h.Expect(after.MLD).To(Equal(before.MLD))
	h.Expect(after.Filters).To(Equal(before.Filters))
	h.Expect(e.reports(group.Addr())).To(Equal([][2]int{{0, joins}, {0, joins}}))
	h.Expect(h.resolve(h.create(spec.PSUDP), nil, group)).To(MatchError(spec.ENETUNREACH), "the route is gone for good")
}

func TestAVLANsFiltersAreItsParentsToo(t *testing.T) {
	h := newHost(t)
	undo, err := h.kernel.Configure(newNetdev("eth0"))
	h.Expect(err).NotTo(HaveOccurred())
	id := h.create(spec.PSUDP)
	h.Expect(h.bind(id, addr("10.7.0.1"))).To(Succeed())
	_, err = h.join(id, addr("239.1.2.3"))
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.kernel.Observe().Filters).To(ContainElements(
		spec.LinkFilter{Netdev: "new0", Addr: "01:00:5e:01:02:03", Users: 2},
		spec.LinkFilter{Netdev: "eth0", Addr: "01:00:5e:01:02:03", Users: 1},
		spec.LinkFilter{Netdev: "eth0", Addr: "01:00:5e:00:00:01", Users: 2},
	))
	h.run.Kill()
	undo()
	h.Expect(h.kernel.Observe().Filters).To(Equal(newHost(t).kernel.Observe().Filters))
}

func TestAVLANThatCannotBeIsRefusedWithOneSentence(t *testing.T) {
	h := newHost(t)
	h.configure(newNetdev("eth0"))
	for want, c := range map[string]spec.NewNetdev{
		"there is a network device named new0 already":               {Netdev: "new0"},
		"the VLAN of new1 is 0; want 1 to 4094":                      {Netdev: "new1", Parent: "eth0"},
		"the VLAN of new1 is 4095; want 1 to 4094":                   {Netdev: "new1", Parent: "eth0", VLAN: 4095},
		"there is VLAN 7 on eth0 already, new0":                      {Netdev: "new1", Parent: "eth0", VLAN: 7},
		"new0 is a VLAN itself; want a VLAN on eth0":                 {Netdev: "new1", Parent: "new0", VLAN: 8},
		`no network device is named "eth7"; this host has lo, eth0,`: {Netdev: "new1", Parent: "eth7", VLAN: 8},
	} {
		_, err := h.kernel.Configure(spec.Change{AddNetdev: &c})
		h.Expect(err).To(MatchError(ContainSubstring(want)))
	}
}

func TestAVLANsMTUIsAtMostItsParents(t *testing.T) {
	h := newHost(t)
	h.configure(newNetdev("eth0"))
	set := func(netdev string, mtu int) error {
		_, err := h.kernel.Configure(spec.Change{SetMTU: &spec.MTUChange{Netdev: netdev, MTU: mtu}})
		return err
	}
	h.Expect(set("new0", 1501)).To(MatchError("the MTU of new0 cannot be 1501; eth0 below it has 1500"))
	h.Expect(set("eth0", 200)).To(Succeed())
	id := h.create(spec.PSUDP)
	h.Expect(h.bind(id, addr("10.7.0.1"))).To(Succeed())
	_, err := h.join(id, group)
	h.Expect(err).To(MatchError(spec.EINVAL), "the VLAN has become as small")
}

func TestTheMostSpecificRouteCounts(t *testing.T) {
	h := newHost(t)
	h.configure(newNetdev(""))
	route := func(prefix, netdev string) {
		h.configure(spec.Change{AddRoute: &spec.Route{Prefix: netip.MustParsePrefix(prefix), Netdev: netdev}})
	}
	route("224.0.0.0/4", "new0")
	route("239.1.0.0/16", "eth0")
	h.Expect(h.resolve(h.create(spec.PSUDP), nil, group)).To(Succeed())
	h.Expect(h.event().Type).To(Equal(spec.AddrResolved))
	h.Expect(h.resolve(h.create(spec.PSUDP), nil, addr("239.2.2.3"))).To(Succeed())
	h.Expect(h.event().Type).To(Equal(spec.AddrError), "no RDMA device uses new0")
}

// What a live host answers for a link-local address on the interface that it names, whoever's it is.
func TestALinkLocalAddressIsLookedForOnItsInterfaceOnly(t *testing.T) {
	for name, c := range map[string]struct {
		addr  string
		scope byte
		want  error
	}{
		"the interface's own":         {"fe80::ff:fe00:1", 2, nil},
		"nobody's":                    {"fe80::dead", 2, spec.ENODEV},
		"another interface's":         {"fe80::ff:fe00:1", 1, spec.ENODEV},
		"of an interface that is not": {"fe80::ff:fe00:1", 9, spec.ENODEV},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			a := addr(c.addr)
			a[24] = c.scope
			err := h.bind(h.create(spec.PSUDP), a)
			if c.want == nil {
				h.Expect(err).NotTo(HaveOccurred())
				return
			}
			h.Expect(err).To(MatchError(c.want))
		})
	}
}

package fabric_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// station is a network device that notes what it got, and answers queries for the groups it is a member of.
type station struct {
	mac    fabric.MAC
	addr   netip.Addr
	link   *fabric.Link
	down   bool
	groups []netip.Addr
	got    []uint32 // destination QPs
}

func (s *station) MAC() fabric.MAC { return s.mac }
func (s *station) Carrier() bool   { return !s.down }

func (s *station) Receive(f fabric.Frame) {
	switch {
	case f.Datagram != nil:
		s.got = append(s.got, f.Datagram.DestQP)
	case f.Membership.Query && f.Type == fabric.IPv4:
		s.report(f.VLAN, fabric.ModeIsExclude, s.groups...)
	}
}

func (s *station) report(vlan uint16, t fabric.RecordType, groups ...netip.Addr) {
	var records []fabric.GroupRecord
	for _, g := range groups {
		records = append(records, fabric.GroupRecord{Type: t, Group: g})
	}
	s.link.Send(fabric.Report(s.mac, vlan, s.addr, records...))
}

// join makes the station a member that says so and answers queries.
func (s *station) join(groups ...netip.Addr) {
	s.groups = append(s.groups, groups...)
	s.report(0, fabric.ChangeToExclude, groups...)
}

// send sends a datagram to a group.
func (s *station) send(group netip.Addr, qp uint32) { s.link.Send(s.frame(group, qp)) }

func (s *station) frame(group netip.Addr, qp uint32) fabric.Frame {
	return fabric.Frame{
		Src: s.mac, Dst: fabric.GroupMAC(group), Type: fabric.IPv4, IP: fabric.Header{Src: s.addr, Dst: group},
		Datagram: &fabric.Datagram{DestQP: qp},
	}
}

var group = netip.MustParseAddr("239.1.2.3")

// wire is a switch with three stations on it.
type wire struct {
	*WithT
	*fabric.Switch
	world   *world.World
	a, b, c *station
}

func newWire(t *testing.T, seed int64) *wire {
	w := &wire{WithT: NewWithT(t), world: world.New(seed)}
	w.Switch = fabric.NewSwitch(w.world)
	w.a, w.b, w.c = w.station(1), w.station(2), w.station(3)
	return w
}

func (w *wire) station(n byte) *station {
	s := &station{mac: fabric.MAC{2, 0, 0, 0, 0, n}, addr: netip.AddrFrom4([4]byte{10, 0, 0, n})}
	s.link = w.Plug(s)
	s.link.Answer(0, s.addr)
	return s
}

func (w *wire) settle() { w.world.Settled(func() {}) }

func TestAGroupsFramesReachAllOthersInOrder(t *testing.T) {
	w := newWire(t, 1)
	w.a.send(group, 1)
	w.b.send(group, 2)
	w.Expect(w.c.got).To(BeEmpty(), "frames arrive later")
	w.settle()
	w.Expect(w.a.got).To(Equal([]uint32{2}))
	w.Expect(w.b.got).To(Equal([]uint32{1}))
	w.Expect(w.c.got).To(Equal([]uint32{1, 2}))
}

func TestUnicastReachesOneStation(t *testing.T) {
	w := newWire(t, 1)
	f := w.a.frame(w.c.addr, 1)
	f.Dst = w.c.mac
	w.a.link.Send(f)
	w.settle()
	w.Expect(w.b.got).To(BeEmpty())
	w.Expect(w.c.got).To(Equal([]uint32{1}))
}

func TestAStationWithoutALinkIsCutOff(t *testing.T) {
	for name, cut := range map[string]func(*station){
		"at its end":  func(s *station) { s.down = true },
		"in the wire": func(s *station) { s.link.Impair(spec.WireFault{Cut: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, 1)
			cut(w.b)
			w.a.send(group, 1)
			w.b.send(group, 2)
			w.settle()
			w.Expect(w.a.got).To(BeEmpty())
			w.Expect(w.b.got).To(BeEmpty())
			w.Expect(w.c.got).To(Equal([]uint32{1}))
			_, found := w.a.link.Neighbour(0, w.b.addr)
			w.Expect(found).To(BeFalse())
		})
	}
}

func TestANeighbourIsWhoAnswersOnTheVLAN(t *testing.T) {
	w := newWire(t, 1)
	w.c.link.Answer(7, netip.MustParseAddr("10.7.0.3"))
	mac, found := w.a.link.Neighbour(0, w.c.addr)
	w.Expect(mac).To(Equal(w.c.mac))
	w.Expect(found).To(BeTrue())
	for what, find := range map[string]func() (fabric.MAC, bool){
		"another VLAN's address": func() (fabric.MAC, bool) { return w.a.link.Neighbour(0, netip.MustParseAddr("10.7.0.3")) },
		"its own address":        func() (fabric.MAC, bool) { return w.c.link.Neighbour(0, w.c.addr) },
		"one that is silent": func() (fabric.MAC, bool) {
			w.c.link.Silence(0, w.c.addr)
			return w.a.link.Neighbour(0, w.c.addr)
		},
	} {
		_, found = find()
		w.Expect(found).To(BeFalse(), what)
	}
}

func TestATapSeesEveryFrameAsItIsSent(t *testing.T) {
	w := newWire(t, 1)
	w.b.down = true
	w.c.link.Impair(spec.WireFault{Lose: 1})
	var seen []fabric.Frame
	w.Tap(func(f fabric.Frame) { seen = append(seen, f) })
	for _, st := range []*station{w.a, w.b, w.c} {
		st.send(group, 1)
	}
	w.a.join(group)
	w.Expect(seen).To(Equal([]fabric.Frame{
		w.a.frame(group, 1), w.c.frame(group, 1),
		fabric.Report(w.a.mac, 0, w.a.addr, fabric.GroupRecord{Type: fabric.ChangeToExclude, Group: group}),
	}), "b cannot send, and what c sends is lost on the way")
}

package fabric_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/world"
)

// station is a network device that notes what it got.
type station struct {
	mac  fabric.MAC
	addr netip.Addr
	up   bool
	got  []uint32 // destination QPs
}

func (s *station) MAC() fabric.MAC        { return s.mac }
func (s *station) Owns(a netip.Addr) bool { return a == s.addr }
func (s *station) Carrier() bool          { return s.up }
func (s *station) Receive(f fabric.Frame) { s.got = append(s.got, f.Datagram.DestQP) }

// frame is a datagram to a QP.
func frame(to fabric.MAC, qp uint32) fabric.Frame {
	return fabric.Frame{Dst: to, Type: fabric.IPv4, Datagram: &fabric.Datagram{DestQP: qp}}
}

var multicast = fabric.MAC{1, 0, 0x5e, 1, 2, 3}

// wire has three stations on a switch.
func wire() (w *world.World, s *fabric.Switch, a, b, c *station) {
	w = world.New(1)
	s = fabric.NewSwitch(w)
	var all []*station
	for i := range byte(3) {
		st := &station{mac: fabric.MAC{2, 0, 0, 0, 0, i}, addr: netip.AddrFrom4([4]byte{10, 0, 0, i}), up: true}
		s.Plug(st)
		all = append(all, st)
	}
	return w, s, all[0], all[1], all[2]
}

func TestMulticastReachesAllOthersInOrder(t *testing.T) {
	g := NewWithT(t)
	w, s, a, b, c := wire()
	s.Send(a, frame(multicast, 1))
	s.Send(b, frame(multicast, 2))
	g.Expect(c.got).To(BeEmpty(), "frames arrive later")
	w.Settled(func() {})
	g.Expect(a.got).To(Equal([]uint32{2}))
	g.Expect(b.got).To(Equal([]uint32{1}))
	g.Expect(c.got).To(Equal([]uint32{1, 2}))
}

func TestUnicastReachesOneStation(t *testing.T) {
	g := NewWithT(t)
	w, s, a, b, c := wire()
	s.Send(a, frame(c.mac, 1))
	w.Settled(func() {})
	g.Expect(b.got).To(BeEmpty())
	g.Expect(c.got).To(Equal([]uint32{1}))
}

func TestAStationWithoutCarrierIsCutOff(t *testing.T) {
	g := NewWithT(t)
	w, s, a, b, c := wire()
	b.up = false
	s.Send(a, frame(multicast, 1))
	s.Send(b, frame(multicast, 2))
	w.Settled(func() {})
	g.Expect(a.got).To(BeEmpty())
	g.Expect(b.got).To(BeEmpty())
	g.Expect(c.got).To(Equal([]uint32{1}))
	_, found := s.Neighbour(a, b.addr)
	g.Expect(found).To(BeFalse())
	mac, found := s.Neighbour(a, c.addr)
	g.Expect(found).To(BeTrue())
	g.Expect(mac).To(Equal(c.mac))
}

func TestATapSeesEveryFrameAsItIsSent(t *testing.T) {
	g := NewWithT(t)
	_, s, a, b, c := wire()
	b.up = false
	var seen []fabric.Frame
	s.Tap(func(f fabric.Frame) { seen = append(seen, f) })
	for _, st := range []*station{a, b, c} {
		s.Send(st, frame(multicast, 1))
	}
	g.Expect(seen).To(Equal([]fabric.Frame{frame(multicast, 1), frame(multicast, 1)}), "one that cannot send is silent")
}

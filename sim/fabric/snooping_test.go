package fabric_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
)

// newSnoopingWire has a switch that snoops; an interval is 4 datagrams.
func newSnoopingWire(t *testing.T, querier bool) *wire {
	w := newWire(t, 1)
	w.Snoop(fabric.Snooping{Querier: querier, Interval: 4})
	return w
}

func TestOnlyMembersAreSentAGroupsFrames(t *testing.T) {
	w := newSnoopingWire(t, true)
	w.b.join(group)
	w.a.send(group, 1)
	w.settle()
	w.Expect(w.b.got).To(Equal([]uint32{1}))
	w.Expect(w.c.got).To(BeEmpty(), "it did not say that it is a member")
}

func TestAMemberOfOneVLANIsNoneOfAnother(t *testing.T) {
	w := newSnoopingWire(t, true)
	w.b.report(7, fabric.ChangeToExclude, group)
	tagged := w.a.frame(group, 1)
	tagged.VLAN = 7
	w.a.send(group, 2)
	w.a.link.Send(tagged)
	w.settle()
	w.Expect(w.b.got).To(Equal([]uint32{1}))
}

func TestAMemberThatLeavesIsSentNoMore(t *testing.T) {
	w := newSnoopingWire(t, true)
	w.b.join(group)
	w.a.send(group, 1)
	w.b.report(0, fabric.ChangeToInclude, group)
	w.a.send(group, 2)
	w.settle()
	w.Expect(w.b.got).To(Equal([]uint32{1}))
}

// Two groups that share a link-layer address.
func TestTwinsAreForwardedTogetherUntilBothAreLeft(t *testing.T) {
	w := newSnoopingWire(t, true)
	twin := netip.MustParseAddr("224.129.2.3")
	w.b.join(group, twin)
	w.b.report(0, fabric.ChangeToInclude, group)
	w.a.send(group, 1)
	w.b.report(0, fabric.ChangeToInclude, twin)
	w.a.send(group, 2)
	w.a.send(twin, 3)
	w.settle()
	w.Expect(w.b.got).To(Equal([]uint32{1}))
}

func TestWhatIsFloodedAllTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		dst string
		ty  fabric.EtherType
	}{
		"the local groups of IPv4": {"224.0.0.251", fabric.IPv4},
		"all nodes of IPv6":        {"ff02::1", fabric.IPv6},
		"what is not IP":           {"ff0e::ffff:239.1.2.3", fabric.RoCEv1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSnoopingWire(t, true)
			f := w.a.frame(netip.MustParseAddr(c.dst), 1)
			f.Type = c.ty
			w.a.link.Send(f)
			w.settle()
			w.Expect(w.b.got).To(Equal([]uint32{1}))
		})
	}
}

func TestAQuerierKeepsMembershipsAlive(t *testing.T) {
	w := newSnoopingWire(t, true)
	w.b.join(group)
	for qp := range uint32(100) {
		w.a.send(group, qp)
	}
	w.settle()
	w.Expect(w.b.got).To(HaveLen(100))
}

func TestWithoutAQuerierMembershipsAgeOut(t *testing.T) {
	w := newSnoopingWire(t, false)
	w.b.join(group)
	for qp := range uint32(100) {
		w.a.send(group, qp)
	}
	w.settle()
	w.Expect(w.b.got).To(HaveLen(12), "those of three intervals")
	w.b.report(0, fabric.ChangeToExclude, group)
	w.a.send(group, 100)
	w.settle()
	w.Expect(w.b.got).To(HaveLen(13), "a new report brings it back")
}

func TestAMemberThatAnswersNoQueryAgesOut(t *testing.T) {
	w := newSnoopingWire(t, true)
	w.b.report(0, fabric.ChangeToExclude, group) // and answers nothing
	w.c.join(group)
	for qp := range uint32(100) {
		w.a.send(group, qp)
		w.settle()
	}
	w.Expect(w.b.got).To(HaveLen(12))
	w.Expect(w.c.got).To(HaveLen(100))
}

func TestARouterIsSentEveryGroup(t *testing.T) {
	w := newSnoopingWire(t, false)
	f := fabric.Report(w.c.mac, 0, w.c.addr)
	f.Membership = &fabric.Membership{Query: true}
	w.c.link.Send(f)
	w.b.join(group)
	w.c.join(group)
	w.a.send(group, 1)
	w.a.send(netip.MustParseAddr("239.9.9.9"), 2)
	w.settle()
	w.Expect(w.c.got).To(Equal([]uint32{1, 2}), "once, though it is a member too")
	w.Expect(w.b.got).To(Equal([]uint32{1}))
}

func TestARecordOfWhatIsNoGroupIsIgnored(t *testing.T) {
	w := newSnoopingWire(t, true)
	w.b.join(netip.MustParseAddr("192.168.1.1"))
	w.a.send(netip.MustParseAddr("239.168.1.1"), 1)
	w.settle()
	w.Expect(w.b.got).To(BeEmpty())
}

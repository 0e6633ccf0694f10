package kernel_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/kernel"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// newRoCEv1Host boots a host whose port offers both versions of RoCE and uses the older one.
func newRoCEv1Host(t *testing.T) *host {
	t.Helper()
	h := newHostWith(t, "rxe-both")
	h.configure(toRoCEv1)
	return h
}

// toRoCEv1 tells the port to use the older version.
var toRoCEv1 = spec.Change{SetRoCEMode: &spec.RoCEModeChange{Device: "rxe0", Port: 1, Mode: spec.RoCEv1Mode}}

// joined is the event of an id that joins.
func (h *host) joined(a spec.Sockaddr) (uabi.Multicast, uabi.Event) {
	h.t.Helper()
	m, err := h.join(h.bound(), a)
	h.Expect(err).NotTo(HaveOccurred())
	return m, h.event()
}

func mgidOf(a string) spec.GID { return netip.MustParseAddr(a).As16() }

func TestRoCEv1PutsIPv4GroupsBehindAPrefixAndTakesIPv6OnesAsTheyAre(t *testing.T) {
	h := newRoCEv1Host(t)
	for address, dgid := range map[string]string{
		"239.1.2.3":   "ff0e::ffff:ef01:203",
		"192.168.1.1": "ff0e::ffff:c0a8:101",
		"ff1e::1":     "ff1e::1",
		"127.0.0.1":   "::",
	} {
		_, e := h.joined(addr(address))
		h.Expect(e.Type).To(Equal(spec.MulticastJoin), address)
		h.Expect(e.AH.GRH.DGID).To(Equal(mgidOf(dgid)), address)
		h.Expect(e.AH.GRH.HopLimit).To(BeEquivalentTo(1), address)
	}
}

func TestRoCEv1MakesNoMembershipByIGMP(t *testing.T) {
	h := newRoCEv1Host(t)
	before := h.kernel.Observe()
	m, _ := h.joined(group)
	h.Expect(h.kernel.Observe()).To(HaveField("IGMP", before.IGMP))
	h.Expect(h.do(func() error {
		_, err := h.cm.LeaveMulticast(m)
		return err
	})).To(Succeed())
	h.Expect(h.kernel.Observe()).To(HaveField("IGMP", before.IGMP))
}

func TestRoCEv1LeaveTakesAMembershipByIGMPAwayWhereItIsUpstreams(t *testing.T) {
	h := bootHost(t, kernel.Deviations{LeaveUnreportsOthers: true}, "rxe-both")
	h.joined(group) // by IGMP
	h.configure(toRoCEv1)
	member := spec.Membership{Netdev: "eth0", Group: group.Addr(), Users: 1}
	m, _ := h.joined(group)
	h.Expect(h.kernel.Observe().IGMP).To(ContainElement(member))
	h.Expect(h.do(func() error {
		_, err := h.cm.LeaveMulticast(m)
		return err
	})).To(Succeed())
	h.Expect(h.kernel.Observe().IGMP).NotTo(ContainElement(HaveField("Group", group.Addr())))
}

func TestAPortOfBothVersionsHasAGIDForEach(t *testing.T) {
	h := newHostWith(t, "rxe-both")
	_, newer := h.joined(group)
	h.configure(toRoCEv1)
	_, older := h.joined(group)
	h.Expect(newer.AH.GRH.SGIDIndex).To(BeEquivalentTo(3), "after two of the port and the address' own of RoCEv1")
	h.Expect(older.AH.GRH.SGIDIndex).To(BeEquivalentTo(2))
}

func TestTheModeOfAPortIsTakenBack(t *testing.T) {
	h := newHostWith(t, "rxe-both")
	h.Expect(h.kernel.Transport()).To(Equal(spec.RoCEv2))
	undo, err := h.kernel.Configure(toRoCEv1)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.kernel.Transport()).To(Equal(spec.RoCEv1))
	undo()
	h.Expect(h.kernel.Transport()).To(Equal(spec.RoCEv2))
}

func TestAModeThatThePortDoesNotOfferIsRefused(t *testing.T) {
	h := newHost(t)
	_, err := h.kernel.Configure(toRoCEv1)
	h.Expect(err).To(MatchError(
		`devices of kind rxe do not offer the RoCE mode "IB/RoCE v1"; they offer ["RoCE v2"]`))
}

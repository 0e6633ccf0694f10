package kernel_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/kernel"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

func (h *host) deviceOf(id uabi.CMID) string {
	r, err := h.cm.QueryRoute(id)
	h.Expect(err).NotTo(HaveOccurred())
	return r.Device
}

func TestDevicesAreNamedAfterTheirKind(t *testing.T) {
	h := newHostWith(t, "rxe", "siw", "rxe")
	h.Expect(h.process.Devices()).To(Equal([]string{"rxe0", "siw0", "rxe1"}))
	h.Expect(h.kernel.Ports()).To(HaveExactElements(
		HaveField("Netdev", "eth0"), HaveField("Netdev", "eth1"), HaveField("Netdev", "eth2")))
}

func TestAKindThatIsNoneIsRefused(t *testing.T) {
	_, err := kernel.KindNamed("token-ring")
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring(`no kind of device is named "token-ring"; known: rxe, `)))
}

func TestAnIDIsBoundToTheDeviceThatUsesItsAddress(t *testing.T) {
	h := newHostWith(t, "rxe", "rxe")
	first, second := h.create(spec.PSUDP), h.create(spec.PSUDP)
	h.Expect(h.bind(first, addr("192.168.100.1"))).To(Succeed())
	h.Expect(h.bind(second, addr("192.168.101.1"))).To(Succeed())
	h.Expect(h.deviceOf(first)).To(Equal("rxe0"))
	h.Expect(h.deviceOf(second)).To(Equal("rxe1"))
	_, err := h.join(second, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.kernel.Observe().IGMP).To(ContainElement(
		spec.Membership{Netdev: "eth1", Group: group.Addr(), Users: 1}))
}

func TestTheWildcardBindsToNoneOfSeveralDevices(t *testing.T) {
	h := newHostWith(t, "rxe", "rxe")
	id := h.create(spec.PSUDP)
	h.Expect(h.bind(id, addr("0.0.0.0"))).To(Succeed())
	h.Expect(h.deviceOf(id)).To(BeEmpty())
}

func TestTheRouteChoosesDeviceAndSource(t *testing.T) {
	h := newHostWith(t, "rxe", "rxe")
	h.configure(spec.Change{AddRoute: &spec.Route{Prefix: netip.MustParsePrefix("224.0.0.0/4"), Netdev: "eth1"}})
	id := h.create(spec.PSUDP)
	h.Expect(h.resolve(id, nil, group)).To(Succeed())
	h.Expect(h.event().Type).To(Equal(spec.AddrResolved))
	h.Expect(h.deviceOf(id)).To(Equal("rxe1"))
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.event().AH.GRH.SGIDIndex).To(BeEquivalentTo(1)) // eth1's 192.168.101.1
}

func TestTheLoopbackResolvesToTheFirstDeviceWithALink(t *testing.T) {
	h := newHostWith(t, "rxe", "rxe")
	resolved := func() string {
		id := h.create(spec.PSUDP)
		h.Expect(h.resolve(id, nil, addr("127.0.0.1"))).To(Succeed())
		h.Expect(h.event().Type).To(Equal(spec.AddrResolved))
		return h.deviceOf(id)
	}
	h.Expect(resolved()).To(Equal("rxe0"))
	h.configure(spec.Change{SetLink: &spec.LinkChange{Netdev: "eth0"}})
	h.Expect(resolved()).To(Equal("rxe1"))
	h.configure(spec.Change{SetLink: &spec.LinkChange{Netdev: "eth1"}})
	h.Expect(resolved()).To(Equal("rxe0"))
}

func TestOfSeveralDevicesOnlyTheRemovedOneIsGone(t *testing.T) {
	h := newHostWith(t, "rxe", "rxe")
	h.Expect(h.do(func() error {
		_, err := h.kernel.RemoveDevice("rxe0")
		return err
	})).To(Succeed())
	h.Expect(h.process.Devices()).To(Equal([]string{"rxe1"}))
	h.Expect(h.bind(h.create(spec.PSUDP), addr("192.168.100.1"))).To(MatchError(spec.ENODEV))
	h.Expect(h.bind(h.create(spec.PSUDP), addr("192.168.101.1"))).To(Succeed())
}

func TestAnIWARPPortRefusesEveryGroup(t *testing.T) {
	h := newHostWith(t, "siw")
	id := h.bound()
	for _, a := range []string{"239.1.1.1", "0.0.0.0", "ff1e::1"} {
		_, err := h.join(id, addr(a))
		h.Expect(err).To(MatchError(spec.ENOSYS), a)
	}
	tcp := h.create(spec.PSTCP)
	h.Expect(h.bind(tcp, local)).To(Succeed())
	_, err := h.join(tcp, group)
	h.Expect(err).To(MatchError(spec.EINVAL))
}

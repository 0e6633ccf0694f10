package kernel_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// newNetdev is a network device with the address 10.7.0.1.
func newNetdev(parent string) spec.Change {
	return spec.Change{AddNetdev: &spec.NewNetdev{
		Netdev: "new0", Parent: parent, VLAN: 7, Prefix: netip.MustParsePrefix("10.7.0.1/24"),
	}}
}

func TestAGroupIsJoinedOnTheVLANThatTheIDIsBoundTo(t *testing.T) {
	h := newHost(t)
	undo, err := h.kernel.Configure(newNetdev("eth0"))
	h.Expect(err).NotTo(HaveOccurred())
	id := h.create(spec.PSUDP)
	h.Expect(h.bind(id, addr("10.7.0.1"))).To(Succeed())
	h.Expect(h.cm.QueryRoute(id)).To(HaveField("Device", "rxe0"))
	m, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	member := spec.Membership{Netdev: "new0", Group: group.Addr(), Users: 1}
	h.Expect(h.kernel.Observe().IGMP).To(ContainElement(member))
	h.Expect(h.do(func() error {
		_, err := h.cm.LeaveMulticast(m)
		return err
	})).To(Succeed())
	h.Expect(h.kernel.Observe().IGMP).NotTo(ContainElement(member))
	undo()
	h.Expect(h.kernel.Observe().IGMP).NotTo(ContainElement(HaveField("Netdev", "new0")))
}

func TestNoRDMADeviceUsesADummy(t *testing.T) {
	h := newHost(t)
	h.configure(newNetdev(""))
	h.Expect(h.bind(h.create(spec.PSUDP), addr("10.7.0.1"))).To(MatchError(spec.ENODEV))
	h.configure(spec.Change{AddRoute: &spec.Route{Prefix: netip.MustParsePrefix("224.0.0.0/4"), Netdev: "new0"}})
	h.Expect(h.resolve(h.create(spec.PSUDP), nil, group)).To(Succeed())
	e := h.event()
	h.Expect(e.Type).To(Equal(spec.AddrError))
	h.Expect(e.Status).To(Equal(-int(spec.ENODEV)))
}

func TestARemovedDeviceTakesItsIDsAlong(t *testing.T) {
	h := newHost(t)
	id, unbound := h.bound(), h.create(spec.PSUDP)
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.event().Type).To(Equal(spec.MulticastJoin))

	h.Expect(h.do(func() error {
		_, err := h.kernel.RemoveDevice("rxe0")
		return err
	})).To(Succeed())
	h.Expect(h.event()).To(HaveField("Type", spec.DeviceRemoval))
	h.Expect(h.kernel.Ports()).To(BeEmpty())
	h.Expect(h.process.Devices()).To(BeEmpty())
	h.Expect(h.bind(unbound, local)).To(MatchError(spec.ENODEV))

	_, err = h.join(id, group)
	h.Expect(err).To(Or(MatchError(spec.ENXIO), MatchError(spec.EINVAL)))
	h.Expect(h.do(func() error {
		_, err := h.cm.DestroyID(id)
		return err
	})).To(Succeed())
	h.Expect(h.kernel.Observe().IGMP).To(HaveLen(1), "only 224.0.0.1")
}

func TestADeviceIsRemovedOnlyWhenNobodyHasItOpen(t *testing.T) {
	h := newHost(t)
	h.Expect(h.do(func() error {
		_, err := h.process.OpenDevice("rxe0")
		return err
	})).To(Succeed())
	remove := func() error {
		_, err := h.kernel.RemoveDevice("rxe0")
		return err
	}
	h.Expect(h.do(remove)).To(BeAssignableToTypeOf(&spec.Hung{}))
	h.Expect(h.kernel.Observe().Resources).To(BeEmpty(), "the kernel shows them by device")
}

func TestTheRemovalOfADeviceIsToldInTheOrderOfBinding(t *testing.T) {
	h := newHost(t)
	second, first := h.create(spec.PSUDP), h.bound()
	h.Expect(h.bind(second, local)).To(Succeed())
	h.Expect(h.do(func() error {
		_, err := h.kernel.RemoveDevice("rxe0")
		return err
	})).To(Succeed())
	h.Expect(h.event()).To(HaveField("ID", first))
	h.Expect(h.event()).To(HaveField("ID", second))
}

func TestMigratedEventsAreReadOnTheNewFile(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.do(h.cm.Poll)).To(Succeed())
	other := h.open()
	h.Expect(h.do(func() error {
		_, err := other.MigrateID(id, 3)
		return err
	})).To(Succeed())
	_, err = h.join(id, group)
	h.Expect(err).To(MatchError(spec.EINVAL), "the id is another file's now")
	var e uabi.Event
	h.Expect(h.do(func() (err error) {
		e, err = other.GetEvent()
		return err
	})).To(Succeed())
	h.Expect(e.Type).To(Equal(spec.MulticastJoin))
}

func TestAListeningIDMayNotJoin(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	h.Expect(h.do(func() error { return h.cm.Listen(id, 1) })).To(Succeed())
	_, err := h.join(id, group)
	h.Expect(err).To(MatchError(spec.EINVAL))
}

func TestTheUserThatAProcessIsAlreadyIsNoChange(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	h.process.SetEUID(0)
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
}

func TestChangedCredentialsAreRefused(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	h.process.SetEUID(1000)
	h.process.SetEUID(0)
	_, err := h.join(id, group)
	h.Expect(err).To(MatchError(spec.EACCES))
	h.Expect(h.open().Close()).To(Succeed())
}

// An event that comes with an id from another file can be read there, and wakes who sleeps for one already.
func TestAMigratedEventWakesASleeper(t *testing.T) {
	h := newHost(t)
	id := h.bound()
	_, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.world.Settled(func() {})
	other := h.open()
	asleep := h.do(other.Poll)
	h.Expect(asleep).To(BeAssignableToTypeOf(&spec.Hung{}))
	h.Expect(h.do(func() error {
		_, err := other.MigrateID(id, 3)
		return err
	})).To(Succeed())
	h.Expect(h.run.InFlight()).To(BeEmpty())
	h.Expect(h.do(other.Poll)).To(Succeed())
}

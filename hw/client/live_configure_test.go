//go:build live

package client_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// change applies a change to the host; undo takes it back.
func change(t *testing.T, h spec.Host, c spec.Change) (undo func()) {
	t.Helper()
	g := NewWithT(t)
	takeBack, err := h.(spec.Configurer).Configure(t.Context(), c)
	g.Expect(err).NotTo(HaveOccurred())
	return func() {
		t.Helper()
		g.Expect(takeBack(t.Context())).To(Succeed())
	}
}

// Whatever is changed below the device, an application works afterwards as it did before.
func TestLiveChangesAreTakenBack(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	ports, err := host.Ports(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	netdev := ports[0].Netdev
	for name, c := range map[string]spec.Change{
		"address deleted": {DelAddr: &spec.NetdevAddr{Netdev: netdev, Prefix: ports[0].Addrs[0]}},
		"address added":   {AddAddr: &spec.NetdevAddr{Netdev: netdev, Prefix: netip.MustParsePrefix("192.168.178.1/24")}},
		"MTU 200":         {SetMTU: &spec.MTUChange{Netdev: netdev, MTU: 200}},
		"link down":       {SetLink: &spec.LinkChange{Netdev: netdev}},
		"VLAN": {AddNetdev: &spec.NewNetdev{
			Netdev: "eth0.7", Parent: netdev, VLAN: 7, Prefix: netip.MustParsePrefix("192.168.7.1/24"),
		}},
		"dummy":          {AddNetdev: &spec.NewNetdev{Netdev: "dummy0", Prefix: netip.MustParsePrefix("192.168.8.1/24")}},
		"device removed": {RemoveDevice: &spec.DeviceChange{Device: ports[0].Device}},
	} {
		begun := time.Now()
		undo := change(t, host, c)
		changed, err := host.Ports(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		undone := time.Now()
		undo()
		t.Logf("%s: %+v, %s and back %s", name, changed, undone.Sub(begun), time.Since(undone))
		g.Expect(host.Ports(t.Context())).To(ConsistOf(And(
			HaveField("MTU", ports[0].MTU), HaveField("Device", ports[0].Device),
			HaveField("Addrs", ConsistOf(ports[0].Addrs)),
		)), name)
		a := startApp(t, host)
		event := a.join()
		g.Expect(event.Type).To(Equal(spec.MulticastJoin), name)
		g.Expect(a.AckEvent(t.Context(), event.Ref)).To(Succeed())
		a.destroy()
	}
}

func TestLiveVLANIsTheDevices(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	addr := netip.MustParsePrefix("192.168.7.1/24")
	change(t, host, spec.Change{AddNetdev: &spec.NewNetdev{Netdev: "eth0.7", Parent: "eth0", VLAN: 7, Prefix: addr}})
	a := startApp(t, host)
	g.Expect(a.DestroyID(t.Context(), a.id)).To(Succeed())
	var err error
	a.id, err = a.CreateID(t.Context(), a.channel, 0, spec.PSUDP)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(a.BindAddr(t.Context(), a.id, spec.NewSockaddr(addr.Addr(), 0))).To(Succeed())
	event := a.join()
	g.Expect(event.Type).To(Equal(spec.MulticastJoin))
}

func TestLiveDeviceRemovalIsAnEventAndWaitsForItsUsers(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	a := startApp(t, host).withQP()
	event := a.join()
	g.Expect(a.AckEvent(t.Context(), event.Ref)).To(Succeed())
	type outcome struct {
		undo func(context.Context) error
		err  error
	}
	removed := make(chan outcome, 1)
	go func() {
		undo, err := host.(spec.Configurer).Configure(t.Context(), spec.Change{
			RemoveDevice: &spec.DeviceChange{Device: "rxe0"},
		})
		removed <- outcome{undo, err}
	}()

	event, err := a.GetEvent(t.Context(), a.channel)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(event.Type).To(Equal(spec.DeviceRemoval))
	g.Expect(a.AckEvent(t.Context(), event.Ref)).To(Succeed())
	g.Expect(a.DestroyQP(t.Context(), a.id)).To(Succeed())
	g.Expect(a.DestroyID(t.Context(), a.id)).To(Succeed())
	state, err := host.Observe(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(state.Resources).To(BeEmpty())
	t.Log(state.KernelLog)
	g.Expect(removed).NotTo(Receive())
	_, err = a.Kill(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	var o outcome
	g.Eventually(removed).WithTimeout(10 * time.Second).Should(Receive(&o))
	g.Expect(o.err).NotTo(HaveOccurred())
	g.Expect(o.undo(t.Context())).To(Succeed())
	again := startApp(t, host)
	g.Expect(again.join().Type).To(Equal(spec.MulticastJoin))
}

// Stock Soft-RoCE offers RoCE v2 alone: another mode is refused with a sentence, and its own can be set again.
func TestLiveRoCEModeIsOneThatThePortOffers(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	ports, err := host.Ports(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.Capabilities(t.Context())).To(HaveKeyWithValue(spec.RoCEModes,
		And(HaveField("Has", false), HaveField("How", ContainSubstring(`types of GIDs: ["RoCE v2"]`)))))
	mode := func(m spec.RoCEMode) spec.Change {
		return spec.Change{SetRoCEMode: &spec.RoCEModeChange{Device: ports[0].Device, Port: ports[0].Num, Mode: m}}
	}

	_, err = host.(spec.Configurer).Configure(t.Context(), mode(spec.RoCEv1Mode))

	g.Expect(err).To(MatchError(HaveSuffix(
		ports[0].Device + ` port 1 does not offer the RoCE mode "IB/RoCE v1"`)))
	change(t, host, mode(spec.RoCEv2Mode))()
	env, err := b.Environment(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(env.Hosts[0].RoCEMode).To(Equal("RoCE v2"))
}

package sim_test

import (
	"fmt"
	"net/netip"
	"slices"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfBinding show the quirks of what an id is bound to.
var probesOfBinding = map[string]probe{
	"bind-blames-address": {func(w *world) string {
		w.addBare()
		return seeBind(spec.PSUDP, "10.7.0.1")(w)
	}, "ENODEV", "EADDRNOTAVAIL"},
	"bind-twice": {func(w *world) string {
		m := w.bound(0)
		return spec.Outcome(m.p.BindAddr(m.ctx, m.id, w.addrOf(0)))
	}, "EINVAL", "0"},
	"family-must-match": {func(w *world) string {
		prefix := netip.MustParsePrefix("fd00::1/64")
		w.configure(spec.Change{AddAddr: &spec.NetdevAddr{Netdev: "eth0", Prefix: prefix}})
		return spec.Outcome(w.boundTo(0, addr("fd00::1")).join(group))
	}, "0", "EINVAL"},
	"igmp-by-route": {func(w *world) string {
		w.routeToBare()
		w.bound(0).joined(group)
		return w.memberOn()
	}, "eth0", "bare0"},
	"igmp-on-parent": {func(w *world) string {
		w.boundTo(0, w.addVLAN(0)).joined(group)
		return w.memberOn()
	}, "eth0.7", "eth0"},
	"join-needs-resolution": {seeJoin(group), "0", "EINVAL"},
	"join-while-listening": {func(w *world) string {
		m := w.bound(0)
		m.Expect(m.p.Listen(m.ctx, m.id, 1)).To(Succeed())
		return spec.Outcome(m.join(group))
	}, "EINVAL", "0"},
	"loopback-has-device": {seeDevice("127.0.0.1"), "false", "true"},
	"no-route-told-later": {func(w *world) string { return w.resolves(nil) }, "ENETUNREACH", "ADDR_ERROR -101"},
	"resolve-any-device": {func(w *world) string {
		w.routeToBare()
		return w.resolves(nil)
	}, "ADDR_ERROR -19", "ADDR_RESOLVED 0"},
	"routes-ignored": {func(w *world) string {
		w.configure(spec.Change{AddRoute: &spec.Route{Prefix: allGroups, Netdev: "eth0"}})
		return w.resolves(nil)
	}, "ADDR_RESOLVED 0", "ENETUNREACH"},
	"source-needs-route":  {func(w *world) string { return w.resolves(w.addrOf(0)) }, "ADDR_RESOLVED 0", "ENETUNREACH"},
	"wildcard-has-device": {seeDevice("0.0.0.0"), "false", "true"},
}

var allGroups = netip.MustParsePrefix("224.0.0.0/4")

// addBare gives the host under test a network device that no RDMA device uses.
func (w *world) addBare() {
	w.configure(spec.Change{AddNetdev: &spec.NewNetdev{Netdev: "bare0", Prefix: netip.MustParsePrefix("10.7.0.1/24")}})
}

// routeToBare sends all groups out of it.
func (w *world) routeToBare() {
	w.addBare()
	w.configure(spec.Change{AddRoute: &spec.Route{Prefix: allGroups, Netdev: "bare0"}})
}

// addVLAN gives a host a VLAN with an address.
func (w *world) addVLAN(host int) spec.Sockaddr {
	at := netip.AddrFrom4([4]byte{10, 7, 0, byte(host + 1)})
	_, err := w.hosts[host].(spec.Configurer).Configure(w.ctx, spec.Change{AddNetdev: &spec.NewNetdev{
		Netdev: "eth0.7", Parent: "eth0", VLAN: 7, Prefix: netip.PrefixFrom(at, 24),
	}})
	w.Expect(err).NotTo(HaveOccurred())
	return spec.NewSockaddr(at, 0)
}

// memberOn is the network device on which the host under test is a member of the group by IGMP.
func (w *world) memberOn() string {
	igmp := w.state().IGMP
	i := slices.IndexFunc(igmp, func(m spec.Membership) bool { return m.Group == group.Addr() })
	w.Expect(i).To(BeNumerically(">=", 0))
	return igmp[i].Netdev
}

// resolves is what becomes of the resolution of the group from a source.
func (w *world) resolves(src spec.Sockaddr) string {
	m := w.unbound(spec.PSUDP)
	if err := m.p.ResolveAddr(m.ctx, m.id, src, group, 1000); err != nil {
		return spec.Outcome(err)
	}
	e := m.acked()
	return fmt.Sprint(e.Type, " ", e.Status)
}

// seeDevice tells whether an id has a device once it is bound to an address.
func seeDevice(a string) func(*world) string {
	return func(w *world) string { return fmt.Sprint(w.boundTo(0, addr(a)).read().HasVerbs) }
}

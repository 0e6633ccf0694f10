package sim_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfMapping show the quirks of the MGID and of the link-layer address of a group.
var probesOfMapping = map[string]probe{
	"filter-stays": {func(w *world) string {
		m := w.bound(0)
		m.joined(group)
		m.Expect(m.leave(group)).To(Succeed())
		return fmt.Sprint(slices.ContainsFunc(w.state().Filters, func(f spec.LinkFilter) bool {
			return f.Addr == "01:00:5e:01:02:03"
		}))
	}, "false", "true"},
	"ib-32-bits-of-ipv4": {seeMGID(group), "ff12:4001:ffff::f01:203", "ff12:4001:ffff::ef01:203"},
	"ib-64-bits-of-ipv6": {
		seeMGID(addr("ff1e:1:2:3:4:5:6:7")), "ff12:6001:ffff:3:4:5:6:7", "ff12:6001:ffff:0:4:5:6:7",
	},
	"ib-signs-gids": {
		seeMGID(spec.NewSockaddrIB(spec.GID{0: 0xff, 1: 0x12, 15: 7})), "ff12::7", "ff12:6001:ffff::7",
	},
	"mgid-has-port": {
		seeMGID(spec.NewSockaddr(group.Addr(), 7777)), "::ffff:239.1.2.3", "::1e61:ffff:ef01:203",
	},
	"mgid-of-mac-bits":      {seeMGID(addr("239.129.2.3")), "::ffff:239.129.2.3", "::ffff:239.1.2.3"},
	"rocev1-cuts-ipv6":      {seeMGID(addr("ff1e::7")), "ff1e::7", "ff0e::ffff:0:7"},
	"rocev1-maps-as-rocev2": {seeMGID(group), "ff0e::ffff:ef01:203", "::ffff:239.1.2.3"},
	"rocev1-leaves-by-mode": {func(w *world) string {
		mode := func(m spec.RoCEMode) {
			w.configure(spec.Change{SetRoCEMode: &spec.RoCEModeChange{Device: "rxe0", Port: 1, Mode: m}})
		}
		mode(spec.RoCEv2Mode)
		m := w.bound(0)
		m.joined(group)
		mode(spec.RoCEv1Mode)
		m.Expect(m.leave(group)).To(Succeed())
		return igmpGroups(w.state())
	}, "1", "2"},
}

// seeMGID is the MGID that an address is joined as.
func seeMGID(a spec.Sockaddr) func(*world) string {
	return func(w *world) string { return w.bound(0).joined(a).UD.AH.GRH.DGID.String() }
}

package sim_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

func TestDevicesBesideTheOneUnderTestHaveNetworksOfTheirOwn(t *testing.T) {
	w := newWorldWith(t, sim.Options{Beside: []string{"siw", "rxe-both"}}, 1)
	ports, err := w.hosts[1].Ports(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	var seen []string
	for _, p := range ports {
		seen = append(seen, p.Device+" "+p.Netdev+" "+p.Addrs[0].String())
	}
	w.Expect(seen).To(Equal([]string{
		"rxe0 eth0 192.168.100.2/24", "siw0 eth1 172.17.0.2/16", "rxe1 eth2 172.18.0.2/16",
	}))
}

func TestDatagramsReachTheDeviceOfTheirSubnet(t *testing.T) {
	w := newWorldWith(t, sim.Options{Beside: []string{"rxe"}}, 1)
	second := func(host int) *member {
		m := w.unboundOf(w.procs[host], spec.PSUDP)
		ports, err := w.hosts[host].Ports(w.ctx)
		w.Expect(err).NotTo(HaveOccurred())
		w.Expect(m.p.BindAddr(m.ctx, m.id, spec.NewSockaddr(ports[1].Addrs[0].Addr(), 0))).To(Succeed())
		return m.withQP()
	}
	sender, m := second(0), second(1)
	joined := sender.joined(group)
	m.joined(group)
	m.post(1)

	sender.sendAsTold(joined, "hello")

	w.Expect(string(m.receives().Data)).To(Equal("hello"))
}

func TestDevicesThatCannotBeAreRefused(t *testing.T) {
	for want, o := range map[string]sim.Options{
		`no kind of device is named "token-ring"`:          {Beside: []string{"token-ring"}},
		"beside has 16 kinds; want at most 15":             {Beside: slices.Repeat([]string{"rxe"}, 16)},
		"devices of kind siw do not offer the RoCE mode":   {Kind: "siw", Mode: spec.RoCEv1Mode},
		`devices of kind rxe do not offer the RoCE mode "`: {Mode: spec.RoCEv1Mode, Beside: []string{"rxe-both"}},
	} {
		_, err := sim.NewLab(o)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
	}
}

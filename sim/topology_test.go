package sim_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

// newNetwork boots a world with a topology that keeps all promises.
func newNetwork(t *testing.T, top sim.Topology) *world {
	t.Helper()
	return newWorldWith(t, sim.Options{Topology: top}, 1)
}

// snoops is a switch that snoops and asks after every 4 datagrams.
var snoops = sim.Switch{Snooping: true, Querier: true, Interval: 4}

// hears tells what of the payloads a member gets before the last of them.
func (m *member) hears(last string) []string {
	var before []string
	for {
		payload := string(m.receives().Data)
		if payload == last {
			return before
		}
		before = append(before, payload)
	}
}

func TestAThousandHostsGetOneCopyEach(t *testing.T) {
	for name, s := range map[string]sim.Switch{"flooded": {}, "from a switch that snoops": snoops} {
		t.Run(name, func(t *testing.T) {
			const hosts = 1000
			w := newNetwork(t, sim.Topology{Hosts: hosts, Switch: s})
			sender := w.bound(0).withQP()
			var members []*member
			for i := 1; i < hosts; i++ {
				m := w.attachedMember(i, group)
				m.post(2)
				members = append(members, m)
			}
			sender.send(group, []byte("the message"), nil)
			sender.send(group, []byte("the end"), nil)
			for _, m := range members {
				w.Expect(m.hears("the end")).To(Equal([]string{"the message"}))
			}
		})
	}
}

func TestWhoHearsThroughASwitchThatSnoops(t *testing.T) {
	w := newNetwork(t, sim.Topology{Hosts: 4, Switch: snoops})
	sender, m, late := w.bound(0).withQP(), w.attachedMember(1, group), w.attachedMember(2, addr("224.129.2.3"))
	m.post(4)
	late.post(4)
	sender.send(group, []byte("to one"), nil)
	late.joined(group)
	sender.send(group, []byte("to both"), nil)
	w.Expect(m.hears("to both")).To(Equal([]string{"to one"}))
	w.Expect(m.leave(group)).To(Succeed())
	sender.send(group, []byte("to the other"), nil)
	w.Expect(late.hears("to the other")).To(Equal([]string{"to both"}), "a twin's link-layer address is not enough")
	m.joined(group)
	sender.send(group, []byte("the end"), nil)
	w.Expect(m.hears("the end")).To(BeEmpty())
}

// Between two datagrams the world settles, as it does when a second lies between them.
func TestAMembershipLivesAsLongAsItIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		querier bool
		want    int
	}{
		"with a querier":    {true, 30},
		"without a querier": {false, 12},
	} {
		t.Run(name, func(t *testing.T) {
			w := newNetwork(t, sim.Topology{Switch: sim.Switch{Snooping: true, Querier: c.querier, Interval: 4}})
			sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
			m.post(31)
			for i := range 30 {
				sender.send(group, []byte(fmt.Sprint(i)), nil)
				_, err := w.hosts[0].Observe(w.ctx)
				w.Expect(err).NotTo(HaveOccurred())
			}
			w.Expect(m.leave(group)).To(Succeed())
			m.joined(group)
			sender.send(group, []byte("the end"), nil)
			w.Expect(m.hears("the end")).To(HaveLen(c.want))
		})
	}
}

func TestVLANsAreApart(t *testing.T) {
	for name, s := range map[string]sim.Switch{"flooded": {}, "from a switch that snoops": snoops} {
		t.Run(name, func(t *testing.T) {
			w := newNetwork(t, sim.Topology{Hosts: 4, VLANs: []int{7, 4094}, Switch: s})
			places := []struct{ sender, member string }{
				{"192.168.100.1", "192.168.100.2"}, {"10.0.112.1", "10.0.112.3"}, {"10.255.224.1", "10.255.224.4"},
			}
			var members []*member
			for i, p := range places {
				m := w.boundTo(i+1, addr(p.member)).withQP()
				m.joined(group)
				m.post(4)
				members = append(members, m)
			}
			for _, text := range []string{"the message", "the end"} {
				for _, p := range places {
					w.boundTo(0, addr(p.sender)).withQP().say(text + " from " + p.sender)
				}
			}
			for i, p := range places {
				w.Expect(members[i].hears("the end from " + p.sender)).To(Equal([]string{"the message from " + p.sender}))
			}
		})
	}
}

// say joins the group and sends a text to it from the address that the id is bound to.
func (m *member) say(text string) {
	ah, err := m.p.CreateAH(m.ctx, m.id, m.joined(group).UD.AH)
	m.Expect(err).NotTo(HaveOccurred())
	m.sendWR(spec.SendWR{AH: ah, RemoteQPN: spec.MulticastQPN, QKey: spec.UDPQKey, Data: []byte(text)})
}

func TestATopologyThatCannotBeIsRefusedWithOneSentence(t *testing.T) {
	for want, top := range map[string]sim.Topology{
		"hosts is -1; want 1 to 10000, or 0 for 2":               {Hosts: -1},
		"hosts is 10001; want 1 to 10000, or 0 for 2":            {Hosts: 10_001},
		"hosts is 5000; want at most 4094 where there are vlans": {Hosts: 5000, VLANs: []int{7}},
		"one of vlans is 0; want 1 to 4094":                      {VLANs: []int{7, 0}},
		"vlans has 7 twice":                                      {VLANs: []int{7, 8, 7}},
		"interval of switch is -1; want a number of datagrams":   {Switch: sim.Switch{Interval: -1}},
		"does not snoop; want snooping: true beside them":        {Switch: sim.Switch{Querier: true}},
	} {
		_, err := sim.NewLab(sim.Options{Topology: top})
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
	}
}

func TestNoVLANLiesOnIPoIB(t *testing.T) {
	_, err := sim.NewLab(sim.Options{Kind: "mlx4", Topology: sim.Topology{VLANs: []int{7}}})
	NewWithT(t).Expect(err).To(MatchError("vlans do not go with kind mlx4, whose network devices are not Ethernet"))
}

func TestTheEnvironmentTellsOfASwitchThatSnoops(t *testing.T) {
	for want, s := range map[string]sim.Switch{
		", on a switch that snoops with a querier":    snoops,
		", on a switch that snoops without a querier": {Snooping: true},
	} {
		e, err := newNetwork(t, sim.Topology{Switch: s}).backend.Environment(t.Context())
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(e.Imitates).To(HaveSuffix(want))
		g.Expect(e.Hosts).To(HaveLen(2))
	}
}

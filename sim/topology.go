package sim

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"joinmcast/sim/fabric"
	"joinmcast/sim/kernel"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// Topology is the hosts of a world and what lies between them. The zero value is two hosts on a switch that floods.
type Topology struct {
	Hosts  int    `yaml:"hosts"` // 0: 2
	VLANs  []int  `yaml:"vlans"` // that every host has on its network device, besides the untagged network
	Switch Switch `yaml:"switch"`
}

// Switch is what lies between the hosts. The zero value floods every group's datagrams to all of them.
type Switch struct {
	Snooping bool `yaml:"snooping"` // it forwards them to members only, whom it knows by IGMP and MLD
	Querier  bool `yaml:"querier"`  // it asks for members; without, a snooping switch forgets them after a while
	Interval int  `yaml:"interval"` // datagrams from one query to the next; 0: 125
}

// defaultHosts is how many there are unless a topology says another number.
const defaultHosts = 2

func (t Topology) hosts() int {
	if t.Hosts == 0 {
		return defaultHosts
	}
	return t.Hosts
}

// Bounds of a topology: of hosts the addresses are the limit, of VLANs the 12 bits of a tag.
const (
	maxHosts     = 10_000
	maxVLAN      = 4094
	maxVLANHosts = 4094
)

// Check refuses hosts, VLANs and switches that cannot be, with one sentence that says what would be right.
func (t Topology) Check() error {
	switch {
	case t.Hosts < 0 || t.Hosts > maxHosts:
		return fmt.Errorf("hosts is %d; want 1 to %d, or 0 for %d", t.Hosts, maxHosts, defaultHosts)
	case t.Switch.Interval < 0:
		return fmt.Errorf("interval of switch is %d; want a number of datagrams, or 0 for %d", t.Switch.Interval,
			fabric.QueryInterval)
	case !t.Switch.Snooping && t.Switch != (Switch{}):
		return errors.New("switch has a querier or an interval and does not snoop; want snooping: true beside them")
	}
	if len(t.VLANs) > 0 && t.Hosts > maxVLANHosts {
		return fmt.Errorf("hosts is %d; want at most %d where there are vlans", t.Hosts, maxVLANHosts)
	}
	for i, vlan := range t.VLANs {
		if vlan < 1 || vlan > maxVLAN {
			return fmt.Errorf("one of vlans is %d; want 1 to %d", vlan, maxVLAN)
		}
		if slices.Contains(t.VLANs[:i], vlan) {
			return fmt.Errorf("vlans has %d twice", vlan)
		}
	}
	return nil
}

// address is the i-th host's: 192.168.100.1 and up, on one subnet.
func (t Topology) address(i int) netip.Prefix {
	n := 100<<8 + 1 + i
	bits := 24
	if t.Hosts > 254 {
		bits = 16
	}
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, byte(n >> 8), byte(n)}), bits)
}

// vlanAddress is the i-th host's on a VLAN: 12 bits of the VLAN and the host's number from 1 follow 10.
func vlanAddress(vlan, i int) netip.Prefix {
	const bits = 20
	n := i + 1
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(vlan >> 4), byte(vlan<<4 | n>>8), byte(n)}), bits)
}

// addVLANs gives a host the VLANs on its first network device, named after it: eth0.100.
func (t Topology) addVLANs(k *kernel.Kernel, i int) error {
	for _, vlan := range t.VLANs {
		parent := k.Ports()[0].Netdev
		if _, err := k.Configure(spec.Change{AddNetdev: &spec.NewNetdev{
			Netdev: fmt.Sprintf("%s.%d", parent, vlan), Parent: parent, VLAN: vlan, Prefix: vlanAddress(vlan, i),
		}}); err != nil {
			return err
		}
	}
	return nil
}

// newSwitch is the switch between the hosts.
func (t Topology) newSwitch(w *world.World) *fabric.Switch {
	s := fabric.NewSwitch(w)
	if t.Switch.Snooping {
		s.Snoop(fabric.Snooping{Querier: t.Switch.Querier, Interval: t.Switch.Interval})
	}
	return s
}

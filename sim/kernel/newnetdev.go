package kernel

import (
	"fmt"
	"net"
	"slices"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// The largest VLAN of an IEEE 802.1Q tag, and the address that VLANs are registered at: their parent listens there for
// two protocols, GVRP and MVRP.
const maxVLAN = 4094

var registration = fabric.MAC{0x01, 0x80, 0xc2, 0x00, 0x00, 0x21}

// addNetdev gives the host a network device that is up and has an address.
func (k *Kernel) addNetdev(c spec.NewNetdev) (undo func(), err error) {
	if _, err := k.netdev(c.Netdev); err == nil {
		return nil, fmt.Errorf("there is a network device named %s already", c.Netdev)
	}
	k.lastIndex++
	n := newNetdev(c.Netdev, k.lastIndex, net.HardwareAddr{2, 0, 0, 1, 0, byte(k.lastIndex)}, ethernetMTU, ethernet)
	if c.Parent != "" {
		parent, err := k.netdev(c.Parent)
		if err != nil {
			return nil, err
		}
		if err := parent.addVLAN(n, c.VLAN); err != nil {
			return nil, err
		}
	}
	k.netdevs = append(k.netdevs, n)
	k.addAddr(n, c.Prefix)
	k.setLink(n, n.parent == nil || n.parent.up)
	return func() { k.removeNetdev(n) }, nil
}

// addVLAN puts a VLAN on the device.
func (n *netdev) addVLAN(vlan *netdev, tag int) error {
	switch {
	case tag < 1 || tag > maxVLAN:
		return fmt.Errorf("the VLAN of %s is %d; want 1 to %d", vlan.name, tag, maxVLAN)
	case n.linkLayer != ethernet:
		return fmt.Errorf("%s is no Ethernet device; want a VLAN on one", n.name)
	case n.parent != nil:
		return fmt.Errorf("%s is a VLAN itself; want a VLAN on %s, which it lies on", n.name, n.parent.name)
	case n.onVLAN(uint16(tag)) != nil:
		return fmt.Errorf("there is VLAN %d on %s already, %s", tag, n.name, n.onVLAN(uint16(tag)).name)
	}
	if len(n.vlans) == 0 {
		n.addFilter(registration)
		n.addFilter(registration)
	}
	vlan.parent, vlan.vlan, vlan.mac, vlan.mtu = n, uint16(tag), n.mac, n.mtu
	n.vlans = append(n.vlans, vlan)
	return nil
}

// removeNetdev takes a network device away that addNetdev gave.
func (k *Kernel) removeNetdev(n *netdev) {
	k.setLink(n, false)
	for _, p := range slices.Clone(n.addrs) {
		k.delAddr(n, p)
	}
	k.netdevs = slices.DeleteFunc(k.netdevs, func(o *netdev) bool { return o == n })
	n.gone = true
	if n.parent == nil {
		return
	}
	n.parent.vlans = slices.DeleteFunc(n.parent.vlans, func(o *netdev) bool { return o == n })
	if len(n.parent.vlans) == 0 {
		n.parent.removeFilter(registration)
		n.parent.removeFilter(registration)
	}
}

package kernel

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"joinmcast/spec"
)

// Configure alters the host and gives what takes the alteration back. Errors say which part of the change this host
// cannot make.
func (k *Kernel) Configure(c spec.Change) (undo func(), err error) {
	switch {
	case c.AddRoute != nil:
		return k.addRoute(*c.AddRoute)
	case c.AddAddr != nil:
		return k.changeAddr(*c.AddAddr, false)
	case c.DelAddr != nil:
		return k.changeAddr(*c.DelAddr, true)
	case c.SetMTU != nil:
		n, err := k.netdev(c.SetMTU.Netdev)
		if err != nil {
			return nil, err
		}
		old := n.mtu
		n.mtu = c.SetMTU.MTU
		return func() { n.mtu = old }, nil
	case c.SetLink != nil:
		n, err := k.netdev(c.SetLink.Netdev)
		if err != nil {
			return nil, err
		}
		old := n.up
		k.setLink(n, c.SetLink.Up)
		return func() { k.setLink(n, old) }, nil
	case c.AddNetdev != nil:
		return k.addNetdev(*c.AddNetdev)
	case c.SetSubnet != nil:
		return k.setSubnet(*c.SetSubnet)
	}
	return nil, errors.New("the change is empty: one of its fields must be set")
}

// setLink brings a network device up or down; IPoIB tells the subnet.
func (k *Kernel) setLink(n *netdev, up bool) {
	n.up = up
	for _, d := range n.above {
		if d.hca != nil && !d.removed {
			d.hca.ipoib.setUp(up)
		}
	}
}

func (k *Kernel) addRoute(r spec.Route) (undo func(), err error) {
	if _, err := k.netdev(r.Netdev); err != nil {
		return nil, err
	}
	if slices.Contains(k.routes, r) {
		return nil, fmt.Errorf("there is a route to %s through %s already", r.Prefix, r.Netdev)
	}
	k.routes = append(k.routes, r)
	return func() { k.routes = slices.DeleteFunc(k.routes, func(o spec.Route) bool { return o == r }) }, nil
}

// addNetdev gives the host a network device that is up and has an address.
func (k *Kernel) addNetdev(c spec.NewNetdev) (undo func(), err error) {
	if _, err := k.netdev(c.Netdev); err == nil {
		return nil, fmt.Errorf("there is a network device named %s already", c.Netdev)
	}
	k.lastIndex++
	n := newNetdev(c.Netdev, k.lastIndex, net.HardwareAddr{2, 0, 0, 0, 1, byte(k.lastIndex)}, ethernetMTU, ethernet)
	if c.Parent != "" {
		if n.parent, err = k.netdev(c.Parent); err != nil {
			return nil, err
		}
		n.mac, n.mtu = n.parent.mac, n.parent.mtu
	}
	n.joinsAllHosts()
	k.netdevs = append(k.netdevs, n)
	k.addAddr(n, c.Prefix)
	return func() {
		k.delAddr(n, c.Prefix)
		k.netdevs = slices.DeleteFunc(k.netdevs, func(o *netdev) bool { return o == n })
	}, nil
}

// changeAddr takes an address off a device that has it, or gives one to a device that has not.
func (k *Kernel) changeAddr(a spec.NetdevAddr, present bool) (undo func(), err error) {
	n, err := k.netdev(a.Netdev)
	switch {
	case err != nil:
		return nil, err
	case n.has(a.Prefix.Addr()) != present && present:
		return nil, fmt.Errorf("%s has no address %s to take off", a.Netdev, a.Prefix.Addr())
	case n.has(a.Prefix.Addr()) != present:
		return nil, fmt.Errorf("%s has the address %s already", a.Netdev, a.Prefix.Addr())
	case present:
		k.delAddr(n, a.Prefix)
		return func() { k.addAddr(n, a.Prefix) }, nil
	}
	k.addAddr(n, a.Prefix)
	return func() { k.delAddr(n, a.Prefix) }, nil
}

// addAddr gives a device an address, and the RDMA device above it a GID.
func (k *Kernel) addAddr(n *netdev, p netip.Prefix) {
	n.addrs = append(n.addrs, p)
	n.answer(p.Addr(), true)
	for _, d := range k.devices {
		if d.uses(n) {
			d.addGID(p.Addr())
		}
	}
	if p.Addr().Is6() {
		n.joinMLD(solicitedNode(p.Addr()))
	}
}

// delAddr takes back what addAddr gave.
func (k *Kernel) delAddr(n *netdev, p netip.Prefix) {
	n.addrs = slices.DeleteFunc(n.addrs, func(o netip.Prefix) bool { return o.Addr() == p.Addr() })
	n.answer(p.Addr(), false)
	for _, d := range k.devices {
		if d.uses(n) {
			d.delGID(p.Addr())
		}
	}
	if p.Addr().Is6() {
		n.leaveMLD(solicitedNode(p.Addr()))
	}
}

// solicitedNode is the group in which neighbour discovery asks for an IPv6 address (RFC 4291).
func solicitedNode(a netip.Addr) netip.Addr {
	b := a.As16()
	return netip.AddrFrom16([16]byte{0: 0xff, 1: 0x02, 11: 1, 12: 0xff, 13: b[13], 14: b[14], 15: b[15]})
}

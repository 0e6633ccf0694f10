package kernel

import (
	"errors"
	"fmt"
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
		return k.changeAddr(*c.AddAddr, k.addAddr, k.delAddr)
	case c.DelAddr != nil:
		return k.changeAddr(*c.DelAddr, k.delAddr, k.addAddr)
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
		n.up = c.SetLink.Up
		return func() { n.up = old }, nil
	}
	return nil, errors.New("the change is empty: one of its fields must be set")
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

func (k *Kernel) changeAddr(a spec.NetdevAddr, do, undo func(*netdev, netip.Prefix)) (func(), error) {
	n, err := k.netdev(a.Netdev)
	if err != nil {
		return nil, err
	}
	do(n, a.Prefix)
	return func() { undo(n, a.Prefix) }, nil
}

// addAddr gives a device an address, and the RDMA device above it a GID.
func (k *Kernel) addAddr(n *netdev, p netip.Prefix) {
	if n.has(p.Addr()) {
		return
	}
	n.addrs = append(n.addrs, p)
	if n == k.rdma.netdev {
		k.rdma.addGID(p.Addr())
	}
	if p.Addr().Is6() {
		b := p.Addr().As16()
		solicited := netip.MustParseAddr("ff02::1:ff00:0").As16()
		copy(solicited[13:], b[13:])
		n.joinMLD(netip.AddrFrom16(solicited))
	}
}

func (k *Kernel) delAddr(n *netdev, p netip.Prefix) {
	n.addrs = slices.DeleteFunc(n.addrs, func(o netip.Prefix) bool { return o.Addr() == p.Addr() })
	if n == k.rdma.netdev {
		k.rdma.delGID(p.Addr())
	}
}

package kernel

import (
	"fmt"
	"net/netip"
	"slices"

	"joinmcast/spec"
)

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

// addAddr gives a device an address that it has not, and the RDMA device above it a GID.
func (k *Kernel) addAddr(n *netdev, p netip.Prefix) {
	if n.has(p.Addr()) {
		return
	}
	n.addrs = append(n.addrs, p)
	if n.up {
		n.answer(p.Addr(), true)
	}
	for _, d := range k.devices {
		if d.uses(n) {
			d.addGID(n, p.Addr())
		}
	}
	if p.Addr().Is6() {
		n.joinGroup(solicitedNode(p.Addr()))
	}
}

// delAddr takes back what addAddr gave.
func (k *Kernel) delAddr(n *netdev, p netip.Prefix) {
	if !n.has(p.Addr()) {
		return
	}
	n.addrs = slices.DeleteFunc(n.addrs, func(o netip.Prefix) bool { return o.Addr() == p.Addr() })
	n.answer(p.Addr(), false)
	for _, d := range k.devices {
		if d.uses(n) {
			d.delGID(n, p.Addr())
		}
	}
	if p.Addr().Is6() {
		n.leaveGroup(solicitedNode(p.Addr()))
	}
}

// solicitedNode is the group in which neighbour discovery asks for an IPv6 address (RFC 4291).
func solicitedNode(a netip.Addr) netip.Addr {
	b := a.As16()
	return netip.AddrFrom16([16]byte{0: 0xff, 1: 0x02, 11: 1, 12: 0xff, 13: b[13], 14: b[14], 15: b[15]})
}

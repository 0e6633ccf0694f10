package kernel

import (
	"net/netip"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

var _ fabric.Station = (*netdev)(nil)

// plug connects the device to a wire, for the RDMA device above it.
func (n *netdev) plug(wire *fabric.Switch, above *device) {
	n.link, n.above = wire.Plug(n), append(n.above, above)
}

// Impair makes the cables of all the host's network devices bad.
func (k *Kernel) Impair(f spec.WireFault) (undo func()) {
	var undos []func()
	for _, n := range k.netdevs {
		if n.link != nil {
			undos = append(undos, n.link.Impair(f))
		}
	}
	return func() {
		for _, undo := range undos {
			undo()
		}
	}
}

// MAC is the device's own link-layer address.
func (n *netdev) MAC() fabric.MAC { return fabric.MAC(n.mac) }

// Carrier tells whether the device is up.
func (n *netdev) Carrier() bool { return n.up }

// Receive takes a frame in if the link-layer filter lets it through.
func (n *netdev) Receive(p fabric.Frame) {
	if p.Dst == n.MAC() || n.filters.has(p.Dst) {
		n.inputIP(p)
	}
}

// inputIP is the IP layer: it drops what is neither for this host nor for a group the device is a member of.
func (n *netdev) inputIP(p fabric.Frame) {
	member := n.has(p.IP.Dst) || n.igmp.has(p.IP.Dst) || n.mld.has(p.IP.Dst)
	if !member || p.Datagram.DstPort != fabric.RoCEv2Port {
		return
	}
	for _, d := range n.above {
		d.takeIn(p)
	}
}

// answer makes the device answer for an address of its own, as seen from the wire, or no longer (ARP, neighbour
// discovery).
func (n *netdev) answer(a netip.Addr, does bool) {
	switch {
	case n.link == nil:
	case does:
		n.link.Answer(0, a)
	default:
		n.link.Silence(0, a)
	}
}

// neighbour finds the link-layer address that answers for an IP address behind the device. One without a wire asks
// nobody: it takes every address for its own (IFF_NOARP).
func (n *netdev) neighbour(a netip.Addr) (fabric.MAC, bool) {
	switch {
	case n.parent != nil:
		return n.parent.neighbour(a)
	case n.link == nil:
		return n.MAC(), true
	}
	return n.link.Neighbour(0, a)
}

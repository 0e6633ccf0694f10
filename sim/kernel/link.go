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

// Impair makes the cables of all the host's ports bad.
func (k *Kernel) Impair(f spec.WireFault) (undo func()) {
	var undos []func()
	for _, d := range k.devices {
		if d.hca != nil {
			undos = append(undos, d.hca.subnet.Impair(d.hca.gid, f))
		}
	}
	for _, n := range k.netdevs {
		if n.link != nil {
			undos = append(undos, n.link.Impair(f))
		}
	}
	return all(undos)
}

// MAC is the device's own link-layer address.
func (n *netdev) MAC() fabric.MAC { return fabric.MAC(n.mac) }

// Carrier tells whether the device is up.
func (n *netdev) Carrier() bool { return n.up }

// running tells whether the device is up and has a wire to speak on. What IPoIB says is said within the subnet.
func (n *netdev) running() bool { return n.up && n.lowest().link != nil && n.linkLayer == ethernet }

// send puts a frame on the wire with the device's tag, if it has one.
func (n *netdev) send(f fabric.Frame) {
	if n.running() {
		f.Src, f.VLAN = n.MAC(), n.vlan
		n.lowest().link.Send(f)
	}
}

// Receive takes a frame in if the link-layer filter lets it through, for the VLAN that it is tagged with.
func (n *netdev) Receive(f fabric.Frame) {
	to := n.onVLAN(f.VLAN)
	switch {
	case to == nil || !to.up || f.Dst != n.MAC() && !n.igmp.lets(f.Dst) && !n.filters.has(f.Dst):
	case f.Type == fabric.RoCEv1:
		to.inputRoCEv1(f)
	case f.Membership == nil:
		to.inputIP(f)
	case f.Membership.Query:
		to.answerQuery(f.Type)
	}
}

// onVLAN is the device for frames with a tag; nil when there is none.
func (n *netdev) onVLAN(tag uint16) *netdev {
	if tag == 0 {
		return n
	}
	for _, vlan := range n.vlans {
		if vlan.vlan == tag {
			return vlan
		}
	}
	return nil
}

// inputIP is the IP layer: it drops what is neither for this host nor for a group the device is a member of. The RDMA
// device above does not look at the tag (rxe_udp_encap_recv).
func (n *netdev) inputIP(f fabric.Frame) {
	member := n.has(f.IP.Dst) || n.igmp.has(f.IP.Dst) || n.mld.has(f.IP.Dst)
	if !member || f.Datagram.DstPort != fabric.RoCEv2Port {
		return
	}
	for _, d := range n.lowest().above {
		d.takeIn(f)
	}
}

// answer makes the device answer for an address of its own, as seen from the wire, or no longer (ARP, neighbour
// discovery).
func (n *netdev) answer(a netip.Addr, does bool) {
	switch l := n.lowest().link; {
	case l == nil:
	case does:
		l.Answer(n.vlan, a)
	default:
		l.Silence(n.vlan, a)
	}
}

// neighbour finds the link-layer address that answers for an IP address behind the device. One without a wire asks
// nobody: it takes every address for its own (IFF_NOARP).
func (n *netdev) neighbour(a netip.Addr) (fabric.MAC, bool) {
	l := n.lowest().link
	if l == nil {
		return n.MAC(), true
	}
	return l.Neighbour(n.vlan, a)
}

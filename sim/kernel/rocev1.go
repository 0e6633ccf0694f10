package kernel

import (
	"net/netip"
	"slices"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// A port that speaks RoCE v1 puts InfiniBand's own headers behind an Ethernet type of its own: no IP layer takes part,
// so the link-layer filter and the groups of the device alone decide what is taken in (IBTA annex A16). No Soft-RoCE
// does that; adapters do.

// transmitRoCEv1 puts a frame on the wire. The port itself takes in what it sends to a group of its own, or to itself.
func (d *device) transmitRoCEv1(a *ah, datagram *fabric.Datagram) {
	n := a.netdev
	p := fabric.Frame{
		Dst: a.mac, Type: fabric.RoCEv1,
		IP: fabric.Header{
			Src: netip.AddrFrom16(a.src.As16()), Dst: netip.AddrFrom16(a.grh.DGID),
			TrafficClass: a.grh.TrafficClass, FlowLabel: a.grh.FlowLabel, HopLimit: a.grh.HopLimit,
		},
		Datagram: datagram,
	}
	if p.Dst == n.MAC() || p.Dst.IsMulticast() && n.up {
		d.takeIn(p)
	}
	n.send(p)
}

// inputRoCEv1 hands a frame to the RDMA devices that know its type.
func (n *netdev) inputRoCEv1(p fabric.Frame) {
	for _, d := range n.lowest().above {
		if slices.Contains(d.kind.modes, spec.RoCEv1Mode) {
			d.takeIn(p)
		}
	}
}

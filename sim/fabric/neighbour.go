package fabric

import (
	"net/netip"
	"slices"
)

// neighbour is an IP address on a VLAN, 0 for no VLAN.
type neighbour struct {
	vlan uint16
	addr netip.Addr
}

// Answer makes the link's station answer for an IP address (ARP, neighbour discovery) until Silence.
func (l *Link) Answer(vlan uint16, a netip.Addr) {
	key := neighbour{vlan, a}
	l.of.neighbours[key] = append(l.of.neighbours[key], l)
}

// Silence takes an Answer back.
func (l *Link) Silence(vlan uint16, a netip.Addr) {
	key := neighbour{vlan, a}
	answering := l.of.neighbours[key]
	if i := slices.Index(answering, l); i >= 0 {
		answering = slices.Delete(answering, i, i+1)
	}
	if l.of.neighbours[key] = answering; len(answering) == 0 {
		delete(l.of.neighbours, key)
	}
}

// Neighbour finds the link-layer address that answers for an IP address, as seen from the link's station.
func (l *Link) Neighbour(vlan uint16, a netip.Addr) (MAC, bool) {
	for _, o := range l.of.neighbours[neighbour{vlan, a}] {
		if o != l && l.carrier() && o.carrier() {
			return o.station.MAC(), true
		}
	}
	return MAC{}, false
}

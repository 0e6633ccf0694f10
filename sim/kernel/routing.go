package kernel

import (
	"net/netip"

	"joinmcast/spec"
)

// route chooses the device and the source address of a packet, as ip_route_output_key and its IPv6 counterpart do. An
// invalid src leaves the choice to the table; a given one is enough for a multicast packet.
func (k *Kernel) route(src, dst netip.Addr) (*netdev, netip.Addr, error) {
	if src.IsValid() && dst.IsMulticast() {
		if n := k.ownerOf(src); n != nil {
			return n, src, nil
		}
		return nil, src, spec.EADDRNOTAVAIL
	}
	n := k.ownerOf(dst)
	if n == nil {
		n = k.lookUp(dst)
	}
	if n == nil {
		return nil, src, spec.ENETUNREACH
	}
	if src.IsValid() {
		return n, src, nil
	}
	if n.has(dst) {
		return n, dst, nil
	}
	src, ok := n.source(dst)
	if !ok {
		return nil, src, spec.ENETUNREACH
	}
	return n, src, nil
}

// lookUp finds the most specific route to an address through a device that is up; nil when there is none.
func (k *Kernel) lookUp(dst netip.Addr) *netdev {
	var best *netdev
	bits := -1
	for _, r := range k.routes {
		if n, err := k.netdev(r.Netdev); err == nil && n.up && r.Prefix.Contains(dst) && r.Prefix.Bits() > bits {
			best, bits = n, r.Prefix.Bits()
		}
	}
	if best != nil {
		return best
	}
	for _, n := range k.netdevs[1:] {
		// Linux keeps ff00::/8 in the local table of every device that has IPv6.
		if n.up && (n.connected(dst) || dst.Is6() && dst.IsMulticast()) {
			return n
		}
	}
	return nil
}

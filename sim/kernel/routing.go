package kernel

import (
	"net/netip"

	"joinmcast/spec"
)

// route chooses the device and the source address of a packet, as ip_route_output_key and its IPv6 counterpart do. A
// device that is given is the one: what no route leads to is taken for a neighbour there.
func (k *Kernel) route(given *netdev, src, dst netip.Addr) (*netdev, netip.Addr, error) {
	n := given
	switch {
	case src.IsLoopback() && given != nil:
		return nil, src, spec.EINVAL
	case src.IsLoopback() && dst.IsMulticast():
		return nil, src, spec.ENODEV // through lo, which no RDMA device uses
	case given == nil:
		if n = k.ownerOf(dst); n == nil {
			n = k.lookUp(dst)
		}
	}
	if n == nil {
		return nil, src, spec.ENETUNREACH
	}
	if !src.IsUnspecified() {
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

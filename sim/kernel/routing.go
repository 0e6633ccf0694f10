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
	case !src.IsUnspecified() && !src.IsLoopback() && k.ownerOf(src) == nil:
		return nil, src, spec.ENETUNREACH // the address has gone
	case given != nil && given.gone:
		return nil, src, spec.ENODEV
	case src.IsLoopback() && given != nil && !given.has(dst):
		return nil, src, spec.EINVAL
	case src.IsLoopback() && dst.IsMulticast() && k.release.routesByLoopback:
		return k.netdevs[0], src, nil
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

// lookUp finds the most specific route to an address through a device that is up; nil when there is none. Of equal ones
// the first given counts, and a device's own subnets before all that were added.
func (k *Kernel) lookUp(dst netip.Addr) *netdev {
	var best *netdev
	bits := -1
	consider := func(n *netdev, p netip.Prefix) {
		if n.up && p.Contains(dst) && p.Bits() > bits {
			best, bits = n, p.Bits()
		}
	}
	for _, n := range k.netdevs[1:] {
		for _, p := range n.addrs {
			consider(n, p.Masked())
		}
	}
	for _, r := range k.routes {
		if n, err := k.netdev(r.Netdev); err == nil && !k.deviates.Binding.IgnoresRoutes {
			consider(n, r.Prefix)
		}
	}
	if best == nil && dst.Is6() && dst.IsMulticast() {
		return k.firstUp()
	}
	return best
}

// firstUp is the first device that is up: Linux keeps ff00::/8 in the local table of every device that has IPv6.
func (k *Kernel) firstUp() *netdev {
	for _, n := range k.netdevs[1:] {
		if n.up {
			return n
		}
	}
	return nil
}

package rig

import (
	"context"
	"net/netip"
	"slices"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// Network devices that specs add, with addresses that no host of the suite has (RFC 5737).
var (
	elsewhere = spec.NewNetdev{Netdev: "elsewhere0", Prefix: netip.MustParsePrefix("198.51.100.1/24")}
	tagged    = spec.NewNetdev{Netdev: "tagged0", VLAN: 100, Prefix: netip.MustParsePrefix("192.0.2.17/24")}
)

// MustAddElsewhere gives the host a network device without an RDMA one; addr is its address.
func (h *Host) MustAddElsewhere(ctx context.Context) (addr spec.Sockaddr) {
	ginkgo.GinkgoHelper()
	h.use(ctx)
	h.MustConfigure(ctx, spec.Change{AddNetdev: &elsewhere})
	return spec.NewSockaddr(elsewhere.Prefix.Addr(), 0)
}

// MustRouteElsewhere gives the host a network device without an RDMA one, and sends all groups out of it.
func (h *Host) MustRouteElsewhere(ctx context.Context) {
	ginkgo.GinkgoHelper()
	h.MustAddElsewhere(ctx)
	h.MustConfigure(ctx, spec.Change{AddRoute: &spec.Route{
		Prefix: netip.MustParsePrefix("224.0.0.0/4"), Netdev: elsewhere.Netdev,
	}})
}

// MustAddVLAN gives the host the suite's VLAN on the network device under test; name is the VLAN's, and addr the host's
// address there, which no other has.
func (h *Host) MustAddVLAN(ctx context.Context) (name string, addr spec.Sockaddr) {
	ginkgo.GinkgoHelper()
	vlan := tagged
	vlan.Parent = h.Port(ctx).Netdev
	own := vlan.Prefix.Addr().As4()
	own[3] += byte(slices.Index(h.world.hosts, h))
	vlan.Prefix = netip.PrefixFrom(netip.AddrFrom4(own), vlan.Prefix.Bits())
	h.MustConfigure(ctx, spec.Change{AddNetdev: &vlan})
	return vlan.Netdev, spec.NewSockaddr(vlan.Prefix.Addr(), 0)
}

// MustRemoveDevices takes every RDMA device of the host away, until the spec ends or restore is called. No process may
// hold one open.
func (h *Host) MustRemoveDevices(ctx context.Context) (restore func(ctx context.Context)) {
	ginkgo.GinkgoHelper()
	h.Port(ctx)
	var undos []func(context.Context)
	removed := map[string]bool{}
	for _, p := range h.ports {
		if !removed[p.Device] {
			removed[p.Device] = true
			undos = append(undos, h.MustConfigure(ctx, spec.Change{RemoveDevice: &spec.DeviceChange{Device: p.Device}}))
		}
	}
	return func(ctx context.Context) {
		ginkgo.GinkgoHelper()
		for _, undo := range undos {
			undo(ctx)
		}
	}
}

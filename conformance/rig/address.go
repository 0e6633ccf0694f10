package rig

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// bound is the address of the host that specs bind to: the first IPv4 one of the network device under test.
func (h *Host) bound(ctx context.Context) netip.Prefix {
	ginkgo.GinkgoHelper()
	for _, prefix := range h.Port(ctx).Addrs {
		if prefix.Addr().Is4() {
			return prefix
		}
	}
	h.must(fmt.Errorf("%s has no IPv4 address on its first RDMA port; give its network device one", h.name),
		"find an address to bind to")
	return netip.Prefix{}
}

// MustLoseAddr takes away the address that specs bind to, until the spec ends.
func (h *Host) MustLoseAddr(ctx context.Context) {
	ginkgo.GinkgoHelper()
	h.MustConfigure(ctx, spec.Change{DelAddr: &spec.NetdevAddr{Netdev: h.Port(ctx).Netdev, Prefix: h.bound(ctx)}})
}

// Addr is the address specs bind to on the process's host.
func (p *Process) Addr(ctx context.Context) spec.Sockaddr {
	ginkgo.GinkgoHelper()
	return spec.NewSockaddr(p.host.bound(ctx).Addr(), 0)
}

// GID is that of the address specs bind to on the process's host.
func (p *Process) GID() spec.GID {
	ginkgo.GinkgoHelper()
	var gid spec.GID
	p.host.must(gid.UnmarshalText([]byte(p.host.gid)), "read the GID that "+p.host.name+" told")
	return gid
}

// Unattachable is a group that rdma_join_multicast takes and ibv_attach_mcast refuses on RoCEv2: the host's own
// unicast address.
func (p *Process) Unattachable(ctx context.Context) Group {
	ginkgo.GinkgoHelper()
	return Group{Addr: p.host.bound(ctx).Addr()}
}

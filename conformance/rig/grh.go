package rig

import (
	"context"
	"net/netip"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// Endpoints are the addresses that the 40 bytes before a payload name: those of a GRH or an IPv6 header, or of an IPv4
// header in the last 20 bytes (IBTA annex A17). Neither is valid when there are no 40 bytes.
func Endpoints(grh spec.Bytes) (from, to netip.Addr) {
	switch {
	case len(grh) < spec.GRHBytes:
		return netip.Addr{}, netip.Addr{}
	case grh[0]>>4 != 6 && grh[20]>>4 == 4:
		from, to = netip.AddrFrom4([4]byte(grh[32:36])), netip.AddrFrom4([4]byte(grh[36:40]))
		return from, to
	}
	return netip.AddrFrom16([16]byte(grh[8:24])), netip.AddrFrom16([16]byte(grh[24:40]))
}

// NameAddr is "group" for the group's address, "sender" for the sender's, or "other".
func NameAddr(a netip.Addr, group Group, sender spec.Sockaddr) string {
	switch a {
	case group.Addr:
		return "group"
	case sender.Addr():
		return "sender"
	}
	return "other"
}

// PathMTU is how many bytes of payload a datagram between the hosts can have: the largest InfiniBand MTU that fits the
// frames of the port's network device beside the headers of RoCEv2.
func (h *Host) PathMTU(ctx context.Context) int {
	ginkgo.GinkgoHelper()
	const headers, largest = 96, 4096
	mtu := largest
	for mtu+headers > h.Port(ctx).MTU {
		mtu /= 2
	}
	return mtu
}

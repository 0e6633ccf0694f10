package rig

import (
	"context"
	"net/netip"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// Endpoints are the GIDs that the 40 bytes before a payload name: those of a GRH or an IPv6 header, or of the addresses
// of an IPv4 header in the last 20 bytes (IBTA annex A17). Both are zero when there are no 40 bytes.
func Endpoints(grh spec.Bytes) (from, to spec.GID) {
	switch {
	case len(grh) < spec.GRHBytes:
		return spec.GID{}, spec.GID{}
	case grh[0]>>4 != 6 && grh[20]>>4 == 4:
		from, to = netip.AddrFrom4([4]byte(grh[32:36])).As16(), netip.AddrFrom4([4]byte(grh[36:40])).As16()
		return from, to
	}
	return spec.GID(grh[8:24]), spec.GID(grh[24:40])
}

// NameEndpoint is "group" for the group's MGID, "sender" for the sender's GID, or "other".
func NameEndpoint(g spec.GID, group Group, sender spec.GID) string {
	switch g {
	case group.GID():
		return "group"
	case sender:
		return "sender"
	}
	return "other"
}

// PathMTU is how many bytes of payload a datagram between the hosts can have: on Ethernet the largest InfiniBand MTU
// that fits the frames of the port's network device beside the headers of RoCEv2, on InfiniBand what IPoIB has with its
// own header (RFC 4391, section 7).
func (h *Host) PathMTU(ctx context.Context) int {
	ginkgo.GinkgoHelper()
	const headers, largest, ipoibHeader = 96, 4096, 4
	if world.transport == spec.InfiniBand {
		return h.Port(ctx).MTU + ipoibHeader
	}
	mtu := largest
	for mtu+headers > h.Port(ctx).MTU {
		mtu /= 2
	}
	return mtu
}

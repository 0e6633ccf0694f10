package walk

import (
	"net/netip"

	"joinmcast/spec"
)

func endpoints(grh spec.Bytes) (from, to netip.Addr) {
	switch {
	case len(grh) < spec.GRHBytes:
		return netip.Addr{}, netip.Addr{}
	case grh[0]>>4 != 6 && grh[20]>>4 == 4:
		return netip.AddrFrom4([4]byte(grh[32:36])), netip.AddrFrom4([4]byte(grh[36:40]))
	}
	return netip.AddrFrom16([16]byte(grh[8:24])), netip.AddrFrom16([16]byte(grh[24:40]))
}

package sim

import (
	"fmt"
	"net"
	"net/netip"
	"slices"

	"joinmcast/sim/kernel"
)

// kinds are those of a host's devices: the one under test, and those beside it.
func (o Options) kinds() ([]kernel.Kind, error) {
	var kinds []kernel.Kind
	for _, name := range append([]string{o.Kind}, o.Beside...) {
		k, err := kernel.KindNamed(name)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, k)
	}
	if len(kinds) > maxDevices {
		return nil, fmt.Errorf("beside has %d kinds; want at most %d", len(o.Beside), maxDevices-1)
	}
	if o.Mode != "" {
		if err := kinds[0].Offers(o.Mode); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

// maxDevices is how many RDMA devices a host can have: the addresses are the limit.
const maxDevices = 16

// devices are those of the i-th host, each above a network device of its own with one address: the first one's is the
// topology's, the others' are of subnets of their own, 172.17.0.0/16 and up.
func (l *Lab) devices(i int) []kernel.Device {
	var devices []kernel.Device
	for j, kind := range l.kinds {
		n := i + 1
		d := kernel.Device{
			Kind: kind, MAC: net.HardwareAddr{0x02, 0, 0, byte(j), byte(n >> 8), byte(n)},
			Addrs: []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{172, byte(16 + j), byte(n >> 8), byte(n)}), 16)},
		}
		if j == 0 {
			d.Mode, d.Addrs = l.options.Mode, []netip.Prefix{l.options.Topology.address(i)}
		}
		devices = append(devices, d)
	}
	return devices
}

// needsSubnet tells whether one of the devices is a port of an InfiniBand subnet.
func (l *Lab) needsSubnet() bool { return slices.ContainsFunc(l.kinds, kernel.Kind.NeedsSubnet) }

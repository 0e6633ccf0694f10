package kernel

import (
	"fmt"
	"slices"
	"strings"

	"joinmcast/spec"
)

// Kind is what the RDMA devices of one kind have in common, as data. A device has one port.
type Kind struct {
	Name      string // as a target file spells it
	Imitates  string // where its truth is from
	Driver    string // the kernel module that makes such devices
	LinkLayer string // of the port, as sysfs spells it

	prefix       string // of a device's name, and of its network device's
	netdevPrefix string
	netdevMTU    int // of the network device, in bytes
	transport    transport
	modes        []spec.RoCEMode // that a RoCE port offers, in the order of its GIDs; nil on another transport
	limits       limits
	gidTable     int  // how many entries the GID table has room for
	udQPs        bool // whether there are UD QPs
	attaches     bool // whether the driver attaches QPs to multicast groups
}

// limits are what a device has room for.
type limits struct{ groups, attachedToGroup, attachments int }

// Link layers of ports.
const (
	ethernet = "Ethernet"
)

// driverRXE is Soft-RoCE's module.
const driverRXE = "rdma_rxe"

// DefaultKind is the kind of the devices of hosts that ask for no other.
const DefaultKind = "rxe"

// kinds are those a host can be given.
var kinds = []Kind{
	rxe("rxe", "rdma_rxe", spec.RoCEv2Mode),
	rxe("rxe-both", "rdma_rxe rebuilt to offer RoCE v1 too", spec.RoCEv1Mode, spec.RoCEv2Mode),
	withoutLimits(rxe("rxe-roomy", "rdma_rxe rebuilt with room for a million of everything", spec.RoCEv2Mode)),
	{
		Name: "siw", Imitates: "siw", Driver: "siw", LinkLayer: ethernet,
		prefix: "siw", netdevPrefix: "eth", netdevMTU: ethernetMTU, transport: iwarp{}, gidTable: 1,
	},
	{
		Name: "mlx4", Imitates: "mlx4_ib, read and not measured", Driver: "mlx4_ib", LinkLayer: linkInfiniBand,
		prefix: "mlx4_", netdevPrefix: "ib", netdevMTU: ipoibMTU, transport: infiniband{},
		limits:   limits{groups: 8192, attachedToGroup: 248, attachments: 2031616},
		gidTable: 128, udQPs: true, attaches: true,
	},
}

// rxe is Soft-RoCE with its limits (rxe_param.h), offering some modes.
func rxe(name, imitates string, modes ...spec.RoCEMode) Kind {
	return Kind{
		Name: name, Imitates: imitates, Driver: driverRXE, LinkLayer: ethernet,
		prefix: "rxe", netdevPrefix: "eth", netdevMTU: ethernetMTU, transport: roce{}, modes: modes,
		limits:   limits{groups: 8192, attachedToGroup: 56, attachments: 458752},
		gidTable: 1024, udQPs: true, attaches: true,
	}
}

// withoutLimits is a kind whose limits are out of the way, for measurements.
func withoutLimits(k Kind) Kind {
	const many = 1_000_000
	k.limits = limits{groups: many, attachedToGroup: many, attachments: many}
	return k
}

// KindNamed finds a kind; a name that is none is an error that lists the known ones.
func KindNamed(name string) (Kind, error) {
	var known []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		known = append(known, k.Name)
	}
	return Kind{}, fmt.Errorf("no kind of device is named %q; known: %s", name, strings.Join(known, ", "))
}

// Transport is what carries the datagrams of such a device while its port is in a mode.
func (k Kind) Transport(m spec.RoCEMode) spec.Transport { return k.transport.of(m) }

// NeedsSubnet tells whether such a device is a port of an InfiniBand subnet.
func (k Kind) NeedsSubnet() bool { return k.LinkLayer == linkInfiniBand }

// Offers is nil for a RoCE mode that the ports of such devices offer, else an error that lists those they do.
func (k Kind) Offers(m spec.RoCEMode) error {
	if !slices.Contains(k.modes, m) {
		return fmt.Errorf("devices of kind %s do not offer the RoCE mode %q; they offer %q", k.Name, m, k.modes)
	}
	return nil
}

// OffersBoth tells whether the ports of such devices offer both RoCE modes, and how that is known.
func (k Kind) OffersBoth() spec.Evidence {
	return spec.Evidence{Has: len(k.modes) > 1, How: fmt.Sprintf("types of GIDs: %q", k.modes)}
}

// HasUDQPs tells whether such a device has UD QPs, and how that is known.
func (k Kind) HasUDQPs() spec.Evidence {
	if !k.udQPs {
		return spec.Evidence{How: "ibv_create_qp: " + k.Driver + " has no UD QPs, EOPNOTSUPP"}
	}
	return spec.Evidence{Has: true, How: "simulated"}
}

// Attaches tells whether such a device attaches QPs to multicast groups, and how that is known.
func (k Kind) Attaches() spec.Evidence {
	return spec.Evidence{Has: k.attaches, How: fmt.Sprintf("ibv_query_device: max_mcast_grp %d", k.limits.groups)}
}

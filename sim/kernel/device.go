package kernel

import (
	"encoding/hex"
	"net"
	"net/netip"
	"slices"

	"joinmcast/sim/fabric"
	"joinmcast/sim/uabi"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// rxe's only port, the room of its GID table, and the number of its first QP (rxe_param.h).
const (
	portNum     = 1
	gidTableLen = 1024
	firstQPN    = 17
)

// limits are what a kind of device has room for.
type limits struct{ groups, attachedToGroup, attachments int }

// rxeLimits are those of rxe (rxe_param.h).
var rxeLimits = limits{groups: 8192, attachedToGroup: 56, attachments: 458752}

// device is an RDMA device that behaves as rxe above one network device.
type device struct {
	kernel   *Kernel
	netdev   *netdev
	limits   limits
	removed  bool
	gids     []gid
	groups   map[spec.GID]*group
	attached int // QPs, once for each of their groups
	qps      map[uabi.QP]*qp
	lastQP   uabi.QP
	work     *world.Lane // sends that are posted and not yet on the wire
}

var _ fabric.Station = (*device)(nil)

// gid is an entry of the GID table; an entry whose address is gone is free.
type gid struct {
	addr netip.Addr
	live bool
}

// group is the QPs attached to a multicast group of the device (struct rxe_mcg).
type group struct{ qps []*qp }

func newDevice(k *Kernel, n *netdev) *device {
	d := &device{
		kernel: k, netdev: n, limits: rxeLimits,
		groups: map[spec.GID]*group{}, qps: map[uabi.QP]*qp{}, lastQP: firstQPN - 1, work: k.world.NewLane(),
	}
	d.gids = []gid{{linkLocal(n.mac), true}}
	return d
}

// linkLocal is the IPv6 link-local address that a link-layer address makes (RFC 4291, modified EUI-64).
func linkLocal(mac net.HardwareAddr) netip.Addr {
	return netip.AddrFrom16([16]byte{
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5],
	})
}

// Bounds of an InfiniBand MTU, and what its headers take off an Ethernet one (iboe_get_mtu), in bytes.
const (
	smallestIBMTU   = 256
	largestIBMTU    = 4096
	roceHeaderBytes = 96
)

// ibMTU is the largest InfiniBand MTU that fits an Ethernet MTU, both in bytes; 0 when none does (iboe_get_mtu).
func ibMTU(ethernet int) int {
	for mtu := largestIBMTU; mtu >= smallestIBMTU; mtu /= 2 {
		if ethernet-roceHeaderBytes >= mtu {
			return mtu
		}
	}
	return 0
}

func (d *device) attr() spec.DeviceAttr {
	eui := linkLocal(d.netdev.mac).As16()
	guid := hex.EncodeToString(eui[8:])
	return spec.DeviceAttr{
		FWVer:    "0.0.0",
		NodeGUID: guid, SysImageGUID: guid,
		MaxMcastGrp: uint32(d.limits.groups), MaxMcastQPAttach: uint32(d.limits.attachedToGroup),
		MaxTotalMcastQPAttach: uint32(d.limits.attachments),
	}
}

func (d *device) gidIndex(a netip.Addr) (int, bool) {
	i := slices.IndexFunc(d.gids, func(g gid) bool { return g.live && g.addr == a })
	return i, i >= 0
}

func (d *device) addGID(a netip.Addr) {
	if _, ok := d.gidIndex(a); ok {
		return
	}
	if i := slices.IndexFunc(d.gids, func(g gid) bool { return !g.live }); i >= 0 {
		d.gids[i] = gid{a, true}
		return
	}
	d.gids = append(d.gids, gid{a, true})
}

// delGID frees an address' entry; the port's own GID stays.
func (d *device) delGID(a netip.Addr) {
	if i, ok := d.gidIndex(a); ok && i > 0 {
		d.gids[i].live = false
	}
}

// attach adds a QP to a group (rxe_attach_mcast); a QP that is there already stays there once.
func (d *device) attach(q *qp, mgid spec.GID) error {
	g := d.groups[mgid]
	isNew := g == nil
	if isNew {
		g = &group{}
	}
	switch {
	case isNew && len(d.groups) >= d.limits.groups:
		return spec.ENOMEM
	case slices.Contains(g.qps, q):
		return nil
	case d.attached >= d.limits.attachments || len(g.qps) >= d.limits.attachedToGroup:
		return spec.ENOMEM
	}
	if isNew {
		d.groups[mgid] = g
		d.netdev.filters.add(ipv6MAC(mgid))
	}
	g.qps = append(g.qps, q)
	d.attached++
	return nil
}

// detach takes a QP off a group (rxe_detach_mcast).
func (d *device) detach(q *qp, mgid spec.GID) error {
	g := d.groups[mgid]
	if g == nil || !slices.Contains(g.qps, q) {
		return spec.EINVAL
	}
	g.qps = slices.DeleteFunc(g.qps, func(o *qp) bool { return o == q })
	d.attached--
	if len(g.qps) == 0 {
		delete(d.groups, mgid)
		if !d.kernel.deviates.LeaksLinkFilter {
			d.netdev.filters.remove(ipv6MAC(mgid))
		}
	}
	return nil
}

// ipv6MAC is the link-layer address that rxe makes of any MGID, an IPv4 one too.
func ipv6MAC(mgid spec.GID) string {
	return net.HardwareAddr{0x33, 0x33, mgid[12], mgid[13], mgid[14], mgid[15]}.String()
}

// isMulticast tells an MGID that a QP can be attached to: ff00::/8, or an IPv4 group mapped into IPv6
// (rdma_is_multicast_addr).
func isMulticast(g spec.GID) bool {
	a := netip.AddrFrom16(g)
	return a.IsMulticast() || a.Unmap().IsMulticast()
}

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

// Limits of rxe (rxe_param.h), and its only port.
const (
	portNum           = 1
	maxGroups         = 8192
	maxAttachPerGroup = 56
	maxAttachments    = 458752
	gidTableLen       = 1024
	firstQPN          = 17
)

// device is an RDMA device that behaves as rxe above one network device.
type device struct {
	kernel *Kernel
	netdev *netdev
	gids   []gid
	groups []*group
	qps    map[uabi.QP]*qp
	lastQP uabi.QP
	work   *world.Lane // sends that are posted and not yet on the wire
}

var _ fabric.Station = (*device)(nil)

// gid is an entry of the GID table; an entry whose address is gone is free.
type gid struct {
	addr netip.Addr
	live bool
}

// group is a multicast group of the device with the QPs attached to it (struct rxe_mcg).
type group struct {
	mgid spec.GID
	qps  []*qp
}

func newDevice(k *Kernel, n *netdev) *device {
	d := &device{kernel: k, netdev: n, qps: map[uabi.QP]*qp{}, lastQP: firstQPN - 1, work: k.world.NewLane()}
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
		NodeGUID: guid, SysImageGUID: guid,
		MaxMcastGrp: maxGroups, MaxMcastQPAttach: maxAttachPerGroup, MaxTotalMcastQPAttach: maxAttachments,
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
	g := d.group(mgid)
	if g == nil {
		if len(d.groups) >= maxGroups {
			return spec.ENOMEM
		}
		g = &group{mgid: mgid}
		d.groups = append(d.groups, g)
		d.netdev.filters.add(ipv6MAC(mgid))
	}
	switch {
	case slices.Contains(g.qps, q):
		return nil
	case len(g.qps) >= maxAttachPerGroup:
		return spec.ENOMEM
	}
	g.qps = append(g.qps, q)
	return nil
}

// detach takes a QP off a group (rxe_detach_mcast).
func (d *device) detach(q *qp, mgid spec.GID) error {
	g := d.group(mgid)
	if g == nil || !slices.Contains(g.qps, q) {
		return spec.EINVAL
	}
	g.qps = slices.DeleteFunc(g.qps, func(o *qp) bool { return o == q })
	if len(g.qps) == 0 {
		d.groups = slices.DeleteFunc(d.groups, func(o *group) bool { return o == g })
		if !d.kernel.deviates.LeaksLinkFilter {
			d.netdev.filters.remove(ipv6MAC(mgid))
		}
	}
	return nil
}

func (d *device) group(mgid spec.GID) *group {
	if i := slices.IndexFunc(d.groups, func(g *group) bool { return g.mgid == mgid }); i >= 0 {
		return d.groups[i]
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

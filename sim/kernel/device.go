package kernel

import (
	"fmt"
	"net/netip"
	"slices"

	"joinmcast/sim/chain"
	"joinmcast/sim/fabric"
	"joinmcast/sim/uabi"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// portNum is the only port of a device, and firstQPN the number of its first QP (rxe_param.h).
const (
	portNum  = 1
	firstQPN = 17
)

// device is an RDMA device above one network device.
type device struct {
	name    string
	kind    Kind
	mode    spec.RoCEMode // that the port's ids use: its default_roce_mode
	kernel  *Kernel
	netdev  *netdev
	hca     *hca // of InfiniBand; nil else
	removed bool
	ids     chain.Chain[cmID] // bound to it, in that order
	open    int               // uverbs files

	heldForGood bool // by an id that has ended (a deviation's; see HoldsGID)

	gids     []gid
	found    int         // the place of gids that was looked for last: mostly it is looked for again
	held     map[int]int // places of gids: how many ids are bound to the address that is, or was, there
	groups   map[spec.GID]*group
	attached int // QPs, once for each of their groups
	qps      map[uabi.QP]*qp
	lastQP   uabi.QP
	work     *world.Lane // sends that are posted and not yet on the wire
}

// gid is an entry of the GID table; one without a network device is free.
type gid struct {
	addr   netip.Addr
	mode   spec.RoCEMode
	netdev *netdev // whose address it is
}

// group is the QPs attached to a multicast group of the device (struct rxe_mcg).
type group struct {
	qps    []*qp
	places []*qp // that were detached and go on counting (a deviation's; see KeepsPlaces)
	taken  int   // places that nobody has (a deviation's; see RefusedTakesRoom)
}

// newDevice makes a device of a kind. A port that can speak RoCE v2 does so until it is told otherwise.
func newDevice(k *Kernel, name string, kind Kind, n *netdev) *device {
	d := &device{
		name: name, kind: kind, kernel: k, netdev: n,
		groups: map[spec.GID]*group{}, qps: map[uabi.QP]*qp{}, lastQP: firstQPN - 1, work: k.world.NewLane(),
	}
	if len(kind.modes) > 0 {
		d.mode = kind.modes[len(kind.modes)-1]
	}
	d.gids, d.held = d.portGIDs(), map[int]int{}
	return d
}

// device finds an RDMA device by name.
func (k *Kernel) device(name string) (*device, error) {
	for _, d := range k.devices {
		if d.name == name && !d.removed {
			return d, nil
		}
	}
	return nil, fmt.Errorf("no RDMA device is named %q", name)
}

// present is how many RDMA devices there are.
func (k *Kernel) present() int {
	n := 0
	for _, d := range k.devices {
		if !d.removed {
			n++
		}
	}
	return n
}

// deviceAt finds the device that an id with a source address on a network device is bound to: of several the first
// (cma_acquire_dev_by_src_ip).
func (k *Kernel) deviceAt(n *netdev, src netip.Addr) *device {
	for _, d := range k.devices {
		if _, ok := d.kind.transport.sourceGID(d, n, src); ok && d.uses(n) {
			return d
		}
	}
	return nil
}

// loopbackDevice is the device for an address that stands for the host itself: the first whose port is active, else the
// first; nil when there is none (cma_bind_loopback).
func (k *Kernel) loopbackDevice() *device {
	var first *device
	for _, d := range k.devices {
		switch {
		case d.removed:
		case d.netdev.up:
			return d
		case first == nil:
			first = d
		}
	}
	return first
}

// uses tells whether ids on a network device can be bound to the RDMA device: on its own one, and on VLANs on it.
func (d *device) uses(n *netdev) bool {
	return !d.removed && (n == d.netdev || n.parent == d.netdev)
}

func (d *device) attr() spec.DeviceAttr {
	id := guid(d.netdev.mac)
	return spec.DeviceAttr{
		FWVer:    "0.0.0",
		NodeGUID: id, SysImageGUID: id,
		MaxMcastGrp: uint32(d.kind.limits.groups), MaxMcastQPAttach: uint32(d.kind.limits.attachedToGroup),
		MaxTotalMcastQPAttach: uint32(d.kind.limits.attachments),
	}
}

// portGIDs are the entries that the port has without any address: one for each of its modes.
func (d *device) portGIDs() []gid {
	own := d.kind.transport.portGID(d.netdev.mac)
	if len(d.kind.modes) == 0 {
		return []gid{{addr: own, netdev: d.netdev}}
	}
	var gids []gid
	for _, m := range d.kind.modes {
		gids = append(gids, gid{own, m, d.netdev})
	}
	return gids
}

// gidIndex finds the entry of a network device's address in a mode.
func (d *device) gidIndex(n *netdev, a netip.Addr, m spec.RoCEMode) (int, bool) {
	is := gid{a, m, n}
	if d.found < len(d.gids) && d.gids[d.found] == is {
		return d.found, true
	}
	i := slices.Index(d.gids, is)
	if i < 0 {
		return -1, false
	}
	d.found = i
	return i, true
}

// addGID gives a network device's address its entries, one for each mode of the port.
func (d *device) addGID(n *netdev, a netip.Addr) {
	for _, m := range d.kind.modes {
		if _, ok := d.gidIndex(n, a, m); ok {
			continue
		}
		if i := d.freeGID(); i >= 0 {
			d.gids[i] = gid{a, m, n}
			continue
		}
		d.gids = append(d.gids, gid{a, m, n})
	}
}

// freeGID is a place where a GID was; -1 when there is none. The place of a GID that ids are bound to is not free until
// the last of them has ended (put_gid_entry).
func (d *device) freeGID() int {
	for i, g := range d.gids {
		if g.netdev == nil && d.held[i] == 0 {
			return i
		}
	}
	return -1
}

// holdGID keeps the place of an address for an id that is bound to it, and gives it; -1: the address has none.
func (d *device) holdGID(a netip.Addr) (place int) {
	place = slices.IndexFunc(d.gids, func(g gid) bool { return g.netdev != nil && g.addr == a })
	if place >= 0 {
		d.held[place]++
	}
	return place
}

// dropGID takes a holdGID back.
func (d *device) dropGID(place int) {
	if place >= 0 {
		d.held[place]--
	}
}

// delGID frees an address' entries; the port's own stay.
func (d *device) delGID(n *netdev, a netip.Addr) {
	for _, m := range d.kind.modes {
		if i, ok := d.gidIndex(n, a, m); ok && i >= len(d.kind.modes) {
			d.gids[i] = gid{}
		}
	}
}

// attach adds a QP to a group (rxe_attach_mcast); a QP that is there already stays there once.
func (d *device) attach(q *qp, mgid spec.GID) error {
	g, limits := d.groups[mgid], d.room()
	deviates := &d.kernel.deviates
	isNew := g == nil
	if isNew {
		g = &group{}
	}
	g.places = without(g.places, q)
	switch {
	case isNew && len(d.groups) >= limits.groups:
		return spec.ENOMEM
	case slices.Contains(g.qps, q) && !deviates.Datagram.AttachesTwice:
		return nil
	case d.attached >= limits.attachments || g.full(limits.attachedToGroup) && !deviates.Verbs.IgnoresGroupLimit:
		if deviates.Verbs.RefusedTakesRoom {
			g.taken++
		}
		if deviates.Limit.FullIsEINVAL {
			return spec.EINVAL
		}
		return spec.ENOMEM
	}
	if isNew {
		d.groups[mgid] = g
		d.filter(mgid, true)
	}
	g.qps = append(g.qps, q)
	d.attached++
	return nil
}

// full tells whether a group has no room for another QP.
func (g *group) full(limit int) bool { return len(g.qps)+len(g.places)+g.taken >= limit }

// detach takes a QP off a group (rxe_detach_mcast).
func (d *device) detach(q *qp, mgid spec.GID) error {
	g := d.groups[mgid]
	if g == nil || !slices.Contains(g.qps, q) {
		return spec.EINVAL
	}
	if d.kernel.deviates.Verbs.KeepsDelivering {
		return nil
	}
	g.qps = without(g.qps, q)
	d.attached--
	if d.kernel.deviates.Limit.KeepsPlaces {
		g.places = append(g.places, q)
	}
	if len(g.qps) == 0 {
		if !d.kernel.deviates.Limit.KeepsGroups {
			delete(d.groups, mgid)
		}
		d.filter(mgid, false)
	}
	return nil
}

func without(qps []*qp, q *qp) []*qp {
	return slices.DeleteFunc(qps, func(o *qp) bool { return o == q })
}

// room is what the device takes, which is what it tells, but for deviations.
func (d *device) room() limits {
	room := d.kind.limits
	if d.kernel.deviates.Limit.OneQPMore {
		room.attachedToGroup++
	}
	if d.kernel.deviates.Limit.OneGroupMore {
		room.groups++
	}
	return room
}

// filter lets a group's frames through the network device's filter, or no more; an HCA has none.
func (d *device) filter(mgid spec.GID, in bool) {
	switch f := d.netdev.filters; {
	case d.hca != nil:
	case in:
		f.add(ipv6MAC(mgid))
	case !d.kernel.deviates.LeaksLinkFilter:
		f.remove(ipv6MAC(mgid))
	}
}

// ipv6MAC is the link-layer address that rxe makes of any MGID, an IPv4 one too.
func ipv6MAC(mgid spec.GID) fabric.MAC {
	return fabric.MAC{0x33, 0x33, mgid[12], mgid[13], mgid[14], mgid[15]}
}

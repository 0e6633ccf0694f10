package kernel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"joinmcast/sim/chain"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// state is an enum rdma_cm_state.
type state int

const (
	idle state = iota
	addrQuery
	addrBound
	addrResolved
	routeQuery
	routeResolved
	listening
	deviceRemoval // until the id is ended
	destroying    // ended, by whom ever
)

// cmID is an id of the connection manager (struct rdma_id_private with its struct ucma_context).
type cmID struct {
	kernel         *Kernel
	file           *cmFile
	madeOn         *cmFile
	handle         uabi.CMID
	uid            uint64
	ps             spec.PortSpace
	qpType         spec.QPType
	state          state
	device         *device // nil while the id is bound to none
	ofDevice       chain.Links[cmID]
	holds          int     // place of the source's GID in the device's table; -1: none
	netdev         *netdev // where its groups are joined; an address is looked for here alone once it is known
	src            netip.Addr
	port           uint16
	family         spec.Family // of the source address
	members        chain.Chain[membership]
	listeners      int // what listens for it on each device, when it is bound to none
	eventsReported uint32
}

// bind is rdma_bind_addr: the wildcard and the loopback address bind the id to an address but to no device.
func (id *cmID) bind(a spec.Sockaddr) error {
	deviates := &id.kernel.deviates
	if isAgain := deviates.Binding.BindsTwice && id.state == addrBound; id.state != idle && !isAgain {
		return spec.EINVAL
	}
	dev, err := id.deviceOf(a)
	if err == nil {
		err = id.takePort(a)
	}
	if err != nil {
		if !deviates.RefusedBindSticks {
			id.netdev = nil
		}
		if errors.Is(err, spec.ENODEV) && deviates.Binding.BlamesAddress {
			return spec.EADDRNOTAVAIL
		}
		return err
	}
	id.state, id.src, id.family = addrBound, a.Addr(), a.Family()
	id.attach(dev)
	return nil
}

// deviceOf finds the device that uses the network device with a source address; nil for an address that names no
// device.
func (id *cmID) deviceOf(a spec.Sockaddr) (*device, error) {
	if isAny(a) {
		return id.deviceOfAny(a), nil
	}
	if a.Family() == spec.AFIB {
		return id.kernel.deviceOfGID(a)
	}
	if a.Family() == spec.AFInet6 && a.Addr().IsLinkLocalUnicast() && scopeID(a) == 0 {
		return nil, spec.EINVAL // cma_check_linklocal: the address alone does not name an interface
	}
	switch scope := linkScope(a); {
	case id.netdev != nil:
	case scope != 0: // whether the address is that interface's own, only its GID tells (rdma_translate_ip)
		if id.netdev = id.kernel.netdevAt(scope); id.netdev == nil {
			return nil, spec.ENODEV
		}
	default:
		if id.netdev = id.kernel.ownerOf(a.Addr()); id.netdev == nil {
			return nil, spec.EADDRNOTAVAIL
		}
	}
	return id.acquire(id.netdev, a.Addr())
}

// deviceOfAny is the device for an address that names none: none.
func (id *cmID) deviceOfAny(a spec.Sockaddr) *device {
	deviates := &id.kernel.deviates.Binding
	isIP := a.Family() != spec.AFIB
	if isIP && (deviates.BindsLoopback && a.Addr().IsLoopback() || deviates.BindsWildcard && a.Addr().IsUnspecified()) {
		return id.anyDevice()
	}
	return nil
}

// anyDevice takes the host's first device, which is right for a deviation only.
func (id *cmID) anyDevice() *device {
	d := id.kernel.loopbackDevice()
	if d != nil {
		id.netdev = d.netdev
	}
	return d
}

// acquire finds the device for a source address on a network device (cma_acquire_dev_by_src_ip).
func (id *cmID) acquire(n *netdev, src netip.Addr) (*device, error) {
	if id.ps == spec.PSIPoIB && n.linkLayer == ethernet && !id.kernel.deviates.Address.BindsIPoIBAnywhere {
		return nil, spec.EINVAL
	}
	if d := id.kernel.deviceAt(n, src); d != nil {
		return d, nil
	}
	return nil, spec.ENODEV
}

// attach gives the id a device, if it is one (cma_attach_to_dev).
func (id *cmID) attach(d *device) {
	if d != nil && id.device == nil {
		id.device, id.holds = d, d.holdGID(id.src)
		d.ids.Add(id, &id.ofDevice)
		id.kernel.resources["cm_id"]++
	}
}

// takePort reserves a port number that a caller asked for (cma_check_port); 0 asks for none in particular.
func (id *cmID) takePort(a spec.Sockaddr) error {
	if a.Family() == spec.AFIB && id.ps == spec.PSIPoIB {
		return spec.EPROTONOSUPPORT // cma_select_ib_ps: IPoIB has no service ids
	}
	port := a.Port()
	if port == 0 {
		return nil
	}
	key := portKey{id.ps, port}
	for _, o := range id.kernel.ports[key] {
		switch {
		case isAny(a) || o.src.IsUnspecified() || o.src.IsLoopback():
			return spec.EADDRNOTAVAIL
		case o.src == a.Addr():
			return spec.EADDRINUSE
		}
	}
	id.port = port
	id.kernel.ports[key] = append(id.kernel.ports[key], id)
	return nil
}

// portKey is a port number in its port space.
type portKey struct {
	ps   spec.PortSpace
	port uint16
}

// givePort gives the id's port number back, if it has one (cma_release_port).
func (id *cmID) givePort() {
	key := portKey{id.ps, id.port}
	users := slices.DeleteFunc(id.kernel.ports[key], func(o *cmID) bool { return o == id })
	if len(users) == 0 {
		delete(id.kernel.ports, key)
	} else {
		id.kernel.ports[key] = users
	}
}

// resolveAddr is rdma_resolve_addr: what needs no neighbour is found wrong at once, the rest comes as an event.
func (id *cmID) resolveAddr(src, dst spec.Sockaddr) error {
	if id.state == idle {
		if src == nil {
			src = spec.EmptySockaddr(dst.Family())[:sockaddrSize(dst)]
		}
		if err := id.bind(src); err != nil {
			return err
		}
	}
	if id.family != dst.Family() || id.state != addrBound {
		return spec.EINVAL
	}
	switch {
	case isAny(dst):
		return id.resolveLoopback()
	case dst.Family() == spec.AFIB:
		return spec.ENODEV
	}
	to := dst.Addr() // the caller's memory is its own again when this returns
	deviates, given := &id.kernel.deviates.Binding, id.netdev
	if deviates.NeedsRoute {
		given = nil
	}
	n, from, err := id.kernel.route(given, id.src, to)
	if err != nil && deviates.TellsNoRouteLater {
		id.kernel.addrWork.Add(func() { id.notify(spec.AddrError, status(err)) })
		return nil
	}
	if err != nil {
		return err // the id stays bound
	}
	id.state = addrQuery
	id.kernel.addrWork.Add(func() { id.addrHandler(n, from, to) })
	return nil
}

// resolveLoopback resolves an address that stands for the host itself: an id without a device gets one of the host's,
// whatever network device that uses (cma_resolve_loopback).
func (id *cmID) resolveLoopback() error {
	if id.device == nil {
		d := id.kernel.loopbackDevice()
		if d == nil {
			return spec.ENODEV
		}
		id.attach(d)
	}
	id.state = addrQuery
	id.kernel.cmWork.Add(func() {
		if id.state == addrQuery {
			id.state = addrResolved
			id.notify(spec.AddrResolved, 0)
		}
	})
	return nil
}

// addrHandler tells the outcome of an address resolution (addr_handler).
func (id *cmID) addrHandler(n *netdev, src, dst netip.Addr) {
	if id.state != addrQuery {
		return
	}
	if err := id.reach(n, src, dst); err != nil {
		id.state = addrBound
		id.notify(spec.AddrError, status(err))
		return
	}
	id.state, id.src = addrResolved, src
	id.notify(spec.AddrResolved, 0)
}

// reach finds the neighbour and binds an id without a device to the one below the route.
func (id *cmID) reach(n *netdev, src, dst netip.Addr) error {
	if !dst.IsMulticast() && id.kernel.ownerOf(dst) == nil {
		if _, ok := n.neighbour(dst); !ok {
			return spec.ETIMEDOUT
		}
	}
	if id.device == nil {
		id.netdev = n
		d, err := id.acquire(n, src)
		if err != nil && id.kernel.deviates.Binding.TakesAnyDevice {
			d, err = id.anyDevice(), nil
		}
		if err != nil {
			return err
		}
		id.src = src
		id.attach(d)
	}
	return nil
}

// status is an errno as an event carries it: negative.
func status(err error) int {
	var e spec.Errno
	if !errors.As(err, &e) {
		panic(fmt.Sprintf("%v is no errno", err))
	}
	return -int(e)
}

// resolveRoute is rdma_resolve_route, which asks whoever knows on the port's transport.
func (id *cmID) resolveRoute() error {
	if id.state != addrResolved {
		return spec.EINVAL
	}
	return id.device.kind.transport.resolveRoute(id)
}

// startRoute resolves a route that nobody has to be asked for.
func (id *cmID) startRoute() {
	id.state = routeQuery
	if id.kernel.deviates.RouteLosesJoins {
		id.file.drop(func(e *cmEvent) bool { return e.of == id && e.member != nil })
	}
	id.kernel.cmWork.Add(func() {
		if id.state == routeQuery {
			id.state = routeResolved
			id.notify(spec.RouteResolved, 0)
		}
	})
}

// notify queues an event of the id itself.
func (id *cmID) notify(t spec.EventType, status int) {
	e := id.newEvent()
	e.Type, e.Status = t, id.kernel.deviates.Event.status(status)
	id.queue(e)
}

// listen is rdma_listen; an id that is not bound yet is bound to the wildcard by it.
func (id *cmID) listen() error {
	if id.state == idle {
		if err := id.bind(spec.NewSockaddr(netip.IPv4Unspecified(), 0)); err != nil {
			return err
		}
	}
	if id.state != addrBound {
		return spec.EINVAL
	}
	id.state = listening
	if id.device == nil { // an id of the kernel's own listens on each device (cma_listen_on_all)
		id.listeners = id.kernel.present()
		id.kernel.resources["cm_id"] += id.listeners
	}
	return nil
}

// destroy ends the id (rdma_destroy_id): work still queued for it finds it gone.
func (id *cmID) destroy() {
	if id.state == destroying {
		return
	}
	id.state = destroying
	newest := true
	for m := range id.members.Backward() {
		if id.ends(m, newest) {
			m.giveBack()
		}
		m.over, newest = true, false
	}
	if id.device != nil {
		id.kernel.resources["cm_id"]--
		id.device.dropGID(id.holds)
		id.device.ids.Remove(&id.ofDevice)
	}
	id.kernel.resources["cm_id"] -= id.listeners
}

// ends tells whether the end of the id ends a membership, of which one is the newest: always, but for deviations.
func (id *cmID) ends(m *membership, newest bool) bool {
	deviates := &id.kernel.deviates.Ending
	if deviates.HoldsGID && m.coming > 0 {
		id.device.heldForGood = true
	}
	isUnread := m.coming > 0 || m.unread != nil
	switch {
	case deviates.LeavesNewest && !newest, deviates.KeepsUnread && isUnread, deviates.CloseKeepsAll && id.file.closed:
		return false
	}
	return true
}

// free ends the id and forgets its handle, its memberships and its unread events (ucma_destroy_private_ctx).
func (id *cmID) free() {
	id.destroy()
	for m := range id.members.All() {
		id.kernel.members.remove(m.handle)
	}
	if !id.kernel.deviates.Ending.KeepsEvents {
		id.file.drop(func(e *cmEvent) bool { return e.of == id })
	}
	id.givePort()
	id.kernel.ids.remove(id.handle)
}

// isAny tells an address that names no device: the wildcard and the loopback (cma_any_addr).
func isAny(a spec.Sockaddr) bool { return isZero(a) || isLoopback(a) }

// isLoopback tells an address of the host itself (cma_loopback_addr).
func isLoopback(a spec.Sockaddr) bool {
	if a.Family() == spec.AFInet {
		return len(a) >= spec.SizeofSockaddrIn && a[4] == 127
	}
	return a.Addr().IsLoopback()
}

// isZero tells the all-zero address of its family (cma_zero_addr).
func isZero(a spec.Sockaddr) bool {
	switch a.Family() {
	case spec.AFInet:
		return len(a) >= spec.SizeofSockaddrIn && [4]byte(a[4:8]) == [4]byte{}
	case spec.AFInet6, spec.AFIB:
		return len(a) >= spec.SizeofSockaddrIn6 && [16]byte(a[8:24]) == [16]byte{}
	}
	return false
}

// linkScope is the index of the network device that a link-local address is meant on; 0 of any other address.
func linkScope(a spec.Sockaddr) int {
	if a.Family() == spec.AFInet6 && a.Addr().IsLinkLocalUnicast() {
		return int(scopeID(a))
	}
	return 0
}

// scopeID is sin6_scope_id.
func scopeID(a spec.Sockaddr) uint32 { return binary.LittleEndian.Uint32(a[24:]) }

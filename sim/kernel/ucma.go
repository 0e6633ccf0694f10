package kernel

import (
	"slices"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// cmFile is one open file of the rdma_cm device (struct ucma_file).
type cmFile struct {
	kernel   *Kernel
	closed   bool
	nonblock bool
	ids      map[uabi.CMID]*cmID
	members  map[uabi.Multicast]*membership
	events   []*cmEvent // not yet read, oldest first
	lastID   uabi.CMID
	lastMC   uabi.Multicast
}

// cmEvent is an event that waits to be read.
type cmEvent struct {
	uabi.Event
	of     *cmID
	member *membership // of a multicast event
}

// id finds an id of the file (ucma_get_ctx).
func (f *cmFile) id(h uabi.CMID) (*cmID, error) {
	if f.closed {
		return nil, spec.EBADF
	}
	id, ok := f.ids[h]
	if !ok {
		return nil, spec.ENOENT
	}
	return id, nil
}

// deviceID finds an id that is bound to a device (ucma_get_ctx_dev).
func (f *cmFile) deviceID(h uabi.CMID) (*cmID, error) {
	id, err := f.id(h)
	if err == nil && id.device == nil {
		return nil, spec.EINVAL
	}
	return id, err
}

// CreateID makes an id of a port space that Linux knows; EINVAL for another.
func (f *cmFile) CreateID(r uabi.CreateID) (uabi.CMID, error) {
	if f.closed {
		return 0, spec.EBADF
	}
	qpType := spec.QPTypeRC
	switch r.PS {
	case spec.PSUDP, spec.PSIPoIB:
		qpType = spec.QPTypeUD
	case spec.PSTCP, spec.PSIB:
	default:
		return 0, spec.EINVAL
	}
	f.lastID++
	id := &cmID{kernel: f.kernel, file: f, handle: f.lastID, uid: r.UID, ps: r.PS, qpType: qpType}
	f.ids[id.handle] = id
	f.kernel.ids = append(f.kernel.ids, id)
	f.kernel.resources["cm_id"]++
	return id.handle, nil
}

// DestroyID ends an id with its memberships and unread events.
func (f *cmFile) DestroyID(h uabi.CMID) (eventsReported uint32, err error) {
	id, err := f.id(h)
	if err != nil {
		return 0, err
	}
	id.destroy()
	return id.eventsReported, nil
}

// BindAddr binds an id to a local address.
func (f *cmFile) BindAddr(h uabi.CMID, a spec.Sockaddr) error {
	if sockaddrSize(a) == 0 {
		return spec.EINVAL
	}
	id, err := f.id(h)
	if err != nil {
		return err
	}
	return id.bind(a)
}

// ResolveAddr starts the resolution of an address.
func (f *cmFile) ResolveAddr(r uabi.ResolveAddr) error {
	if sockaddrSize(r.Dst) == 0 || r.Src != nil && sockaddrSize(r.Src) == 0 {
		return spec.EINVAL
	}
	id, err := f.id(r.ID)
	if err != nil {
		return err
	}
	return id.resolveAddr(r.Src, r.Dst)
}

// ResolveRoute starts the resolution of a route.
func (f *cmFile) ResolveRoute(h uabi.CMID, _ int) error {
	id, err := f.deviceID(h)
	if err != nil {
		return err
	}
	return id.resolveRoute()
}

// QueryRoute tells what an id is bound to.
func (f *cmFile) QueryRoute(h uabi.CMID) (uabi.Route, error) {
	id, err := f.id(h)
	if err != nil || id.device == nil {
		return uabi.Route{}, err
	}
	return uabi.Route{Device: Device, PortNum: portNum}, nil
}

// InitQPAttr gives the attributes of a QP's next state.
func (f *cmFile) InitQPAttr(h uabi.CMID, s uabi.QPState) (uabi.QPAttr, error) {
	id, err := f.deviceID(h)
	if err != nil {
		return uabi.QPAttr{}, err
	}
	if id.qpType == spec.QPTypeUD {
		return uabi.QPAttr{State: s, HasQKey: true, QKey: spec.UDPQKey}, nil
	}
	return uabi.QPAttr{State: s, HasAccess: true}, nil
}

// GetEvent takes the oldest event and counts it as read (ucma_get_event).
func (f *cmFile) GetEvent() (uabi.Event, error) {
	if f.closed {
		return uabi.Event{}, spec.EBADF
	}
	if len(f.events) == 0 && f.nonblock {
		return uabi.Event{}, spec.EAGAIN
	}
	f.kernel.world.Sleep(f.readable)
	e := f.events[0]
	f.events = f.events[1:]
	e.of.eventsReported++
	if e.member != nil {
		e.member.eventsReported++
	}
	return e.Event, nil
}

// Poll sleeps until an event can be read.
func (f *cmFile) Poll() error {
	if f.closed {
		return spec.EBADF
	}
	f.kernel.world.Sleep(f.readable)
	return nil
}

func (f *cmFile) readable() bool { return len(f.events) > 0 }

// SetNonblock sets or clears O_NONBLOCK.
func (f *cmFile) SetNonblock(on bool) error {
	if f.closed {
		return spec.EBADF
	}
	f.nonblock = on
	return nil
}

// Close destroys the file's ids (ucma_close).
func (f *cmFile) Close() error {
	if f.closed {
		return spec.EBADF
	}
	f.closed = true
	for h := uabi.CMID(1); h <= f.lastID; h++ {
		if id, ok := f.ids[h]; ok {
			id.destroy()
		}
	}
	return nil
}

// drop removes the unread events that match.
func (f *cmFile) drop(match func(*cmEvent) bool) { f.events = slices.DeleteFunc(f.events, match) }

// sockaddrSize is the size of an address by its family, 0 for a family that the connection manager does not know
// (rdma_addr_size).
func sockaddrSize(a spec.Sockaddr) int {
	switch a.Family() {
	case spec.AFInet:
		return spec.SizeofSockaddrIn
	case spec.AFInet6:
		return spec.SizeofSockaddrIn6
	case spec.AFIB:
		return spec.SizeofSockaddrIB
	}
	return 0
}

package kernel

import (
	"joinmcast/sim/chain"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// cmFile is one open file of the rdma_cm device (struct ucma_file).
type cmFile struct {
	kernel      *Kernel
	process     *Process
	fd          int
	credentials int // of the process when it opened the file
	closed      bool
	nonblock    bool
	events      chain.Chain[cmEvent] // not yet read
	told        int                  // how often sleepers were woken for an event of the file's ids
	brought     int                  // how often they were woken by an id that came from another file
}

// write is what every command passes first (ucma_write).
func (f *cmFile) write() error {
	switch {
	case f.closed:
		return spec.EBADF
	case f.credentials != f.process.credentials:
		return spec.EACCES
	}
	return nil
}

// find finds an id of the file (_ucma_find_context).
func (f *cmFile) find(h uabi.CMID) (*cmID, error) {
	id, ok := f.kernel.ids.get(h)
	switch {
	case !ok:
		return nil, spec.ENOENT
	case id.file != f:
		return nil, spec.EINVAL
	}
	return id, nil
}

// id finds an id of the file whose device is still there (ucma_get_ctx).
func (f *cmFile) id(h uabi.CMID) (*cmID, error) {
	id, err := f.find(h)
	if err == nil && id.state == destroying {
		return nil, spec.ENXIO
	}
	return id, err
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
	if err := f.write(); err != nil {
		return 0, err
	}
	qpType := spec.QPTypeRC
	switch r.PS {
	case spec.PSUDP, spec.PSIPoIB:
		qpType = spec.QPTypeUD
	case spec.PSIB:
		qpType = r.QPType
	case spec.PSTCP:
	default:
		return 0, spec.EINVAL
	}
	id := &cmID{kernel: f.kernel, file: f, madeOn: f, uid: r.UID, ps: r.PS, qpType: qpType}
	id.handle = f.kernel.ids.add(id)
	return id.handle, nil
}

// DestroyID ends an id with its memberships and unread events.
func (f *cmFile) DestroyID(h uabi.CMID) (eventsReported uint32, err error) {
	if err := f.write(); err != nil {
		return 0, err
	}
	id, err := f.find(h)
	if err != nil {
		return 0, err
	}
	removed := id.state == deviceRemoval || id.state == destroying
	if removed && f.kernel.deviates.File.RemovedStays {
		return 0, spec.ENXIO
	}
	id.free()
	return id.eventsReported, nil
}

// BindAddr binds an id to a local address.
func (f *cmFile) BindAddr(h uabi.CMID, a spec.Sockaddr) error {
	if err := f.write(); err != nil {
		return err
	}
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
	if err := f.write(); err != nil {
		return err
	}
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
	if err := f.write(); err != nil {
		return err
	}
	id, err := f.deviceID(h)
	if err != nil {
		return err
	}
	return id.resolveRoute()
}

// Listen makes a bound id listen.
func (f *cmFile) Listen(h uabi.CMID, _ int) error {
	if err := f.write(); err != nil {
		return err
	}
	id, err := f.id(h)
	if err != nil {
		return err
	}
	return id.listen()
}

// MigrateID takes an id of another file over, with its unread events (ucma_migrate_id).
func (f *cmFile) MigrateID(h uabi.CMID, fromFD int) (eventsReported uint32, err error) {
	if err := f.write(); err != nil {
		return 0, err
	}
	from, ok := f.process.file(fromFD)
	if !ok {
		return 0, spec.EINVAL
	}
	id, err := from.id(h)
	if err != nil {
		return 0, err
	}
	id.file = f
	if f.kernel.deviates.MigrateKeepsBack {
		return id.eventsReported, nil
	}
	if f.kernel.deviates.File.MigrateLosesUnread {
		from.drop(func(e *cmEvent) bool { return e.of == id })
	}
	if from != f {
		f.take(from, id)
	}
	return id.eventsReported, nil
}

// take moves the unread events of an id here and wakes who sleeps (ucma_move_events).
func (f *cmFile) take(from *cmFile, id *cmID) {
	deviates := &f.kernel.deviates
	wakes := deviates.File.MigrateWakesAlways
	for e := range from.events.All() {
		if e.of == id {
			from.events.Remove(&e.inFile)
			f.add(e)
			wakes = !deviates.MigrateWakesNobody
		}
	}
	if wakes {
		f.brought++
	}
}

// QueryRoute tells what an id is bound to.
func (f *cmFile) QueryRoute(h uabi.CMID) (uabi.Route, error) {
	if err := f.write(); err != nil {
		return uabi.Route{}, err
	}
	id, err := f.id(h)
	if err != nil || id.device == nil {
		return uabi.Route{}, err
	}
	return uabi.Route{Device: id.device.name, PortNum: portNum}, nil
}

// InitQPAttr gives the attributes of a QP's next state.
func (f *cmFile) InitQPAttr(h uabi.CMID, s uabi.QPState) (uabi.QPAttr, error) {
	if err := f.write(); err != nil {
		return uabi.QPAttr{}, err
	}
	id, err := f.deviceID(h)
	if err != nil {
		return uabi.QPAttr{}, err
	}
	if id.qpType != spec.QPTypeUD && id.state == listening {
		return uabi.QPAttr{}, spec.EINVAL // ib_cm_init_qp_attr: a listener has no connection
	}
	if id.qpType == spec.QPTypeUD {
		qkey, err := id.device.kind.transport.qkey(id)
		return uabi.QPAttr{State: s, HasQKey: true, QKey: qkey}, err
	}
	return uabi.QPAttr{State: s, HasAccess: true}, nil
}

// GetEvent takes the oldest event and counts it as read (ucma_get_event).
func (f *cmFile) GetEvent() (told uabi.Event, err error) {
	if err := f.write(); err != nil {
		return told, err
	}
	e, err := f.awaitEvent()
	if err != nil {
		return told, err
	}
	e.read()
	told = e.Event
	e.free()
	return told, nil
}

// awaitEvent is the oldest event that can be read.
func (f *cmFile) awaitEvent() (*cmEvent, error) {
	e := f.first()
	switch {
	case e != nil:
		return e, nil
	case f.nonblock:
		return nil, spec.EAGAIN
	}
	f.sleep()
	return f.first(), nil
}

// sleep returns when there is an event. Only being woken ends a sleep, event or not.
func (f *cmFile) sleep() {
	for told, brought := f.told, f.brought; !f.readable(); told, brought = f.told, f.brought {
		f.kernel.world.Sleep(func() bool { return f.told != told || f.brought != brought })
		if f.brought != brought && f.kernel.deviates.File.MigrateWakesAlways {
			return
		}
	}
}

// WouldBlock tells whether GetEvent sleeps when nothing more happens.
func (f *cmFile) WouldBlock() bool {
	return !f.closed && (!f.nonblock && !f.readable() || f.kernel.deviates.Event.PollMisses)
}

// first is the oldest event that can be read; nil when there is none.
func (f *cmFile) first() *cmEvent {
	if e := f.events.First(); e == nil || !e.heldBack {
		return e
	}
	return f.firstOfOthers()
}

// firstOfOthers is the oldest event that is not held back.
func (f *cmFile) firstOfOthers() *cmEvent {
	for e := range f.events.All() {
		if !e.heldBack {
			return e
		}
	}
	return nil
}

// read takes an event off its file and counts it.
func (e *cmEvent) read() {
	e.takeBack()
	e.of.eventsReported++
	if e.member != nil {
		e.member.eventsReported++
	}
}

// Poll sleeps until an event can be read.
func (f *cmFile) Poll() error {
	if f.closed {
		return spec.EBADF
	}
	if f.kernel.deviates.Event.PollMisses {
		f.kernel.world.Sleep(func() bool { return false })
	}
	f.sleep()
	return nil
}

func (f *cmFile) readable() bool { return f.first() != nil }

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
	if f.readable() && f.kernel.deviates.Ending.CloseWarns {
		f.kernel.warn("WARNING: at drivers/infiniband/core/ucma.c ucma_close (a simulated deviation)")
	}
	f.process.files.remove(uint32(f.fd - firstFD))
	for id := range f.kernel.ids.all() {
		if id.file == f {
			id.free()
		}
	}
	return nil
}

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

package librdmacm

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// cmID is a struct rdma_cm_id with the library's own part (struct cma_id_private).
type cmID struct {
	handle          spec.ID
	kernelID        uabi.CMID
	channel         *channel
	sync            bool
	qpType          spec.QPType
	device          *device // nil: verbs is NULL
	portNum         uint8
	qp              *qp
	keepsPath       bool   // its route was resolved
	keepsQPAttr     bool   // of a passive endpoint, for its connections
	event           *event // of a synchronous id, not yet acknowledged
	joined          joined
	joins           uint32 // that the kernel took
	eventsRead      uint32
	eventsCompleted uint32
}

// device is an opened device with the protection domain that all its ids share (struct cma_device).
type device struct {
	verbs uabi.Verbs
	pd    uabi.PD
	users int
}

// CreateID is rdma_create_id. NULL for the channel makes a synchronous id with a channel of its own.
func (l *Library) CreateID(ch spec.Channel, _ spec.Context, ps spec.PortSpace) (spec.ID, error) {
	qpType := spec.QPTypeRC
	if ps == spec.PSUDP || ps == spec.PSIPoIB {
		qpType = spec.QPTypeUD
	}
	id, err := l.createID(ch, ps, qpType)
	if err != nil {
		return 0, l.minusOne("rdma_create_id", err)
	}
	return id.handle, nil
}

// createID is rdma_create_id2.
func (l *Library) createID(ch spec.Channel, ps spec.PortSpace, qpType spec.QPType) (*cmID, error) {
	if err := l.init(); err != nil {
		return nil, err
	}
	if err := l.allocate(spec.Calloc); err != nil {
		return nil, err
	}
	id := &cmID{sync: ch == 0, qpType: qpType}
	if id.sync {
		var err error
		if id.channel, err = l.openChannel(); err != nil {
			return nil, err
		}
	} else {
		id.channel = l.channels.deref(ch)
	}
	id.handle = spec.ID(l.next())
	var err error
	id.kernelID, err = l.file(id.channel).CreateID(uabi.CreateID{UID: uint64(id.handle), PS: ps, QPType: qpType})
	if err != nil {
		if id.sync {
			l.closeChannel(id.channel)
		}
		return nil, err
	}
	l.ids.add(id.handle, id)
	if !l.keepsHandles {
		l.keepsHandles = true // the table of all handles (ucma_insert_id)
		l.blocks++
	}
	return id, nil
}

// DestroyID is rdma_destroy_id: it waits until every event that was read is acknowledged. The QP stays as it is.
func (l *Library) DestroyID(h spec.ID) error {
	return l.minusOne("rdma_destroy_id", l.destroyID(l.ids.deref(h)))
}

func (l *Library) destroyID(id *cmID) error {
	reported, err := l.file(id.channel).DestroyID(id.kernelID)
	if err != nil {
		return err
	}
	if !l.deviates.SyncDestroyKeepsEvent {
		l.ackOwn(id)
	}
	if !l.deviates.DestroyIgnoresAcks {
		l.world.Sleep(func() bool { return id.eventsCompleted >= reported })
	}
	l.ids.remove(id.handle)
	if id.keepsPath {
		l.blocks--
	}
	if !l.deviates.DestroyKeepsRecords {
		for m := range id.joined.all.All() {
			l.free(m)
		}
	}
	if id.sync {
		l.closeChannel(id.channel)
	}
	if id.device != nil {
		id.device.put()
	}
	return nil
}

// ackOwn acknowledges the event that a synchronous id holds, if it holds one.
func (l *Library) ackOwn(id *cmID) {
	if id.event != nil {
		l.ack(id.event)
		id.event = nil
	}
}

// put gives the id's use of a device back; the last user frees the protection domain if nothing is left in it.
func (d *device) put() {
	d.users--
	if d.users == 0 {
		_ = d.verbs.DeallocPD(d.pd)
		d.pd = 0
	}
}

// ReadID shows the struct's public fields.
func (l *Library) ReadID(h spec.ID) (spec.IDState, error) {
	id := l.ids.deref(h)
	s := spec.IDState{HasVerbs: id.device != nil, PortNum: id.portNum}
	if id.qp != nil {
		s.QP = id.qp.handle
	}
	if id.event != nil {
		e := id.event.public
		e.Errno = 0 // the variable is no part of the struct
		s.Event = &e
	}
	return s, nil
}

// BindAddr is rdma_bind_addr.
func (l *Library) BindAddr(h spec.ID, a spec.Sockaddr) error {
	return l.minusOne("rdma_bind_addr", l.bindAddr(h, a))
}

func (l *Library) bindAddr(h spec.ID, a spec.Sockaddr) error {
	n := l.addrLen(a)
	if n == 0 {
		return spec.EINVAL
	}
	id := l.ids.deref(h)
	if err := l.file(id.channel).BindAddr(id.kernelID, firstBytes(a, n)); err != nil {
		return err
	}
	return l.learnSource(id)
}

// learnSource asks what the id is bound to, and for the GIDs of that (ucma_query_gid), of which no call here tells.
func (l *Library) learnSource(id *cmID) error {
	err := l.learnDevice(id)
	if err == nil && l.afIB {
		_, err = l.file(id.channel).QueryRoute(id.kernelID)
	}
	return err
}

// learnPath asks for the path of a resolved route and keeps it (ucma_query_path).
func (l *Library) learnPath(id *cmID) error {
	if _, err := l.file(id.channel).QueryRoute(id.kernelID); err != nil {
		return err
	}
	if err := l.allocate(spec.Malloc); err != nil {
		return err
	}
	id.keepsPath = true
	l.blocks++
	return nil
}

// learnDevice asks what the id is bound to and opens that device (ucma_query_route, ucma_get_device).
func (l *Library) learnDevice(id *cmID) error {
	r, err := l.file(id.channel).QueryRoute(id.kernelID)
	if err != nil || r.Device == "" || id.device != nil {
		return err
	}
	d, err := l.openDevice(r.Device)
	if err != nil {
		return err
	}
	if d.users == 0 {
		if d.pd, err = d.verbs.AllocPD(); err != nil {
			return err
		}
	}
	d.users++
	id.device, id.portNum = d, r.PortNum
	return nil
}

// openDevice opens a device once in a process; it stays open.
func (l *Library) openDevice(name string) (*device, error) {
	if d := l.devices[name]; d != nil {
		return d, nil
	}
	if err := l.allocate(spec.Malloc); err != nil { // for what it keeps of the device's ports
		return nil, err
	}
	v, err := l.kernel.OpenDevice(name)
	if err != nil {
		return nil, err
	}
	l.blocks++
	l.devices[name] = &device{verbs: v}
	return l.devices[name], nil
}

// ResolveAddr is rdma_resolve_addr.
func (l *Library) ResolveAddr(h spec.ID, src, dst spec.Sockaddr, ms int) error {
	return l.minusOne("rdma_resolve_addr", l.resolveAddr(h, src, dst, ms))
}

func (l *Library) resolveAddr(h spec.ID, src, dst spec.Sockaddr, ms int) error {
	r := uabi.ResolveAddr{TimeoutMS: ms}
	n := l.addrLen(dst)
	if n == 0 {
		return spec.EINVAL
	}
	r.Dst = firstBytes(dst, n)
	if src != nil {
		if n = l.addrLen(src); n == 0 {
			return spec.EINVAL
		}
		r.Src = firstBytes(src, n)
	}
	id := l.ids.deref(h)
	r.ID = id.kernelID
	if err := l.file(id.channel).ResolveAddr(r); err != nil {
		return err
	}
	return l.complete(id)
}

// ResolveRoute is rdma_resolve_route; it looks into the id's device, so an id without one crashes it.
func (l *Library) ResolveRoute(h spec.ID, ms int) error {
	return l.minusOne("rdma_resolve_route", l.resolveRoute(l.ids.deref(h), ms))
}

func (l *Library) resolveRoute(id *cmID, ms int) error {
	if id.device == nil {
		segfault()
	}
	l.askForPath()
	if err := l.file(id.channel).ResolveRoute(id.kernelID, ms); err != nil {
		return err
	}
	return l.complete(id)
}

// askForPath asks for a path before the kernel is asked, of a service that does not run here; that there is no memory
// to ask with makes no difference (ucma_set_ib_route, rdma_getaddrinfo).
func (l *Library) askForPath() {
	for _, f := range []spec.CFunction{spec.Calloc, spec.Malloc, spec.Malloc} {
		if l.allocate(f) != nil {
			return
		}
	}
}

// Listen is rdma_listen.
func (l *Library) Listen(h spec.ID, backlog int) error {
	id := l.ids.deref(h)
	err := l.file(id.channel).Listen(id.kernelID, backlog)
	if err == nil {
		err = l.learnDevice(id)
	}
	return l.minusOne("rdma_listen", err)
}

// AnswersAtOnce tells whether a call on the id that has an event for its answer returns without waiting for it.
func (l *Library) AnswersAtOnce(h spec.ID) bool {
	id := l.ids.find(h)
	return id == nil || !id.sync
}

// complete ends a call that has an event for its answer: at once for an id with a channel, with that event for a
// synchronous one (ucma_complete).
func (l *Library) complete(id *cmID) error {
	if !id.sync {
		return nil
	}
	l.ackOwn(id)
	e, err := l.getEvent(id.channel)
	if err != nil {
		return err
	}
	if e.member != nil && l.deviates.SyncJoinDropsEvent {
		l.ack(e)
		return nil
	}
	id.event = e
	attachFailed := e.public.Type == spec.MulticastError && e.public.Errno != 0
	switch status := e.public.Status; {
	case attachFailed && l.deviates.SyncHidesFailedAttach:
		return nil
	case attachFailed && !l.deviates.SyncLosesErrno:
		return e.public.Errno
	case status < 0 && l.deviates.SyncErrnoIsNegative:
		return spec.Errno(status)
	case status < 0:
		return spec.Errno(-status)
	case status > 0:
		return spec.Errno(status)
	case e.public.Type == spec.MulticastError && !l.deviates.SyncIgnoresType:
		return spec.EIO
	}
	return nil
}

// addrLen is the size of an address by its family, 0 for NULL and for families that the library or the
// kernel does not take (ucma_addrlen). Nothing but the family is looked at.
func (l *Library) addrLen(a spec.Sockaddr) int {
	if a == nil {
		return 0
	}
	switch a.Family() {
	case spec.AFInet:
		return spec.SizeofSockaddrIn
	case spec.AFInet6:
		return spec.SizeofSockaddrIn6
	case spec.AFIB:
		if l.afIB {
			return spec.SizeofSockaddrIB
		}
	}
	return 0
}

// firstBytes is the first n bytes of an address. A shorter one is read beyond its end in C; here that reads zeros.
func firstBytes(a spec.Sockaddr, n int) spec.Sockaddr {
	if len(a) >= n {
		return a[:n:n]
	}
	return append(a.Clone(), make(spec.Sockaddr, n-len(a))...)
}

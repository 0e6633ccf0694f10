package librdmacm

import (
	"errors"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// event is a struct rdma_cm_event with the library's own part (struct cma_event).
type event struct {
	id     *cmID
	member *membership // of a multicast event
	public spec.Event
}

// GetNoEvent is rdma_get_cm_event with NULL in the event's place, which is looked at before the channel is.
func (l *Library) GetNoEvent(spec.Channel) error { return l.minusOne("rdma_get_cm_event", spec.EINVAL) }

// GetEvent is rdma_get_cm_event. The event is the library's memory until it is acknowledged.
func (l *Library) GetEvent(h spec.Channel) (*spec.Event, error) {
	e, err := l.getEvent(l.channels.deref(h))
	if err != nil {
		return nil, l.minusOne("rdma_get_cm_event", err)
	}
	return &e.public, nil
}

// EventComes lets pending things happen until GetEvent need not sleep, and tells whether that is so.
func (l *Library) EventComes(h spec.Channel) bool {
	ch := l.channels.find(h)
	if ch == nil {
		return true
	}
	f := l.file(ch)
	return l.world.Comes(func() bool { return !f.WouldBlock() })
}

func (l *Library) getEvent(ch *channel) (*event, error) {
	if !l.initialized {
		if err := l.init(); err != nil {
			return nil, err
		}
	}
	if err := l.allocate(spec.Malloc); err != nil {
		return nil, err
	}
	got, err := l.file(ch).GetEvent()
	for err == nil && got.UID == 0 { // told to nobody, and dropped (since rdma-core 69fadb506)
		got, err = l.file(ch).GetEvent()
	}
	if l.deviates.EmptyIsENODATA && errors.Is(err, spec.EAGAIN) {
		err = spec.ENODATA
	}
	if err != nil {
		return nil, err
	}
	e := l.spareEvents.Take()
	e.public.Ref, e.public.Type, e.public.Status = spec.EventRef(l.next()), got.Type, got.Status
	switch got.Type {
	case spec.MulticastJoin, spec.MulticastError:
		l.multicastEvent(e, &got)
	default:
		e.id = l.ids.deref(spec.ID(got.UID))
		l.resolutionEvent(e)
	}
	e.id.eventsRead++
	e.public.ID = e.id.handle
	if l.deviates.TellsListenID {
		e.public.ListenID = e.id.handle
	}
	l.events.add(e.public.Ref, e)
	if failed := e.public.Errno; l.deviates.FailedAttachFailsGet && e.public.Type == spec.MulticastError && failed != 0 {
		l.ack(e)
		return nil, failed
	}
	return e, nil
}

// resolutionEvent asks the kernel what was resolved. An event whose answer does not come is told as an error.
func (l *Library) resolutionEvent(e *event) {
	var err error
	switch e.public.Type {
	case spec.AddrResolved:
		opened := len(l.devices)
		if err = l.learnSource(e.id); err != nil {
			e.public.Type = spec.AddrError
		} else if len(l.devices) > opened {
			e.public.Errno = spec.ENOSPC // opening a device leaves it behind: rxe, rdma-core 44.0 to 65.0
		}
	case spec.RouteResolved:
		if err = l.learnPath(e.id); err != nil {
			e.public.Type = spec.RouteError
		}
	}
	if err != nil {
		e.public.Status = -1
		errors.As(err, &e.public.Errno)
	}
}

// multicastEvent fills a multicast event in and attaches the QP. Only JOIN carries the group: of a kernel's
// MULTICAST_ERROR all but the context stays zero.
func (l *Library) multicastEvent(e *event, got *uabi.Event) {
	e.member = l.records.deref(got.UID)
	e.member.eventsRead++
	e.id = e.member.id
	if got.Type == spec.MulticastJoin {
		e.public.UD.AH, e.public.UD.QPNum, e.public.UD.QKey = got.AH, got.QPNum, got.QKey
		e.public.Status = 0
		if err := l.processJoin(e.member, &got.AH); err != nil && !l.deviates.HidesFailedAttach {
			e.public.Type, e.public.Status = spec.MulticastError, -1
			errors.As(err, &e.public.Errno)
			l.attachFailed(e)
		}
	}
	l.tellContext(e)
	if l.deviates.ErrorNeedsNoAck && e.public.Type == spec.MulticastError {
		e.member.eventsCompleted++
	}
}

// attachFailed is what deviations do about an attach that failed, beyond telling it.
func (l *Library) attachFailed(e *event) {
	if l.deviates.FailedAttachIsStatus0 {
		e.public.Status = 0
	}
	if l.deviates.FailedAttachEnds {
		unlist(e.member)
		_, _ = l.file(e.id.channel).LeaveMulticast(e.member.handle)
	}
}

// tellContext gives a multicast event the context of its join.
func (l *Library) tellContext(e *event) {
	lost := l.deviates.LosesContext || l.deviates.ErrorLosesContext && e.public.Type == spec.MulticastError
	if lost {
		return
	}
	e.public.UD.PrivateData = e.member.context
	if l.deviates.TellsContextLength {
		e.public.UD.PrivateDataLen = sizeofPointer
	}
	if newest := e.id.joined.all.Last(); l.deviates.TellsNewestContext && newest != nil {
		e.public.UD.PrivateData = newest.context
	}
}

// sizeofPointer is that of a context, in bytes.
const sizeofPointer = 8

// processJoin keeps what the kernel made of the group and attaches the QP that the id has now (ucma_process_join).
func (l *Library) processJoin(m *membership, a *spec.AHAttr) error {
	m.mgid, m.mlid = a.GRH.DGID, a.DLID
	q := m.id.qp
	if l.deviates.AttachesQPOfJoin {
		q = m.qpAtJoin
	}
	if q == nil || l.deviates.SkipsAutoAttach {
		return nil
	}
	return l.attach(m, q)
}

// attach attaches a QP to the membership's group; a send-only member's stays as it is.
func (l *Library) attach(m *membership, q *qp) error {
	if m.flags == spec.SendOnlyMember && !l.deviates.SendOnlyAttaches {
		return nil
	}
	err := q.device.verbs.AttachMulticast(q.kernelQP, m.mgid, m.mlid)
	m.attached = err == nil
	return err
}

// AckEvent is rdma_ack_cm_event. A program that acknowledges a synchronous id's event also clears id->event, since the
// library would acknowledge it again; that assignment is done here.
func (l *Library) AckEvent(ref spec.EventRef) error {
	if ref == 0 {
		return l.minusOne("rdma_ack_cm_event", spec.EINVAL)
	}
	e := l.events.deref(ref)
	if e.id.event == e {
		e.id.event = nil
		if l.deviates.SyncAckUncounted {
			l.events.remove(ref)
			return nil
		}
	}
	l.ack(e)
	return nil
}

// ack counts an event as done, which may wake a leave or a destroy, and frees it (ucma_complete_event,
// ucma_complete_mc_event).
func (l *Library) ack(e *event) {
	l.events.remove(e.public.Ref)
	if e.member != nil && l.deviates.LosesAcks {
		return
	}
	e.id.eventsCompleted++
	if e.member != nil {
		e.member.eventsCompleted++
	}
	*e = event{}
	l.spareEvents.Free(e)
}

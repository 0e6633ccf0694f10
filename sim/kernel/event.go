package kernel

import (
	"joinmcast/sim/chain"
	"joinmcast/sim/uabi"
)

// cmEvent is an event that waits to be told, and then to be read (struct ucma_event).
type cmEvent struct {
	uabi.Event
	of       *cmID
	member   *membership // of a multicast event
	heldBack bool        // by a fault

	file   *cmFile // where it is to be read
	inFile chain.Links[cmEvent]
	older  *cmEvent // unread event of the same membership
}

// newEvent is an event of an id that tells nothing yet.
func (id *cmID) newEvent() *cmEvent {
	e := id.kernel.spareEvents.Take()
	e.of, e.UID, e.ID = id, id.uid, id.handle
	return e
}

// newEvent is an event of a membership that tells nothing yet.
func (m *membership) newEvent() *cmEvent {
	e := m.id.newEvent()
	e.member, e.UID = m, m.uid
	return e
}

// free takes an event's memory back when it is over, which spares an allocation for each; a fault may refer to one that
// it holds back.
func (e *cmEvent) free() {
	if e.heldBack {
		return
	}
	k := e.of.kernel
	*e = cmEvent{}
	k.spareEvents.Free(e)
}

// Do tells a membership's event from the rdma_cm workqueue.
func (e *cmEvent) Do() {
	e.member.coming--
	e.member.tell(e)
}

// queue lays an event out to be read. Those of an id whose maker gave it no uid are lost, for nobody could tell whose
// they are (ucma_event_handler).
func (id *cmID) queue(e *cmEvent) {
	if id.uid == 0 || id.kernel.loses(e) {
		e.free()
		return
	}
	to := id.file
	if id.kernel.deviates.File.MigrateKeepsLater {
		to = id.madeOn
	}
	to.add(e)
	to.told++
	if m := e.member; m != nil {
		e.older, m.unread = m.unread, e
	}
}

// add puts an event at the end of what the file has to tell.
func (f *cmFile) add(e *cmEvent) {
	e.file = f
	f.events.Add(e, &e.inFile)
}

// takeBack takes an unread event off its file and off its membership.
func (e *cmEvent) takeBack() {
	e.file.events.Remove(&e.inFile)
	if e.member == nil {
		return
	}
	at := &e.member.unread
	for *at != e {
		at = &(*at).older
	}
	*at, e.older = e.older, nil
}

// drop takes back the unread events that match.
func (f *cmFile) drop(match func(*cmEvent) bool) {
	for e := range f.events.All() {
		if match(e) {
			e.takeBack()
			e.free()
		}
	}
}

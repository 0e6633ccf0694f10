package kernel

import (
	"slices"

	"joinmcast/spec"
)

// eventFault is a fault of one event that has not come yet, or that it holds back.
type eventFault struct {
	spec.EventFault
	held *cmEvent
}

// KeepEvent keeps an event from its channel: for ever, or until undo lets it be read, at the place that it took in the
// queue when it came.
func (k *Kernel) KeepEvent(f spec.EventFault) (undo func()) {
	fault := &eventFault{EventFault: f}
	k.eventFaults = append(k.eventFaults, fault)
	return func() {
		k.eventFaults = slices.DeleteFunc(k.eventFaults, func(o *eventFault) bool { return o == fault })
		if fault.held != nil {
			fault.held.heldBack = false
			fault.held.file.told++
		}
	}
}

// loses counts an event that comes, and tells whether a fault drops it; one may hold it back.
func (k *Kernel) loses(e *cmEvent) (lost bool) {
	for _, f := range k.eventFaults {
		if f.Type != e.Type || f.Nth == 0 {
			continue
		}
		if f.Nth--; f.Nth > 0 {
			continue
		}
		if f.Drop {
			lost = true
		} else {
			e.heldBack, f.held = true, e
		}
	}
	return lost
}

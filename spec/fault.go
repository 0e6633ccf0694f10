package spec

import (
	"context"
	"fmt"
)

// A Faulter is a host on which things go wrong on command. It goes with the capability HasFaults. A host may know some
// kinds of fault only: it refuses the others with an error that says which it knows.
type Faulter interface {
	// Inject makes a fault happen from now on; undo ends it, and lets go what it held back.
	Inject(ctx context.Context, f Fault) (undo func(context.Context) error, err error)
}

// Fault is one thing that goes wrong; exactly one field is set.
type Fault struct {
	Fail   *CallFault   `json:"fail,omitempty" yaml:"fail"`
	Event  *EventFault  `json:"event,omitempty" yaml:"event"`
	Memory *MemoryFault `json:"memory,omitempty" yaml:"memory"`
	SM     *SMFault     `json:"sm,omitempty" yaml:"sm"`
	Wire   *WireFault   `json:"wire,omitempty" yaml:"wire"`
}

// String says what goes wrong, as in "JOIN_MCAST number 3 fails with ENOMEM".
func (f Fault) String() string {
	switch {
	case f.Fail != nil:
		return fmt.Sprintf("%s number %d fails with %s", f.Fail.Command, f.Fail.Nth, f.Fail.Errno.Name())
	case f.Event != nil && f.Event.Drop:
		return fmt.Sprintf("%s number %d is dropped", f.Event.Type, f.Event.Nth)
	case f.Event != nil:
		return fmt.Sprintf("%s number %d is held back", f.Event.Type, f.Event.Nth)
	case f.Memory != nil:
		return fmt.Sprintf("%s number %d fails", f.Memory.Function, f.Memory.Skip+1)
	case f.SM != nil && f.SM.Refuse != 0:
		return fmt.Sprintf("the subnet manager refuses joins with status %#x", f.SM.Refuse)
	case f.SM != nil && f.SM.Silent:
		return "the subnet manager answers no join"
	case f.SM != nil:
		return string(f.SM.Event)
	case f.Wire != nil:
		return fmt.Sprintf("bad wire %+v", *f.Wire)
	}
	return "none"
}

// CallFault makes one command of a library to the kernel fail and do nothing.
type CallFault struct {
	Command Command `json:"command" yaml:"command"`
	Nth     int     `json:"nth" yaml:"nth"` // of the host's commands of this kind from now on; 1 is the next
	Errno   Errno   `json:"errno" yaml:"errno"`
}

// EventFault keeps an event of the connection manager from its channel.
type EventFault struct {
	Type EventType `json:"type" yaml:"type"`
	Nth  int       `json:"nth" yaml:"nth"`   // of the host's events of this type from now on; 1 is the next
	Drop bool      `json:"drop" yaml:"drop"` // for ever; else it keeps its place, unseen, until the fault is undone
}

// MemoryFault withholds memory: a request of a library fails with ENOMEM after the next Skip of the host are met.
type MemoryFault struct {
	Function CFunction `json:"function" yaml:"function"` // Calloc or Malloc
	Skip     int       `json:"skip" yaml:"skip"`
}

// SMFault is what the subnet manager does wrong, or makes happen. One of Refuse, Silent and Event is set.
type SMFault struct {
	Refuse uint16  `json:"refuse,omitempty" yaml:"refuse"` // the MAD status that answers every join
	Silent bool    `json:"silent,omitempty" yaml:"silent"` // no join is answered, until they time out
	Event  SMEvent `json:"event,omitempty" yaml:"event"`   // happens once, at once
}

// SMEvent is what a subnet manager, or the loss of one, does to the memberships that there are.
type SMEvent string

// Events of the subnet (IBTA: asynchronous events of a port).
const (
	ClientReregister SMEvent = "client reregister"
	LIDChange        SMEvent = "LID change"
	PKeyChange       SMEvent = "P_Key change"
	PortError        SMEvent = "port error"
)

// WireFault is a bad wire between the host and the others: chances of 0 to 1 for each frame that the host sends, drawn
// from the world's seed.
type WireFault struct {
	Lose      float64 `json:"lose,omitempty" yaml:"lose"`
	Duplicate float64 `json:"duplicate,omitempty" yaml:"duplicate"`
	Reorder   float64 `json:"reorder,omitempty" yaml:"reorder"` // the frame is overtaken by the next one
	Delay     int     `json:"delay,omitempty" yaml:"delay"`     // other things that happen before it arrives
	Cut       bool    `json:"cut,omitempty" yaml:"cut"`         // nothing passes, to the host neither
}

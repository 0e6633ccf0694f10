package fabric

import (
	"slices"

	"joinmcast/spec"
)

// cable is the way of a station's frames to the switch.
type cable struct {
	faults  []*spec.WireFault
	waiting *Frame // to be overtaken by the next one
}

// patience is how many things may happen before a frame that nothing overtakes arrives all the same.
const patience = 1 << 20

// Impair makes the link's cable bad from now on; undo mends what this fault did. Of several faults each does its part.
func (l *Link) Impair(f spec.WireFault) (undo func()) {
	c := &l.cable
	c.faults = append(c.faults, &f)
	return func() {
		c.faults = slices.DeleteFunc(c.faults, func(o *spec.WireFault) bool { return o == &f })
		l.release()
	}
}

// cut tells whether nothing passes the cable.
func (c *cable) cut() bool {
	return slices.ContainsFunc(c.faults, func(f *spec.WireFault) bool { return f.Cut })
}

// carry takes a frame through the cable. One that is to be overtaken waits for the next, which goes first whatever else
// the wire had in mind for it.
func (l *Link) carry(f Frame) {
	var lost, twice, overtaken bool
	delay := 0
	for _, fault := range l.cable.faults {
		lost = l.of.world.Happens(fault.Lose) || lost
		twice = l.of.world.Happens(fault.Duplicate) || twice
		overtaken = l.of.world.Happens(fault.Reorder) || overtaken
		delay += fault.Delay
	}
	if lost {
		return
	}
	if overtaken && l.cable.waiting == nil {
		l.wait(f)
		return
	}
	l.pass(f, delay)
	if twice {
		l.pass(f, delay)
	}
	l.release()
}

// pass lets a frame arrive once other things have happened.
func (l *Link) pass(f Frame, delay int) {
	if delay == 0 {
		l.of.arrive(arrival{from: l, frame: f})
		return
	}
	l.delay(f, delay)
}

func (l *Link) delay(f Frame, others int) {
	l.of.world.After(others, func() { l.of.arrive(arrival{from: l, frame: f}) })
}

// wait holds a frame back for the next one to overtake it.
func (l *Link) wait(f Frame) {
	l.cable.waiting = &f
	l.of.world.After(patience, func() {
		if l.cable.waiting == &f {
			l.release()
		}
	})
}

// release lets the frame that waits arrive.
func (l *Link) release() {
	if f := l.cable.waiting; f != nil {
		l.cable.waiting = nil
		l.pass(*f, 0)
	}
}

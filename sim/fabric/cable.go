package fabric

import (
	"slices"

	"joinmcast/sim/world"
	"joinmcast/spec"
)

// cable is the way of what one host sends, frames or packets, to the switches.
type cable[T any] struct {
	world   *world.World
	arrive  func(T)
	faults  []*spec.WireFault
	waiting *T // to be overtaken by the next one
}

// patience is how many things may happen before a frame that nothing overtakes arrives all the same.
const patience = 1 << 20

// impair makes the cable bad from now on; undo mends what this fault did. Of several faults each does its part.
func (c *cable[T]) impair(f spec.WireFault) (undo func()) {
	c.faults = append(c.faults, &f)
	return func() {
		c.faults = slices.DeleteFunc(c.faults, func(o *spec.WireFault) bool { return o == &f })
		c.release()
	}
}

// cut tells whether nothing passes.
func (c *cable[T]) cut() bool {
	return slices.ContainsFunc(c.faults, func(f *spec.WireFault) bool { return f.Cut })
}

// carry takes a frame through the cable. One that is to be overtaken waits for the next, which goes first whatever else
// the wire had in mind for it.
func (c *cable[T]) carry(t T) {
	var lost, twice, overtaken bool
	delay := 0
	for _, fault := range c.faults {
		lost = c.world.Happens(fault.Lose) || lost
		twice = c.world.Happens(fault.Duplicate) || twice
		overtaken = c.world.Happens(fault.Reorder) || overtaken
		delay += fault.Delay
	}
	if lost || c.cut() {
		return
	}
	if overtaken && c.waiting == nil {
		c.wait(t)
		return
	}
	c.pass(t, delay)
	if twice {
		c.pass(t, delay)
	}
	c.release()
}

// pass lets a frame arrive once other things have happened.
func (c *cable[T]) pass(t T, delay int) {
	if delay == 0 {
		c.arrive(t)
		return
	}
	c.delay(t, delay)
}

func (c *cable[T]) delay(t T, others int) { c.world.After(others, func() { c.arrive(t) }) }

// wait holds a frame back for the next one to overtake it.
func (c *cable[T]) wait(t T) {
	c.waiting = &t
	c.world.After(patience, func() {
		if c.waiting == &t {
			c.release()
		}
	})
}

// release lets the frame that waits arrive.
func (c *cable[T]) release() {
	if t := c.waiting; t != nil {
		c.waiting = nil
		c.pass(*t, 0)
	}
}

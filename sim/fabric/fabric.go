// Package fabric is the wire between the hosts: an Ethernet switch, whose ports carry every VLAN, with the cables to
// it, which can be bad; or an InfiniBand subnet.
package fabric

import (
	"joinmcast/sim/fifo"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// A Station is a host's network device on a port of the switch.
type Station interface {
	// MAC is the station's own link-layer address, the same for as long as it is plugged in.
	MAC() MAC
	// Carrier tells whether the station's end of the link is up.
	Carrier() bool
	// Receive takes a frame in; the station's filters decide what becomes of it.
	Receive(Frame)
}

// Switch connects stations. Frames arrive later than they are sent, in the order they were sent unless a cable is bad.
// It knows where every station is plugged in, and leaves it to the hosts what they take in of the group frames that it
// floods: all of them, unless it snoops.
type Switch struct {
	world *world.World
	links []*Link
	at    map[MAC]*Link
	lane  *world.Lane
	inbox fifo.Queue[arrival] // one for each work of the lane
	taps  []func(Frame)

	neighbours map[neighbour][]*Link
	snooping   *snooping // nil: it floods
}

// Link is a station's link: a port of the switch, and the cable to it.
type Link struct {
	of      *Switch
	station Station
	cable   cable[Frame]
}

// arrival is a frame that reaches the switch, or word for the switch itself.
type arrival struct {
	from  *Link
	frame Frame
	done  func() // instead of a frame
}

// NewSwitch is a switch without stations that floods group frames.
func NewSwitch(w *world.World) *Switch {
	return &Switch{world: w, at: map[MAC]*Link{}, lane: w.NewLane(), neighbours: map[neighbour][]*Link{}}
}

// Plug connects a station to a port of its own.
func (s *Switch) Plug(st Station) *Link {
	l := &Link{of: s, station: st}
	l.cable = cable[Frame]{world: s.world, arrive: func(f Frame) { s.arrive(arrival{from: l, frame: f}) }}
	s.links = append(s.links, l)
	s.at[st.MAC()] = l
	return l
}

// Tap shows every frame from now on as its sender sends it, under the world's lock: a capture of the whole wire.
func (s *Switch) Tap(see func(Frame)) { s.taps = append(s.taps, see) }

// show lets the taps see a frame.
func (s *Switch) show(f Frame) {
	for _, see := range s.taps {
		see(f)
	}
}

// Impair makes the link's cable bad from now on; undo mends it.
func (l *Link) Impair(f spec.WireFault) (undo func()) { return l.cable.impair(f) }

// carrier tells whether both ends of the cable are up.
func (l *Link) carrier() bool { return !l.cable.cut() && l.station.Carrier() }

// Send carries a frame from the link's station: a group's to the other stations that the switch thinks it is for,
// anybody else's to the station that has its address.
func (l *Link) Send(f Frame) {
	if !l.carrier() {
		return
	}
	l.of.show(f)
	if f.Membership != nil && l.of.snooping == nil {
		return // for a switch that snoops, or a router, of which there is none
	}
	l.cable.carry(f)
}

// arrive queues what reaches the switch.
func (s *Switch) arrive(a arrival) {
	s.inbox.Push(a)
	s.lane.AddWork((*intake)(s))
}

// intake is the work of a switch that takes in what arrived first.
type intake Switch

// Do does it.
func (i *intake) Do() {
	s := (*Switch)(i)
	switch a := s.inbox.Pop(); {
	case a.done != nil:
		a.done()
	case a.frame.Membership != nil:
		s.snooping.hear(a.from, a.frame)
	default:
		s.forward(a.from, a.frame)
	}
}

// forward hands a frame on.
func (s *Switch) forward(from *Link, f Frame) {
	switch {
	case !f.Dst.IsMulticast():
		if to := s.at[f.Dst]; to != nil {
			to.deliver(from, f)
		}
	case s.snooping == nil || s.snooping.floods(f):
		s.flood(from, f)
	default:
		s.snooping.forward(from, f)
	}
	if s.snooping != nil {
		s.snooping.tick()
	}
}

// ask sends a query of the switch's own.
func (s *Switch) ask(query Frame) {
	s.show(query)
	s.flood(nil, query)
}

// flood hands a frame to every station but its sender, which is nil when that is the switch.
func (s *Switch) flood(from *Link, f Frame) {
	for _, to := range s.links {
		to.deliver(from, f)
	}
}

// deliver hands a frame to the link's station, unless it comes from there.
func (l *Link) deliver(from *Link, f Frame) {
	if l != from && l.carrier() {
		l.station.Receive(f)
	}
}

// Attentive tells whether anybody heeds what the station says of its groups; if not, it may as well be silent.
func (l *Link) Attentive() bool { return l.of.snooping != nil || len(l.of.taps) > 0 }

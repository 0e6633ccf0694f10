// Package fabric is the wire between the hosts: an Ethernet switch that floods multicast and leaves it to the hosts
// what they take in, as one without IGMP snooping does.
package fabric

import (
	"net/netip"

	"joinmcast/sim/world"
)

// A Station is a host's network device on the switch.
type Station interface {
	// MAC is the station's own link-layer address.
	MAC() MAC
	// Owns tells whether the station answers for an IP address (ARP, neighbour discovery).
	Owns(netip.Addr) bool
	// Carrier tells whether the link is up.
	Carrier() bool
	// Receive takes a frame in; the station's filters decide what becomes of it.
	Receive(Frame)
}

// Switch connects stations. Frames arrive later than they are sent, in the order they were sent.
type Switch struct {
	stations []Station
	cable    *world.Lane
	taps     []func(Frame)
}

// NewSwitch is a switch without stations.
func NewSwitch(w *world.World) *Switch { return &Switch{cable: w.NewLane()} }

// Plug connects a station.
func (s *Switch) Plug(st Station) { s.stations = append(s.stations, st) }

// Tap shows every frame from now on as its sender sends it, under the world's lock: a capture of the whole wire.
func (s *Switch) Tap(see func(Frame)) { s.taps = append(s.taps, see) }

// Send carries a frame: multicast to every other station, unicast to the station whose address it bears. A station
// without carrier neither sends nor receives.
func (s *Switch) Send(from Station, f Frame) {
	if !from.Carrier() {
		return
	}
	for _, see := range s.taps {
		see(f)
	}
	s.cable.Add(func() {
		for _, to := range s.stations {
			if to != from && to.Carrier() && (f.Dst.IsMulticast() || to.MAC() == f.Dst) {
				to.Receive(f)
			}
		}
	})
}

// Neighbour finds the link-layer address that answers for an IP address, as seen from a station.
func (s *Switch) Neighbour(from Station, a netip.Addr) (MAC, bool) {
	for _, st := range s.stations {
		if st != from && from.Carrier() && st.Carrier() && st.Owns(a) {
			return st.MAC(), true
		}
	}
	return MAC{}, false
}

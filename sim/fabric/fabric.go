// Package fabric is the wire between the hosts: an Ethernet switch that floods multicast and leaves it to the hosts
// what they take in, as one without IGMP snooping does.
package fabric

import (
	"net"
	"net/netip"
	"slices"

	"joinmcast/sim/world"
	"joinmcast/spec"
)

// RoCEv2Port is the UDP destination port of RoCEv2 (IBTA annex A17).
const RoCEv2Port = 4791

// Datagram is a RoCEv2 UD packet: the headers that hosts look at, and the payload.
type Datagram struct {
	DstMAC       net.HardwareAddr
	Src, Dst     netip.Addr
	TrafficClass uint8
	HopLimit     uint8
	UDPPort      uint16
	DestQP       uint32
	SrcQP        uint32
	QKey         uint32
	Imm          *uint32 // host order; nil when the packet carries none
	Payload      spec.Bytes
}

// A Station is a host's network device on the switch.
type Station interface {
	// MAC is the station's own link-layer address.
	MAC() net.HardwareAddr
	// Owns tells whether the station answers for an IP address (ARP, neighbour discovery).
	Owns(netip.Addr) bool
	// Carrier tells whether the link is up.
	Carrier() bool
	// Receive takes a frame in; the station's filters decide what becomes of it.
	Receive(Datagram)
}

// Switch connects stations. Frames arrive later than they are sent, in the order they were sent.
type Switch struct {
	stations []Station
	cable    *world.Lane
}

// NewSwitch is a switch without stations.
func NewSwitch(w *world.World) *Switch { return &Switch{cable: w.NewLane()} }

// Plug connects a station.
func (s *Switch) Plug(st Station) { s.stations = append(s.stations, st) }

// Send carries a frame: multicast to every other station, unicast to the station whose address it bears. A station
// without carrier neither sends nor receives.
func (s *Switch) Send(from Station, d Datagram) {
	if !from.Carrier() {
		return
	}
	multicast := d.DstMAC[0]&1 == 1
	s.cable.Add(func() {
		for _, to := range s.stations {
			if to != from && to.Carrier() && (multicast || slices.Equal(to.MAC(), d.DstMAC)) {
				to.Receive(d)
			}
		}
	})
}

// Neighbour finds the link-layer address that answers for an IP address, as seen from a station.
func (s *Switch) Neighbour(from Station, a netip.Addr) (net.HardwareAddr, bool) {
	for _, st := range s.stations {
		if st != from && from.Carrier() && st.Carrier() && st.Owns(a) {
			return st.MAC(), true
		}
	}
	return nil, false
}

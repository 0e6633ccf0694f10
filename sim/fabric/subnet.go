package fabric

import (
	"joinmcast/sim/sm"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// Packet is an InfiniBand UD packet: the local route, the global one, and what a datagram of RoCE says too.
type Packet struct {
	SLID, DLID uint16
	SL         uint8
	PKey       uint16
	GRH        *Header // nil: none; its addresses are GIDs
	Datagram   *Datagram
}

// Port is a port of an InfiniBand host.
type Port interface {
	// Take takes a packet in.
	Take(Packet)
	// Renewed tells that the subnet's manager has started anew.
	Renewed()
}

// Subnet is an InfiniBand subnet: its manager, and the switches, which go by what the manager knows. Packets arrive
// later than they are sent, in the order they were sent unless a cable is bad.
type Subnet struct {
	*sm.Manager
	world  *world.World
	ports  map[spec.GID]Port
	cables map[spec.GID]*cable[Packet]
	lane   *world.Lane
	taps   []func(Packet)
}

// NewSubnet is a subnet without ports.
func NewSubnet(w *world.World, p sm.Policy) *Subnet {
	return &Subnet{
		Manager: sm.New(p), world: w, ports: map[spec.GID]Port{}, cables: map[spec.GID]*cable[Packet]{}, lane: w.NewLane(),
	}
}

// Plug connects a port, whose largest MTU is in bytes.
func (s *Subnet) Plug(gid spec.GID, mtu int, p Port) {
	s.AddPort(gid, mtu)
	s.ports[gid] = p
	s.cables[gid] = &cable[Packet]{world: s.world, arrive: func(p Packet) {
		s.lane.Add(func() {
			for _, to := range s.route(gid, p.DLID) {
				if !s.cables[to].cut() {
					s.ports[to].Take(p)
				}
			}
		})
	}}
}

// Impair makes the cable of a port bad from now on; undo mends it.
func (s *Subnet) Impair(port spec.GID, f spec.WireFault) (undo func()) {
	return s.cables[port].impair(f)
}

// Renew starts the subnet's manager anew, with another policy. The ports are told, in the order of their LIDs.
func (s *Subnet) Renew(p sm.Policy) {
	s.SetPolicy(p)
	for _, gid := range s.Ports() {
		s.ports[gid].Renewed()
	}
}

// Tap shows every packet from now on as its sender sends it, under the world's lock.
func (s *Subnet) Tap(see func(Packet)) { s.taps = append(s.taps, see) }

// Send carries a packet from a port to the port with its LID, or to the members of the group with its MLID.
func (s *Subnet) Send(from spec.GID, p Packet) {
	for _, see := range s.taps {
		see(p)
	}
	s.cables[from].carry(p)
}

func (s *Subnet) route(from spec.GID, lid uint16) []spec.GID {
	if sm.IsMLID(lid) {
		return s.Route(lid, from)
	}
	if gid, ok := s.PortAt(lid); ok {
		return []spec.GID{gid}
	}
	return nil
}

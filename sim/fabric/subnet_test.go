package fabric_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/sm"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// port is a port that notes what it got.
type port struct {
	got     []uint32 // destination QPs
	renewed int
}

func (p *port) Renewed() { p.renewed++ }

func (p *port) Take(packet fabric.Packet) { p.got = append(p.got, packet.Datagram.DestQP) }

// packet is a datagram to a QP, on its way to a LID.
func packet(lid uint16, qp uint32) fabric.Packet {
	return fabric.Packet{DLID: lid, Datagram: &fabric.Datagram{DestQP: qp}}
}

// subnet has three ports, two of which are members of a group.
func subnet(t *testing.T) (w *world.World, s *fabric.Subnet, gids []spec.GID, ports []*port, mlid uint16) {
	t.Helper()
	w = world.New(1)
	s = fabric.NewSubnet(w, sm.Default())
	for i := range byte(3) {
		gids, ports = append(gids, spec.GID{0: 0xfe, 1: 0x80, 15: i}), append(ports, &port{})
		s.Plug(gids[i], 4096, ports[i])
	}
	for _, gid := range gids[:2] {
		r, err := s.Join(sm.Record{
			MGID: spec.GID{0: 0xff, 15: 1}, PortGID: gid, PKey: 0xFFFF, JoinState: sm.Full,
		}, sm.ToCreate)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		mlid = r.MLID
	}
	return w, s, gids, ports, mlid
}

func TestPacketGoesToTheOtherMembers(t *testing.T) {
	g := NewWithT(t)
	w, s, gids, ports, mlid := subnet(t)
	s.Send(gids[0], packet(mlid, 1))
	s.Send(gids[0], packet(mlid, 2))
	g.Expect(ports[1].got).To(BeEmpty(), "packets arrive later")
	w.Settled(func() {})
	g.Expect(ports[0].got).To(BeEmpty())
	g.Expect(ports[1].got).To(Equal([]uint32{1, 2}))
	g.Expect(ports[2].got).To(BeEmpty())
}

func TestPacketToALIDGoesToItsPort(t *testing.T) {
	g := NewWithT(t)
	w, s, gids, ports, _ := subnet(t)
	s.Send(gids[0], packet(s.LID(gids[2]), 1))
	s.Send(gids[0], packet(4711, 2))
	w.Settled(func() {})
	g.Expect(ports[1].got).To(BeEmpty())
	g.Expect(ports[2].got).To(Equal([]uint32{1}))
}

func TestRenewedSubnetForgetsAndTellsEveryPort(t *testing.T) {
	g := NewWithT(t)
	w, s, gids, ports, mlid := subnet(t)
	s.Renew(sm.Default())
	s.Send(gids[0], packet(mlid, 1))
	w.Settled(func() {})
	for _, p := range ports {
		g.Expect(p.renewed).To(Equal(1))
	}
	g.Expect(ports[1].got).To(BeEmpty())
}

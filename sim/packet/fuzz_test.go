package packet_test

import (
	"net/netip"
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/packet"
)

// Whatever lies on a wire is told to be right, wrong or none of RoCE's; and what is right is wrong once its CRC is not.
func FuzzCheckICRC(f *testing.F) {
	for _, c := range asCaptured {
		b, err := packet.Bytes(c.frame)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	subnet, err := packet.OfSubnet(fabric.Packet{DLID: 0xc000, Datagram: multicast(func(*fabric.Frame) {}).Datagram})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(subnet)
	f.Fuzz(func(t *testing.T, b []byte) {
		g := NewWithT(t)
		if err := packet.CheckICRC(b); err != nil {
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
		}
		if err := packet.CheckICRCOfSubnet(b); err != nil {
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
		}
	})
}

// A datagram of any fields is written with a CRC that is right, and that no longer is when one of its bytes changes.
func FuzzBytes(f *testing.F) {
	f.Add(uint8(0), uint16(0), []byte("datagram"), uint32(0xffffff), uint32(17), uint8(0), uint8(64))
	f.Add(uint8(1), uint16(100), []byte{}, uint32(0), uint32(0), uint8(7), uint8(1))
	f.Add(uint8(2), uint16(0), []byte{1}, uint32(1<<32-1), uint32(5), uint8(255), uint8(255))
	f.Fuzz(func(t *testing.T, kind uint8, vlan uint16, payload []byte, qkey, qp uint32, class, hops uint8) {
		g := NewWithT(t)
		of := []fabric.EtherType{fabric.IPv4, fabric.IPv6, fabric.RoCEv1}[kind%3]
		if len(payload) > os.Getpagesize() {
			payload = payload[:os.Getpagesize()]
		}
		frame := multicast(func(m *fabric.Frame) {
			m.Type, m.VLAN = of, vlan&0xfff
			if of != fabric.IPv4 {
				m.IP.Src, m.IP.Dst = linkA, netip.MustParseAddr("ff0e::1:2:3")
			}
			m.IP.TrafficClass, m.IP.HopLimit = class, hops
			m.Datagram.Payload, m.Datagram.QKey, m.Datagram.SrcQP = payload, qkey, qp
		})
		b, err := packet.Bytes(frame)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(packet.CheckICRC(b)).To(Succeed())
		b[len(b)-5]++ // the last byte before the CRC
		g.Expect(packet.CheckICRC(b)).To(MatchError(HavePrefix("ICRC ")))
	})
}

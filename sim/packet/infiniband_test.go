package packet_test

import (
	"encoding/hex"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/packet"
)

// The sample of the standard (IBTA volume 1, 7.8.3) with its ICRC, 0x9625B75A, and room for the variant CRC.
func TestICRCIsThatOfTheStandardsSample(t *testing.T) {
	g := NewWithT(t)
	sample, err := hex.DecodeString("7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a05" +
		"0000000ebb884d85fd5cfba4728bc0690ed400009625b75a0000")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(packet.CheckICRCOfSubnet(sample)).To(Succeed())
	sample[0] ^= 0x10 // the virtual lane, which a switch may change
	g.Expect(packet.CheckICRCOfSubnet(sample)).To(Succeed())
	sample[3] ^= 1 // the destination LID
	g.Expect(packet.CheckICRCOfSubnet(sample)).To(MatchError(ContainSubstring("want")))
	g.Expect(packet.CheckICRCOfSubnet(sample[:50])).To(MatchError("a packet says that it has 56 bytes, want 24 to 50"))
}

func TestAPacketOfASubnet(t *testing.T) {
	datagram := &fabric.Datagram{
		DestQP: 0xffffff, PSN: 3, QKey: 0x0b1b, SrcQP: 0x48, Imm: &imm, Payload: []byte("hello"),
	}
	grh := &fabric.Header{Src: linkA, Dst: ip("ff12:401b:ffff::ef01:203"), HopLimit: 1}
	const transport = "653080ff" + "00ffffff" + "00000003" + "00000b1b" + "00000048" + "0000abcd" + "68656c6c6f000000"
	for name, c := range map[string]struct {
		packet fabric.Packet
		header string // before the transport headers
	}{
		"local": {fabric.Packet{SLID: 1, DLID: 0xc001, SL: 2, PKey: 0x80ff, Datagram: datagram}, "0022c001000b0001"},
		"global": {
			fabric.Packet{SLID: 1, DLID: 0xc001, PKey: 0x80ff, GRH: grh, Datagram: datagram},
			"0003c00100150001" + "6000000000241b01" + hex.EncodeToString(linkA.AsSlice()) +
				"ff12401bffff000000000000ef010203",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b, err := packet.OfSubnet(c.packet)
			g.Expect(err).NotTo(HaveOccurred())
			const icrc, vcrc = 4, 2
			g.Expect(hex.EncodeToString(b[:len(b)-icrc-vcrc])).To(HavePrefix(c.header))
			g.Expect(hex.EncodeToString(b[len(c.header)/2 : len(b)-icrc-vcrc])).To(Equal(transport))
			g.Expect(packet.CheckICRCOfSubnet(b)).To(Succeed())
		})
	}
}

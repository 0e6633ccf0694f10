package packet_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"os"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/packet"
)

// live are frames that two hosts with Linux 6.1.192 and rdma_rxe exchanged, as the wire between them was captured
// (ginkgo with -target=rxe -pcap does it): testdata/rxe.pcapng.
func live(t *testing.T) [][]byte {
	t.Helper()
	g := NewWithT(t)
	f, err := os.Open("testdata/rxe.pcapng")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = f.Close() }()
	in, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
	g.Expect(err).NotTo(HaveOccurred())
	var frames [][]byte
	for {
		frame, _, err := in.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return frames
		}
		g.Expect(err).NotTo(HaveOccurred())
		frames = append(frames, frame)
	}
}

// The hosts of the capture and the group that they used.
var (
	hostA, hostB = fabric.MAC{0x52, 0x54, 0, 0xb1, 0, 1}, fabric.MAC{0x52, 0x54, 0, 0xb1, 0, 2}
	groupMAC     = fabric.MAC{0x01, 0, 0x5e, 1, 2, 3}
	addrA, addrB = ip("192.168.177.1"), ip("192.168.177.2")
	linkA, linkB = ip("fe80::5054:ff:feb1:1"), ip("fe80::5054:ff:feb1:2")
	vlanA, group = ip("10.7.0.1"), ip("239.1.2.3")
)

func ip(a string) netip.Addr { return netip.MustParseAddr(a) }

// multicast is a frame of host A's first QP to the group.
func multicast(change func(*fabric.Frame)) fabric.Frame {
	f := fabric.Frame{
		Src: hostA, Dst: groupMAC, Type: fabric.IPv4,
		IP: fabric.Header{Src: addrA, Dst: group, HopLimit: 64},
		Datagram: &fabric.Datagram{
			SrcPort: 57236, DstPort: fabric.RoCEv2Port, DestQP: 0xffffff, SrcQP: 17, QKey: 0x01234567,
		},
	}
	change(&f)
	return f
}

// report is an IGMP report of host A on one group.
func report(t fabric.RecordType) fabric.Frame {
	return fabric.Frame{
		Src: hostA, Dst: fabric.MAC{0x01, 0, 0x5e, 0, 0, 0x16}, Type: fabric.IPv4,
		IP:         fabric.Header{Src: addrA, Dst: ip("224.0.0.22"), TrafficClass: 0xc0, HopLimit: 1},
		Membership: &fabric.Membership{Records: []fabric.GroupRecord{{Type: t, Group: group}}},
	}
}

var imm = uint32(0xabcd)

// asCaptured are the frames of the capture, in its order.
var asCaptured = []struct {
	name  string
	frame fabric.Frame
}{
	{"an MLD report", fabric.Frame{
		Src: hostA, Dst: fabric.MAC{0x33, 0x33, 0, 0, 0, 0x16}, Type: fabric.IPv6,
		IP: fabric.Header{Src: linkA, Dst: ip("ff02::16"), HopLimit: 1},
		Membership: &fabric.Membership{Records: []fabric.GroupRecord{
			{Type: fabric.ChangeToExclude, Group: ip("ff02::1:ffb1:1")},
		}},
	}},
	{"an IGMP report of a join", report(fabric.ChangeToExclude)},
	{"an empty datagram", multicast(func(*fabric.Frame) {})},
	{"a datagram of one byte", multicast(func(f *fabric.Frame) {
		f.Datagram.PSN, f.Datagram.Payload = 1, []byte{7}
	})},
	{"immediate data", multicast(func(f *fabric.Frame) {
		f.Datagram.PSN, f.Datagram.Imm, f.Datagram.Payload = 4, &imm, []byte("hello")
	})},
	{"a traffic class and a hop limit", multicast(func(f *fabric.Frame) {
		f.IP.TrafficClass, f.IP.HopLimit = 0x20, 3
		f.Datagram.PSN, f.Datagram.Imm, f.Datagram.Payload = 9, &imm, []byte("hello")
	})},
	{"unicast", multicast(func(f *fabric.Frame) {
		f.Dst, f.IP.Dst, f.Datagram.DestQP = hostB, addrB, 17
		f.Datagram.PSN, f.Datagram.Payload = 10, []byte("unicast")
	})},
	{"unicast over IPv6", multicast(func(f *fabric.Frame) {
		f.Dst, f.Type, f.Datagram.DestQP = hostB, fabric.IPv6, 17
		f.IP = fabric.Header{Src: linkA, Dst: linkB, TrafficClass: 0x21, HopLimit: 64}
		f.Datagram.PSN, f.Datagram.Imm, f.Datagram.Payload = 11, &imm, []byte("unicast6")
	})},
	{"multicast over IPv6", multicast(func(f *fabric.Frame) {
		f.Dst, f.Type = fabric.MAC{0x33, 0x33, 0x12, 0x34, 0x56, 0x78}, fabric.IPv6
		f.IP = fabric.Header{Src: linkA, Dst: ip("ff12::1234:5678"), TrafficClass: 0x21, HopLimit: 64}
		f.Datagram.PSN, f.Datagram.Imm, f.Datagram.Payload = 12, &imm, []byte("multicast6")
	})},
	{"an IGMP report on a VLAN", func() fabric.Frame {
		f := report(fabric.ChangeToExclude)
		f.VLAN, f.IP.Src = 7, vlanA
		return f
	}()},
	{"a datagram on a VLAN", multicast(func(f *fabric.Frame) {
		f.VLAN, f.IP.Src, f.Datagram.SrcQP, f.Datagram.SrcPort = 7, vlanA, 18, 63494
		f.Datagram.Imm, f.Datagram.Payload = &imm, []byte("vlan")
	})},
	{"an IGMP report of a leave", report(fabric.ChangeToInclude)},
}

// unidentified is a frame without the identification of its IPv4 header, which the live host draws, and what is
// computed from it.
func unidentified(f fabric.Frame, frame []byte) []byte {
	if f.Type != fabric.IPv4 || f.Datagram == nil {
		return frame
	}
	at := 14
	if f.VLAN != 0 {
		at += 4
	}
	same := append([]byte(nil), frame...)
	for _, field := range [][]byte{same[at+4 : at+6], same[at+10 : at+12], same[len(same)-4:]} {
		clear(field)
	}
	return same
}

func TestFramesAreWrittenAsALiveHostSendsThem(t *testing.T) {
	captured := live(t)
	NewWithT(t).Expect(captured).To(HaveLen(len(asCaptured)))
	for i, c := range asCaptured {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			b, err := packet.Bytes(c.frame)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(unidentified(c.frame, b)).To(Equal(unidentified(c.frame, captured[i])))
		})
	}
}

func TestICRCIsThatOfALiveHost(t *testing.T) {
	for i, frame := range live(t) {
		t.Run(asCaptured[i].name, func(t *testing.T) {
			g := NewWithT(t)
			if asCaptured[i].frame.Datagram == nil {
				g.Expect(packet.CheckICRC(frame)).To(MatchError(packet.ErrNotRoCE))
				return
			}
			g.Expect(packet.CheckICRC(frame)).To(Succeed())
			frame[len(frame)-1] ^= 1
			g.Expect(packet.CheckICRC(frame)).To(MatchError(ContainSubstring("want")))
		})
	}
}

// What a switch or a router may change does not change the ICRC, and all else does (IBTA 7.8.1).
func TestICRCIsInvariantWhereAPacketMayBeChangedOnItsWay(t *testing.T) {
	const ip = 14
	frame, err := packet.Bytes(multicast(func(*fabric.Frame) {}))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for name, field := range map[string]struct {
		at      int
		changes bool
	}{
		"type of service":   {ip + 1, false},
		"identification":    {ip + 4, true},
		"time to live":      {ip + 8, false},
		"header checksum":   {ip + 10, false},
		"source address":    {ip + 15, true},
		"UDP source port":   {ip + 20, true},
		"UDP checksum":      {ip + 26, false},
		"opcode":            {ip + 28, true},
		"reserved of BTH":   {ip + 32, false},
		"destination QP":    {ip + 34, true},
		"source QP of DETH": {ip + 47, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			changed := append([]byte(nil), frame...)
			changed[field.at] ^= 1
			g.Expect(packet.CheckICRC(changed) != nil).To(Equal(field.changes))
		})
	}
}

func TestACutPacketIsNoValidOne(t *testing.T) {
	g := NewWithT(t)
	frame, err := packet.Bytes(multicast(func(f *fabric.Frame) { f.Datagram.Payload = []byte("hello") }))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(packet.CheckICRC(frame[:len(frame)-4])).To(MatchError("a RoCE packet of 60 bytes is cut to 56"))
	g.Expect(packet.CheckICRC(frame[:30])).To(MatchError(packet.ErrNotRoCE))
}

func TestRoCEv1IsAGlobalRouteHeaderOnEthernet(t *testing.T) {
	g := NewWithT(t)
	frame, err := packet.Bytes(multicast(func(f *fabric.Frame) {
		f.Type, f.IP.Dst = fabric.RoCEv1, ip("ff0e::ffff:ef01:203")
		f.Datagram.Payload = []byte("hello")
	}))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(frame[12:14]).To(Equal([]byte{0x89, 0x15}))
	grh := frame[14:54]
	g.Expect(binary.BigEndian.Uint16(grh[4:])).To(BeNumerically("==", 12+8+8+4), "BTH, DETH, padded payload, ICRC")
	g.Expect(grh[6]).To(BeEquivalentTo(0x1b))
	g.Expect(netip.AddrFrom16([16]byte(grh[8:24])).Unmap()).To(Equal(addrA))
	g.Expect(packet.CheckICRC(frame)).To(Succeed())
	frame[14+7], frame[14+3] = 1, 9 // hop limit and flow label
	g.Expect(packet.CheckICRC(frame)).To(Succeed())
	frame[14+30]++
	g.Expect(packet.CheckICRC(frame)).NotTo(Succeed())
}

func TestAFrameThatNoWireCarriesIsRefused(t *testing.T) {
	g := NewWithT(t)
	_, err := packet.Bytes(fabric.Frame{Src: hostA, Dst: groupMAC, Type: fabric.IPv4})
	g.Expect(err).To(MatchError(ContainSubstring("want a datagram in IPv4, IPv6 or RoCEv1, or a membership")))
}

// Package packet writes what package fabric carries as the bytes of a real wire: Ethernet with its VLAN tag, IPv4, IPv6
// or the GRH, UDP, the InfiniBand transport headers with the invariant CRC, IGMPv3 and MLDv2, and the packets of an
// InfiniBand subnet. Capture keeps them as pcapng.
package packet

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"joinmcast/sim/fabric"
)

// tagVLAN is the EtherType that stands before an IEEE 802.1Q tag.
const tagVLAN = 0x8100

// Bytes is a frame as it lies on the wire, without preamble and frame check sequence, and without the padding of short
// frames, as a host's own capture shows it. A frame that no wire can carry is an error.
func Bytes(f fabric.Frame) ([]byte, error) {
	packet, err := network(f)
	if err != nil {
		return nil, fmt.Errorf("a frame from %s to %s cannot be written: %w", f.Src, f.Dst, err)
	}
	var tag []byte
	if f.VLAN != 0 {
		tag = binary.BigEndian.AppendUint16(tag, tagVLAN)
		tag = binary.BigEndian.AppendUint16(tag, f.VLAN)
	}
	tag = binary.BigEndian.AppendUint16(tag, uint16(f.Type))
	return slices.Concat(f.Dst[:], f.Src[:], tag, packet), nil
}

// network is the frame's packet, network header first.
func network(f fabric.Frame) ([]byte, error) {
	switch {
	case f.Datagram != nil && f.Type == fabric.RoCEv1:
		return sealed(f.Type, grh(f.IP, nextIBTransport), transport(*f.Datagram, defaultPKey))
	case f.Datagram != nil && f.Type == fabric.IPv4:
		return sealed(f.Type, ipv4(f.IP, layers.IPProtocolUDP), overUDP(*f.Datagram))
	case f.Datagram != nil && f.Type == fabric.IPv6:
		return sealed(f.Type, grh(f.IP, layers.IPProtocolUDP), overUDP(*f.Datagram))
	case f.Membership != nil && f.Type == fabric.IPv4:
		return igmp(f.IP, *f.Membership)
	case f.Membership != nil && f.Type == fabric.IPv6:
		return mld(f.IP, *f.Membership)
	}
	return nil, fmt.Errorf("type %#04x with datagram %v, membership %v: want a datagram in IPv4, IPv6 or RoCEv1, or a "+
		"membership in IPv4 or IPv6", uint16(f.Type), f.Datagram != nil, f.Membership != nil)
}

// serialize puts layers one into the other, with lengths and checksums.
func serialize(all ...gopacket.SerializableLayer) ([]byte, error) {
	buffer := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(buffer, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, all...)
	return buffer.Bytes(), err
}

// ipv4 is the header of a packet that must not be fragmented. Its identification is 0, which is any number to whoever
// does not reassemble (RFC 6864); Linux draws one.
func ipv4(h fabric.Header, protocol layers.IPProtocol) *layers.IPv4 {
	return &layers.IPv4{
		Version: 4, TOS: h.TrafficClass, Flags: layers.IPv4DontFragment, TTL: h.HopLimit, Protocol: protocol,
		SrcIP: h.Src.AsSlice(), DstIP: h.Dst.AsSlice(),
	}
}

// grh is an IPv6 header, which a GRH is laid out as (IBTA 8.3): IPv4 addresses are mapped into it.
func grh(h fabric.Header, next layers.IPProtocol) *layers.IPv6 {
	src, dst := h.Src.As16(), h.Dst.As16()
	return &layers.IPv6{
		Version: 6, TrafficClass: h.TrafficClass, FlowLabel: h.FlowLabel, NextHeader: next, HopLimit: h.HopLimit,
		SrcIP: src[:], DstIP: dst[:],
	}
}

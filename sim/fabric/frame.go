package fabric

import (
	"net"
	"net/netip"

	"joinmcast/spec"
)

// MAC is a link-layer address.
type MAC [6]byte

// IsMulticast tells a group address by its lowest bit of the first byte (IEEE 802), the broadcast address among them.
func (m MAC) IsMulticast() bool { return m[0]&1 == 1 }

// String is as in "01:00:5e:01:02:03".
func (m MAC) String() string { return net.HardwareAddr(m[:]).String() }

// GroupMAC is the link-layer address of an IP group: 01:00:5e and 23 bits for IPv4 (RFC 1112), 33:33 and 32 bits for
// IPv6 (RFC 2464).
func GroupMAC(a netip.Addr) MAC {
	if a.Is4() {
		b := a.As4()
		return MAC{0x01, 0x00, 0x5e, b[1] & 0x7f, b[2], b[3]}
	}
	b := a.As16()
	return MAC{0x33, 0x33, b[12], b[13], b[14], b[15]}
}

// EtherType says what an Ethernet frame carries.
type EtherType uint16

// Types of the frames on this wire (IEEE 802; RoCEv1 is of IBTA annex A16).
const (
	IPv4   EtherType = 0x0800
	IPv6   EtherType = 0x86dd
	RoCEv1 EtherType = 0x8915
)

// Frame is an Ethernet frame: a RoCE datagram, or a host's word on its groups. Exactly one of the two is set. What the
// pointers lead to is never changed once the frame is sent.
type Frame struct {
	Src, Dst   MAC
	VLAN       uint16 // of the IEEE 802.1Q tag; 0: untagged
	Type       EtherType
	IP         Header
	Datagram   *Datagram
	Membership *Membership
}

// Header is the IPv4 or IPv6 header of a frame, or the GRH of RoCEv1, which is laid out as an IPv6 one.
type Header struct {
	Src, Dst     netip.Addr
	TrafficClass uint8 // of IPv4: type of service
	FlowLabel    uint32
	HopLimit     uint8 // of IPv4: time to live
}

// RoCEv2Port is the UDP destination port of RoCEv2 (IBTA annex A17).
const RoCEv2Port = 4791

// Datagram is a UD packet within its network header: UDP's ports, which RoCEv1 has not, then what the base and the
// datagram extended transport headers say (BTH, DETH), and the payload.
type Datagram struct {
	SrcPort, DstPort uint16
	DestQP           uint32
	PSN              uint32
	QKey             uint32
	SrcQP            uint32
	Imm              *uint32 // host order; nil when the packet carries none
	Payload          spec.Bytes
}

package packet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"joinmcast/sim/fabric"
)

// Where the fields lie that a switch or a router may change, so that the invariant CRC takes them for ones (IBTA 7.8.1,
// A16.4.3, A17.3.3): in bytes from the start of their header.
const (
	ipv4TOS, ipv4TTL, ipv4Checksum = 1, 8, 10
	ipv6HopLimit                   = 7
	udpChecksum                    = 6
	bthReserved                    = 4

	ipv6Bytes = 40
	lrhBytes  = 8 // of the local route header, which RoCE has not and the CRC counts as ones
)

// bare is the type of a packet without a network header, whose transport headers come first.
const bare fabric.EtherType = 0

// icrc is the invariant CRC of a packet that begins behind its local route header and ends before the CRC. RoCE has no
// local route header. On the wire the CRC's lowest byte goes first.
func icrc(lrh []byte, of fabric.EtherType, packet []byte) uint32 {
	masked := slices.Concat(bytes.Repeat([]byte{0xff}, lrhBytes), packet)
	ones := func(at, n int) {
		for i := range n {
			masked[lrhBytes+at+i] = 0xff
		}
	}
	transport := 0
	switch of {
	case bare: // the local route header is no router's to replace: all of it counts but the virtual lane
		copy(masked, lrh)
		masked[0] |= 0xf0
	case fabric.IPv4:
		transport = int(packet[0]&0xf) * 4
		ones(ipv4TOS, 1)
		ones(ipv4TTL, 1)
		ones(ipv4Checksum, 2)
	default:
		transport = ipv6Bytes
		masked[lrhBytes] |= 0x0f // the traffic class begins in the byte of the version
		ones(1, 3)               // and the flow label follows it
		ones(ipv6HopLimit, 1)
	}
	if of == fabric.IPv4 || of == fabric.IPv6 {
		ones(transport+udpChecksum, 2)
		transport += udpBytes
	}
	ones(transport+bthReserved, 1)
	return crc32.ChecksumIEEE(masked)
}

// ErrNotRoCE tells a frame that has no ICRC to check.
var ErrNotRoCE = errors.New("the frame is no RoCE packet")

// CheckICRC checks the ICRC of a whole Ethernet frame from any wire, tagged or not. A frame that carries no RoCE packet
// is ErrNotRoCE.
func CheckICRC(frame []byte) error {
	const addresses, tagBytes = 12, 4
	at := addresses
	for len(frame) >= at+2 && binary.BigEndian.Uint16(frame[at:]) == tagVLAN {
		at += tagBytes
	}
	if len(frame) < at+2 {
		return ErrNotRoCE
	}
	of := fabric.EtherType(binary.BigEndian.Uint16(frame[at:]))
	packet := frame[at+2:]
	end, ok := extent(of, packet)
	if !ok {
		return ErrNotRoCE
	}
	if end > len(packet) {
		return fmt.Errorf("a RoCE packet of %d bytes is cut to %d", end, len(packet))
	}
	return check(nil, of, packet[:end])
}

// CheckICRCOfSubnet checks the ICRC of a packet of an InfiniBand link, from the local route header on.
func CheckICRCOfSubnet(packet []byte) error {
	const length, nextHeader = 4, 1
	of, least := bare, lrhBytes+bthBytes+icrcBytes
	if len(packet) > nextHeader && packet[nextHeader]&3 == nextIBAGlobal {
		of, least = fabric.RoCEv1, least+ipv6Bytes
	}
	if len(packet) < least {
		return fmt.Errorf("a packet of %d bytes, want at least %d", len(packet), least)
	}
	end := int(binary.BigEndian.Uint16(packet[length:])&0x7ff) * wordBytes
	if end < least || end > len(packet) {
		return fmt.Errorf("a packet says that it has %d bytes, want %d to %d", end, least, len(packet))
	}
	return check(packet[:lrhBytes], of, packet[lrhBytes:end])
}

// check compares the ICRC that ends a packet with what it should be.
func check(lrh []byte, of fabric.EtherType, packet []byte) error {
	body, wire := packet[:len(packet)-icrcBytes], packet[len(packet)-icrcBytes:]
	if got, want := binary.LittleEndian.Uint32(wire), icrc(lrh, of, body); got != want {
		return fmt.Errorf("ICRC %08x, want %08x", got, want)
	}
	return nil
}

// extent is the length of a RoCE packet by its network header, and whether it is one.
func extent(of fabric.EtherType, packet []byte) (length int, ok bool) {
	isUDP := func(header int) bool {
		const protocol, port = 17, 2
		next := packet[6]
		if of == fabric.IPv4 {
			next = packet[9]
		}
		return next == protocol && len(packet) >= header+udpBytes &&
			binary.BigEndian.Uint16(packet[header+port:]) == fabric.RoCEv2Port
	}
	const least = bthBytes + icrcBytes
	switch {
	case of == fabric.IPv4 && len(packet) >= 20 && packet[0]&0xf >= 5 && isUDP(int(packet[0]&0xf)*4):
		length = int(binary.BigEndian.Uint16(packet[2:]))
		return length, length >= int(packet[0]&0xf)*4+udpBytes+least
	case of == fabric.IPv6 && len(packet) >= ipv6Bytes && isUDP(ipv6Bytes):
		length = ipv6Bytes + int(binary.BigEndian.Uint16(packet[4:]))
		return length, length >= ipv6Bytes+udpBytes+least
	case of == fabric.RoCEv1 && len(packet) >= ipv6Bytes:
		length = ipv6Bytes + int(binary.BigEndian.Uint16(packet[4:]))
		return length, length >= ipv6Bytes+least
	}
	return 0, false
}

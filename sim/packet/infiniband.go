package packet

import (
	"encoding/binary"
	"slices"

	"joinmcast/sim/fabric"
)

// Fields of the local route header (IBTA volume 1, 7.7).
const (
	nextIBALocal  = 2 // BTH follows
	nextIBAGlobal = 3 // GRH follows

	wordBytes = 4 // its length counts in
)

// OfSubnet is a packet as it lies on a link of an InfiniBand subnet: local route header, GRH if it has one, transport
// headers, payload, invariant and variant CRC.
func OfSubnet(p fabric.Packet) ([]byte, error) {
	inner, of, next := []byte(transport(*p.Datagram, p.PKey)), bare, byte(nextIBALocal)
	if p.GRH != nil {
		var err error
		if inner, err = serialize(grh(*p.GRH, nextIBTransport), transport(*p.Datagram, p.PKey)); err != nil {
			return nil, err
		}
		of, next = fabric.RoCEv1, nextIBAGlobal
	}
	lrh := make([]byte, lrhBytes)
	lrh[1] = p.SL<<4 | next
	binary.BigEndian.PutUint16(lrh[2:], p.DLID)
	binary.BigEndian.PutUint16(lrh[4:], uint16((lrhBytes+len(inner))/wordBytes))
	binary.BigEndian.PutUint16(lrh[6:], p.SLID)
	b := slices.Concat(lrh, seal(lrh, of, inner))
	return binary.LittleEndian.AppendUint16(b, vcrc(b)), nil
}

// vcrc is the variant CRC, which covers all that comes before it (IBTA 7.8.2). On the wire its lowest byte goes first.
func vcrc(b []byte) uint16 {
	const reversed = 0xd008 // x^16 + x^12 + x^3 + x + 1, its lowest bit first
	crc := ^uint16(0)
	for _, next := range b {
		crc ^= uint16(next)
		for range 8 {
			out := crc & 1
			crc >>= 1
			if out == 1 {
				crc ^= reversed
			}
		}
	}
	return ^crc
}

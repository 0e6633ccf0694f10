package kernel

import (
	"encoding/binary"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// nextHeaderIBA says that a GRH is followed by InfiniBand's own headers (IBTA, volume 1).
const nextHeaderIBA = 0x1b

// globalHeader is a GRH as it lies in a receiver's memory, of InfiniBand and of RoCE v1.
func globalHeader(h fabric.Header, datagram *fabric.Datagram) spec.Bytes {
	b := make(spec.Bytes, spec.GRHBytes)
	binary.BigEndian.PutUint32(b, 6<<28|uint32(h.TrafficClass)<<20|h.FlowLabel)
	binary.BigEndian.PutUint16(b[4:], uint16(transportBytes(datagram)))
	b[6], b[7] = nextHeaderIBA, h.HopLimit
	copy(b[8:24], h.Src.AsSlice())
	copy(b[24:40], h.Dst.AsSlice())
	return b
}

// Bytes of the headers of a UD packet: BTH, DETH, immediate data, ICRC.
const bthBytes, dethBytes, immBytes, icrcBytes = 12, 8, 4, 4

// transportBytes is how long a datagram is within its network header.
func transportBytes(d *fabric.Datagram) int {
	length := bthBytes + dethBytes + (len(d.Payload)+3)&^3 + icrcBytes
	if d.Imm != nil {
		length += immBytes
	}
	return length
}

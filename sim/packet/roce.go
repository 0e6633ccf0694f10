package packet

import (
	"encoding/binary"

	"github.com/gopacket/gopacket"

	"joinmcast/sim/fabric"
)

// Fields of the InfiniBand transport headers (IBTA volume 1, chapter 9).
const (
	nextIBTransport = 0x1b // a GRH's next header: BTH

	udSendOnly    = 0x64 // opcodes of BTH
	udSendOnlyImm = 0x65
	defaultPKey   = 0xffff // the only one of a RoCE port

	bthBytes, dethBytes, immBytes, icrcBytes = 12, 8, 4, 4
)

const udpBytes = 8

// overUDP is what transport gives, in UDP as RoCEv2 has it: without a checksum, which the ICRC makes up for.
func overUDP(d fabric.Datagram) gopacket.Payload {
	inner := transport(d, defaultPKey)
	b := make([]byte, 0, udpBytes+len(inner))
	b = binary.BigEndian.AppendUint16(b, d.SrcPort)
	b = binary.BigEndian.AppendUint16(b, d.DstPort)
	b = binary.BigEndian.AppendUint16(b, uint16(udpBytes+len(inner)))
	b = binary.BigEndian.AppendUint16(b, 0)
	return append(b, inner...)
}

// transport is BTH, DETH, the immediate data, the payload padded to a multiple of four bytes, and room for the ICRC.
func transport(d fabric.Datagram, pkey uint16) gopacket.Payload {
	padding := -len(d.Payload) & 3
	opcode := byte(udSendOnly)
	if d.Imm != nil {
		opcode = udSendOnlyImm
	}
	b := make([]byte, 0, bthBytes+dethBytes+immBytes+len(d.Payload)+padding+icrcBytes)
	b = append(b, opcode, byte(padding<<4))
	b = binary.BigEndian.AppendUint16(b, pkey)
	b = binary.BigEndian.AppendUint32(b, d.DestQP)
	b = binary.BigEndian.AppendUint32(b, d.PSN)
	b = binary.BigEndian.AppendUint32(b, d.QKey)
	b = binary.BigEndian.AppendUint32(b, d.SrcQP)
	if d.Imm != nil {
		b = binary.BigEndian.AppendUint32(b, *d.Imm)
	}
	b = append(b, d.Payload...)
	return append(b, make([]byte, padding+icrcBytes)...)
}

// sealed is a RoCE packet with its ICRC in the room that transport left.
func sealed(of fabric.EtherType, all ...gopacket.SerializableLayer) ([]byte, error) {
	packet, err := serialize(all...)
	if err != nil {
		return nil, err
	}
	return seal(nil, of, packet), nil
}

// seal puts the ICRC at a packet's end.
func seal(lrh []byte, of fabric.EtherType, packet []byte) []byte {
	body := packet[:len(packet)-icrcBytes]
	return binary.LittleEndian.AppendUint32(body, icrc(lrh, of, body))
}

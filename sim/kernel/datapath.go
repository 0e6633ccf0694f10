package kernel

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"slices"

	"joinmcast/sim/fabric"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// qp is a queue pair.
type qp struct {
	device             *device
	num                uabi.QP
	qpType             spec.QPType
	state              uabi.QPState
	qkey               uint32
	pd                 *pd
	sendCQ, recvCQ     *cq
	sendRoom, recvRoom int
	sending            int    // posted and not yet completed
	psn                uint32 // of the next datagram
	buffers            []spec.RecvWR
	attached           map[attachment]bool
}

// maxPSN is the greatest packet sequence number, of 24 bits.
const maxPSN = 1<<24 - 1

// fail puts the queue pair into the error state: what is posted, or will be, completes as flushed.
func (q *qp) fail() {
	q.state = uabi.QPErr
	for _, buffer := range q.buffers {
		q.recvCQ.done = append(q.recvCQ.done, spec.Completion{WRID: buffer.WRID, Status: spec.WCWRFlushErr})
	}
	q.buffers = nil
}

// queueRoom is how many requests fit a queue made for n: rxe rounds a ring's slots up to a power of two and keeps one
// free.
func queueRoom(n uint32) int { return 1<<bits.Len32(n) - 1 }

// PostRecv posts a buffer.
func (c *verbsContext) PostRecv(h uabi.QP, wr spec.RecvWR) error {
	q, ok := c.qps[h]
	switch {
	case !ok || q.state == uabi.QPReset:
		return spec.EINVAL
	case len(q.buffers) >= q.recvRoom:
		return spec.ENOMEM
	}
	q.buffers = append(q.buffers, wr)
	if q.state == uabi.QPErr {
		q.fail()
	}
	return nil
}

// PostSend posts a datagram. One that is longer than the port's MTU never leaves and completes as if it had: a UD
// sender is told nothing (IBTA C10-93.1.1, rxe_requester).
func (c *verbsContext) PostSend(h uabi.QP, wr uabi.SendWR) error {
	q, a := c.qps[h], c.ahs[wr.AH]
	switch {
	case q == nil || a == nil || q.qpType != spec.QPTypeUD || q.state < uabi.QPRTS:
		return spec.EINVAL
	case q.sending >= q.sendRoom:
		return spec.ENOMEM
	}
	q.sending++
	frame := fabric.Frame{
		Src: fabric.MAC(q.device.netdev.mac), Dst: a.mac, Type: etherType(a.dst),
		IP: fabric.Header{
			Src: a.src.Unmap(), Dst: a.dst, TrafficClass: a.grh.TrafficClass, HopLimit: a.grh.HopLimit,
		},
		Datagram: &fabric.Datagram{
			SrcPort: sourcePort(q.num), DstPort: fabric.RoCEv2Port, DestQP: wr.RemoteQPN, PSN: q.psn,
			QKey: wr.QKey, SrcQP: uint32(q.num), Imm: wr.Imm, Payload: slices.Clone(wr.Data),
		},
	}
	q.psn = (q.psn + 1) & maxPSN
	q.device.work.Add(func() {
		if len(wr.Data) <= q.device.mtu() && q.state == uabi.QPRTS {
			q.device.transmit(frame)
		}
		q.sending--
		if q.state == uabi.QPErr {
			q.sendCQ.done = append(q.sendCQ.done, spec.Completion{WRID: wr.WRID, Status: spec.WCWRFlushErr})
			return
		}
		q.sendCQ.done = append(q.sendCQ.done, spec.Completion{WRID: wr.WRID, ByteLen: uint32(len(wr.Data))})
	})
	return nil
}

// etherType is that of a frame that carries an IP packet.
func etherType(a netip.Addr) fabric.EtherType {
	if a.Is4() {
		return fabric.IPv4
	}
	return fabric.IPv6
}

// sourcePort is the UDP port that a QP sends from: one of 49152 to 65535, by a hash of its number, so that a network
// can spread QPs over its paths (rxe_qp_init_req, hash_32).
func sourcePort(num uabi.QP) uint16 {
	const first, bits, golden = 0xc000, 14, 0x61C88647
	return first + uint16(uint32(num)*golden>>(32-bits))
}

// mtu is the port's InfiniBand MTU in bytes; rxe keeps the smallest one when none fits.
func (d *device) mtu() int { return max(ibMTU(d.netdev.mtu), smallestIBMTU) }

// transmit puts a packet on the wire; there is no route from an address of one family to one of the other. The IP layer
// loops a multicast packet back to a host that is a member itself.
func (d *device) transmit(p fabric.Frame) {
	n := d.netdev
	if p.IP.Src.Is4() != p.IP.Dst.Is4() {
		return
	}
	if n.has(p.IP.Dst) {
		d.deliver(p)
		return
	}
	if p.IP.Dst.IsMulticast() && n.up {
		n.inputIP(p)
	}
	n.wire.Send(n, p)
}

// deliver hands a packet to the QP it names, or to every QP of its group.
func (d *device) deliver(p fabric.Frame) {
	if p.Datagram.DestQP != spec.MulticastQPN {
		if q := d.qps[uabi.QP(p.Datagram.DestQP)]; q != nil {
			q.receive(p)
		}
		return
	}
	g := d.groups[spec.GID(p.IP.Dst.As16())]
	if g == nil {
		return
	}
	for _, q := range g.qps {
		q.receive(p)
		if d.kernel.deviates.DeliversTwice {
			q.receive(p)
		}
	}
}

// receive fills the next buffer. A packet with another queue key, with no buffer posted, or too long for the buffer is
// dropped, and the buffer waits for the next one.
func (q *qp) receive(p fabric.Frame) {
	receives := q.state == uabi.QPRTR || q.state == uabi.QPRTS
	if q.qpType != spec.QPTypeUD || !receives || p.Datagram.QKey != q.qkey || len(q.buffers) == 0 {
		return
	}
	buffer, length := q.buffers[0], spec.GRHBytes+len(p.Datagram.Payload)
	fits := length <= int(buffer.Size)
	if !fits && !q.device.kernel.deviates.BlamesShortBuffer {
		return
	}
	q.buffers = q.buffers[1:]
	if !fits {
		q.recvCQ.done = append(q.recvCQ.done, spec.Completion{WRID: buffer.WRID, Status: spec.WCLocQPOpErr})
		q.fail()
		return
	}
	wc := spec.Completion{
		WRID: buffer.WRID, ByteLen: uint32(length), HasGRH: true, Imm: p.Datagram.Imm, SrcQP: p.Datagram.SrcQP,
		GRH: header(p), Data: slices.Clone(p.Datagram.Payload),
	}
	if q.device.kernel.deviates.ForgetsGRHLength {
		wc.ByteLen -= spec.GRHBytes
	}
	q.recvCQ.done = append(q.recvCQ.done, wc)
}

// Bytes of the headers of a RoCEv2 UD packet within IP: UDP, BTH, DETH, immediate data, ICRC.
const (
	udpBytes, bthBytes, dethBytes, immBytes, icrcBytes = 8, 12, 8, 4, 4

	ipv4Bytes = 20
	protoUDP  = 17
)

// header is what a receiver finds in its GRH area: an IPv6 header, or 20 zero bytes and an IPv4 header.
func header(p fabric.Frame) spec.Bytes {
	length := udpBytes + bthBytes + dethBytes + (len(p.Datagram.Payload)+3)&^3 + icrcBytes
	if p.Datagram.Imm != nil {
		length += immBytes
	}
	h := make(spec.Bytes, spec.GRHBytes)
	if p.IP.Dst.Is6() {
		binary.BigEndian.PutUint32(h, 6<<28|uint32(p.IP.TrafficClass)<<20)
		binary.BigEndian.PutUint16(h[4:], uint16(length))
		h[6], h[7] = protoUDP, p.IP.HopLimit
		copy(h[8:24], p.IP.Src.AsSlice())
		copy(h[24:40], p.IP.Dst.AsSlice())
		return h
	}
	ip := h[spec.GRHBytes-ipv4Bytes:]
	ip[0], ip[1] = 4<<4|ipv4Bytes/4, p.IP.TrafficClass
	binary.BigEndian.PutUint16(ip[2:], uint16(ipv4Bytes+length))
	ip[6] = 0x40 // don't fragment
	ip[8], ip[9] = p.IP.HopLimit, protoUDP
	copy(ip[12:16], p.IP.Src.AsSlice())
	copy(ip[16:20], p.IP.Dst.AsSlice())
	binary.BigEndian.PutUint16(ip[10:], checksum(ip))
	return h
}

// checksum is the Internet checksum (RFC 1071) of an even number of bytes.
func checksum(b []byte) uint16 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

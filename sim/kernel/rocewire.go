package kernel

import (
	"encoding/binary"
	"net/netip"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// etherType is that of a frame that carries an IP packet.
func etherType(a netip.Addr) fabric.EtherType {
	if a.Is4() {
		return fabric.IPv4
	}
	return fabric.IPv6
}

// sourcePort is the UDP port that a QP sends from: one of 49152 to 65535, by a hash of its number, so that a network
// can spread QPs over its paths (rxe_qp_init_req, hash_32).
func sourcePort(qp uint32) uint16 {
	const first, bits, golden = 0xc000, 14, 0x61C88647
	return first + uint16(qp*golden>>(32-bits))
}

// mtu is the port's InfiniBand MTU in bytes; rxe keeps the smallest one when none fits.
func (roce) mtu(d *device) int { return max(ibMTU(d.netdev.mtu), smallestIBMTU) }

// transmit sends in the mode of the address handle's source GID.
func (roce) transmit(d *device, a *ah, datagram *fabric.Datagram) {
	if a.mode == spec.RoCEv1Mode {
		d.transmitRoCEv1(a, datagram)
		return
	}
	d.transmitRoCEv2(a, datagram)
}

// transmitRoCEv2 puts a UDP packet on the wire; there is no route from an address of one family to one of the other.
// The IP layer loops a multicast packet back to a host that is a member itself, and sends none that is longer than the
// network device's MTU, for it must not be fragmented.
func (d *device) transmitRoCEv2(a *ah, datagram *fabric.Datagram) {
	n := a.netdev
	datagram.SrcPort, datagram.DstPort = sourcePort(datagram.SrcQP), fabric.RoCEv2Port
	p := fabric.Frame{
		Dst: a.mac, Type: etherType(a.dst),
		IP: fabric.Header{
			Src: a.src.Unmap(), Dst: a.dst, TrafficClass: a.grh.TrafficClass, HopLimit: a.grh.HopLimit,
		},
		Datagram: datagram,
	}
	if p.IP.Src.Is4() != p.IP.Dst.Is4() {
		return
	}
	if n.has(p.IP.Dst) {
		d.takeIn(p)
		return
	}
	deviates := &d.kernel.deviates.Datagram
	if deviates.MembersOnly && p.IP.Dst.IsMulticast() && !n.igmp.has(p.IP.Dst) {
		return
	}
	if p.IP.Dst.IsMulticast() && n.up && !deviates.LoopsNothing {
		n.inputIP(p)
	}
	if deviates.ForgetsTag {
		n = n.lowest()
	}
	if ipPacketBytes(p) <= n.mtu {
		n.send(p)
	}
}

// takeIn hands a frame that the network device let through to the QPs.
func (d *device) takeIn(p fabric.Frame) {
	group := spec.GID(p.IP.Dst.As16())
	if d.kernel.deviates.Datagram.SwapsHeader {
		p.IP.Src, p.IP.Dst = p.IP.Dst, p.IP.Src
	}
	d.deliver(arrival{Datagram: p.Datagram, group: group, grh: header(p)})
}

// Bytes of the network headers of a RoCE v2 packet, and what says that UDP is in it.
const (
	ipv4Bytes = 20
	ipv6Bytes = 40
	udpBytes  = 8

	protoUDP = 17
)

// ipPacketBytes is how long a frame's IP packet is.
func ipPacketBytes(p fabric.Frame) int {
	length := udpBytes + transportBytes(p.Datagram)
	if p.Type == fabric.IPv4 {
		return ipv4Bytes + length
	}
	return ipv6Bytes + length
}

// header is what a receiver finds in its GRH area: a GRH, an IPv6 header, or 20 zero bytes and an IPv4 header.
func header(p fabric.Frame) spec.Bytes {
	if p.Type == fabric.RoCEv1 {
		return globalHeader(p.IP, p.Datagram)
	}
	length := udpBytes + transportBytes(p.Datagram)
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

package kernel

import (
	"cmp"
	"math/bits"
	"net/netip"
	"slices"

	"joinmcast/sim/fabric"
	"joinmcast/sim/fifo"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// qp is a queue pair.
type qp struct {
	// What a datagram that arrives looks at lies together: with many QPs its way to them is mostly cache misses.
	state   uabi.QPState
	qpType  spec.QPType
	qkey    uint32
	num     uabi.QP
	recvCQ  *cq
	buffers fifo.Queue[buffer]
	device  *device

	pd                 *pd
	sendCQ             *cq
	sendRoom, recvRoom int
	sending            int    // posted and not yet completed
	psn                uint32 // of the next datagram
	attached           map[attachment]bool

	// Of deviations.
	held   bool         // see DatagramsHold
	header spec.Bytes   // of the first receive
	imm    *uint32      // of the last one that had any
	again  []attachment // attached once more; see CountsAttaches
}

// maxPSN is the greatest packet sequence number, of 24 bits.
const maxPSN = 1<<24 - 1

// fail puts the queue pair into the error state: what is posted, or will be, completes as flushed.
func (q *qp) fail() {
	q.state = uabi.QPErr
	for q.buffers.Len() > 0 {
		q.recvCQ.done.Push(spec.Completion{WRID: q.buffers.Pop().WRID, Status: spec.WCWRFlushErr})
	}
}

// queueRoom is how many requests fit a queue made for n: rxe rounds a ring's slots up to a power of two and keeps one
// free.
func queueRoom(n uint32) int { return 1<<bits.Len32(n) - 1 }

// buffer is a posted receive with its memory behind the room for the GRH: as much of it as a datagram can fill.
type buffer struct {
	spec.RecvWR
	memory spec.Bytes
}

func newBuffer(wr spec.RecvWR) buffer {
	size := min(int(wr.Size), spec.GRHBytes+largestIBMTU) - spec.GRHBytes
	return buffer{wr, make(spec.Bytes, max(size, 0))}
}

// PostRecv posts a buffer.
func (c *verbsContext) PostRecv(h uabi.QP, wr spec.RecvWR) error {
	q, ok := c.qps[h]
	switch {
	case !ok || q.state == uabi.QPReset:
		return spec.EINVAL
	case q.buffers.Len() >= q.recvRoom:
		return c.queueIsFull()
	}
	q.buffers.Push(newBuffer(wr))
	return nil
}

// queueIsFull is how the provider refuses what has no room.
func (c *verbsContext) queueIsFull() spec.Errno {
	if c.device.kernel.release.negatesFullQueue && c.device.kind.Driver == driverRXE {
		return -spec.ENOMEM
	}
	return spec.ENOMEM
}

// PostSend posts a datagram. One that is longer than the port's MTU never leaves and completes as if it had: a UD
// sender is told nothing (IBTA C10-93.1.1, rxe_requester).
func (c *verbsContext) PostSend(h uabi.QP, wr uabi.SendWR) error {
	q, a := c.qps[h], c.ahs[wr.AH]
	switch {
	case q == nil || a == nil || q.qpType != spec.QPTypeUD || q.state < uabi.QPRTS:
		return spec.EINVAL
	case q.sending >= q.sendRoom:
		return c.queueIsFull()
	}
	q.sending++
	datagram := &fabric.Datagram{
		DestQP: wr.RemoteQPN, PSN: q.psn, QKey: wr.QKey, SrcQP: uint32(q.num), Imm: wr.Imm,
		Payload: slices.Clone(wr.Data),
	}
	on := q.device.kind.transport
	q.psn = (q.psn + 1) & maxPSN
	q.device.work.Add(func() {
		if q.state == uabi.QPErr && q.device.kernel.release.keepsLateSends {
			return
		}
		fits := q.device.fit(datagram)
		if n := a.netdev; fits && q.state == uabi.QPRTS && n != nil && n.linkLayer == ethernet && !n.has(a.src) {
			// There is no route from an address that has gone, which what does not fit need not find (rxe_requester).
			q.sending--
			q.sendCQ.done.Push(spec.Completion{WRID: wr.WRID, Status: q.device.kernel.release.endOfSourceless()})
			q.fail()
			return
		}
		if fits && q.state == uabi.QPRTS {
			on.transmit(q.device, a, datagram)
		}
		q.sending--
		if q.state == uabi.QPErr {
			q.sendCQ.done.Push(spec.Completion{WRID: wr.WRID, Status: spec.WCWRFlushErr})
			return
		}
		q.sendCQ.done.Push(spec.Completion{WRID: wr.WRID, ByteLen: uint32(len(wr.Data))})
	})
	return nil
}

// fit tells whether a datagram fits the port's MTU.
func (d *device) fit(datagram *fabric.Datagram) bool {
	deviates, length, mtu := &d.kernel.deviates.Datagram, len(datagram.Payload), d.kind.transport.mtu(d)
	switch {
	case length > mtu && deviates.Truncates:
		datagram.Payload = datagram.Payload[:mtu]
		return true
	case length == mtu:
		return !deviates.CutsMTU
	}
	return length < mtu
}

// arrival is a datagram at a port that takes it in.
type arrival struct {
	*fabric.Datagram
	group spec.GID   // of a multicast one
	slid  uint16     // of InfiniBand: the sender's LID
	grh   spec.Bytes // what a receiver finds before the payload; nil: nothing that means anything
}

// deliver hands a datagram to the QP it names, or to every QP of its group.
func (d *device) deliver(a arrival) {
	if a.DestQP != spec.MulticastQPN {
		if q := d.qps[uabi.QP(a.DestQP)]; q != nil {
			q.receive(a)
		}
		return
	}
	for _, q := range d.attachedTo(a.group) {
		q.receive(a)
		if d.kernel.deviates.DeliversTwice {
			q.receive(a)
		}
		if d.kernel.deviates.Ending.DatagramsHold {
			q.held = true
		}
	}
}

// attachedTo are the QPs of a group.
func (d *device) attachedTo(mgid spec.GID) []*qp {
	deviates := &d.kernel.deviates.Datagram
	if deviates.MixesTwins {
		return d.attachedToTwins(mgid)
	}
	g := d.groups[mgid]
	switch {
	case g == nil:
		return nil
	case deviates.DeliversToFirst:
		return g.qps[:min(len(g.qps), 1)]
	}
	return g.qps
}

// attachedToTwins are the QPs of all groups with the link-layer address of one, in the order of their numbers.
func (d *device) attachedToTwins(mgid spec.GID) []*qp {
	mac := func(g spec.GID) fabric.MAC { return fabric.GroupMAC(netip.AddrFrom16(g).Unmap()) }
	var qps []*qp
	for other, g := range d.groups {
		if mac(other) == mac(mgid) {
			qps = append(qps, g.qps...)
		}
	}
	slices.SortFunc(qps, func(a, b *qp) int { return cmp.Compare(a.num, b.num) })
	return qps
}

// receive fills the next buffer. A packet with another queue key, with no buffer posted, or too long for the buffer is
// dropped, and the buffer waits for the next one.
func (q *qp) receive(a arrival) {
	deviates := &q.device.kernel.deviates
	receives := q.state == uabi.QPRTR || q.state == uabi.QPRTS
	if q.qpType != spec.QPTypeUD || !receives || a.QKey != q.qkey && !deviates.Datagram.IgnoresQKey {
		return
	}
	if q.buffers.Len() == 0 && deviates.Datagram.NeedsBuffer {
		q.fail()
	}
	if q.buffers.Len() == 0 || len(a.Payload) == 0 && deviates.Datagram.DropsEmpty {
		return
	}
	buffer, length := q.buffers.First(), spec.GRHBytes+len(a.Payload)
	fits := length <= int(buffer.Size)
	if !fits && deviates.Datagram.FillsShort {
		length, fits = int(buffer.Size), true
	}
	if blames := deviates.BlamesShortBuffer && q.device.hca == nil; !fits && !blames {
		return
	}
	q.buffers.Pop()
	if !fits {
		q.recvCQ.done.Push(spec.Completion{WRID: buffer.WRID, Status: spec.WCLocQPOpErr})
		q.fail()
		return
	}
	wc := spec.Completion{
		WRID: buffer.WRID, ByteLen: uint32(length), HasGRH: a.grh != nil, Imm: a.Imm, SrcQP: a.SrcQP,
		SLID: a.slid, GRH: a.grh, Data: buffer.memory[:copy(buffer.memory, a.Payload)],
	}
	if !wc.HasGRH {
		wc.GRH = make(spec.Bytes, spec.GRHBytes) // the room for it is there all the same
	}
	if deviates.ForgetsGRHLength {
		wc.ByteLen -= spec.GRHBytes
	}
	q.mistell(&wc)
	q.recvCQ.done.Push(wc)
}

// mistell makes a receive tell what deviations make of it.
func (q *qp) mistell(wc *spec.Completion) {
	deviates := &q.device.kernel.deviates.Datagram
	if deviates.CountsPad {
		wc.ByteLen = (wc.ByteLen + 3) &^ 3
	}
	if deviates.LosesZeroImm && wc.Imm != nil && *wc.Imm == 0 {
		wc.Imm = nil
	}
	if deviates.KeepsImm {
		q.imm = cmp.Or(wc.Imm, q.imm)
		wc.Imm = q.imm
	}
	if deviates.NamesReceiver {
		wc.SrcQP = uint32(q.num)
	}
	if deviates.KeepsHeader {
		if q.header == nil {
			q.header = wc.GRH
		}
		wc.GRH = q.header
	}
}

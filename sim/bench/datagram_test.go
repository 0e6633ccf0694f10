package bench

import (
	"net/netip"
	"testing"
	"time"

	"joinmcast/spec"
)

// attached is how many QPs a datagram is for, and payloadBytes how long it is: the MTU of the port.
const (
	attached     = 10_000
	payloadBytes = 1024
)

// copies is the least that has to be done for a datagram to many QPs: a copy of it for each, with a completion.
type copies struct {
	buffers [][]byte
	done    [][]spec.Completion
}

// post gives every QP a fresh buffer.
func (c *copies) post() {
	for i := range c.buffers {
		c.buffers[i] = make([]byte, payloadBytes)
		c.done[i] = c.done[i][:0]
	}
}

func (c *copies) deliver(payload []byte) {
	for i, buffer := range c.buffers {
		n := copy(buffer, payload)
		c.done[i] = append(c.done[i], spec.Completion{WRID: 1, ByteLen: uint32(spec.GRHBytes + n), Data: buffer[:n]})
	}
}

// BenchmarkDatagram is a datagram to many QPs of a host, beside as many copies of it with their completions. The two
// take turns.
func BenchmarkDatagram(b *testing.B) {
	b.Run("QPs=10000", func(b *testing.B) {
		ctx := b.Context()
		m := newMember(b, "rxe-roomy")
		must(b, m.process.JoinMulticast(ctx, m.id, group(1), 0))
		joined, err := m.process.GetEvent(ctx, m.channel)
		must(b, err)
		ah, err := m.process.CreateAH(ctx, m.id, joined.UD.AH)
		must(b, err)
		var qps []spec.QP
		for range attached {
			qp := m.newQP()
			must(b, m.process.AttachMulticast(ctx, qp, joined.UD.AH.GRH.DGID, 0))
			qps = append(qps, qp)
		}
		sender, payload := m.newQP(), make(spec.Bytes, payloadBytes)
		least := copies{make([][]byte, attached), make([][]spec.Completion, attached)}
		var ratios, floors, deliveries []float64
		for b.Loop() {
			least.post()
			for _, qp := range qps {
				must(b, m.process.PostRecv(ctx, qp, spec.RecvWR{WRID: 1, Size: spec.GRHBytes + payloadBytes}))
			}
			start := time.Now()
			least.deliver(payload)
			floor := time.Since(start)
			start = time.Now()
			must(b, m.process.PostSend(ctx, sender, spec.SendWR{
				AH: ah, RemoteQPN: joined.UD.QPNum, QKey: joined.UD.QKey, Data: payload,
			}))
			_, err := m.process.WaitCompletion(ctx, sender, spec.SendQueue)
			delivery := time.Since(start)
			must(b, err)
			for _, qp := range qps {
				wc, err := m.process.WaitCompletion(ctx, qp, spec.RecvQueue)
				if must(b, err); wc.ByteLen != spec.GRHBytes+payloadBytes {
					b.Fatalf("the completion is %+v", wc)
				}
			}
			ratios = append(ratios, float64(delivery)/float64(floor))
			floors = append(floors, float64(floor)/attached)
			deliveries = append(deliveries, float64(delivery)/attached)
		}
		b.ReportMetric(median(ratios), "x-inevitable")
		b.ReportMetric(median(floors), "inevitable-ns/QP")
		b.ReportMetric(median(deliveries), "delivery-ns/QP")
	})
}

// newQP makes a QP on an id of its own.
func (m *member) newQP() spec.QP {
	ctx := m.b.Context()
	id, err := m.process.CreateID(ctx, m.channel, 0, spec.PSUDP)
	must(m.b, err)
	must(m.b, m.process.BindAddr(ctx, id, spec.NewSockaddr(netip.MustParseAddr("192.168.100.1"), 0)))
	qp, err := m.process.CreateQP(ctx, id, spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 1, MaxRecvWR: 1})
	must(m.b, err)
	return qp
}

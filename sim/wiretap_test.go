package sim_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

// capturedExchange is the wire of an exchange between two hosts with devices of this kind.
func capturedExchange(t *testing.T, kind string, seed int64) []byte {
	t.Helper()
	w := newWorldWith(t, sim.Options{Kind: kind, Capture: true}, seed)
	sender, receiver := w.bound(0).withQP(), w.attachedMember(1, group)
	event := sender.joined(group)
	ah, err := sender.p.CreateAH(w.ctx, sender.id, event.UD.AH)
	w.Expect(err).NotTo(HaveOccurred())
	receiver.post(1)
	sender.sendWR(spec.SendWR{
		AH: ah, RemoteQPN: event.UD.QPNum, QKey: event.UD.QKey, Data: []byte("hello, wire"),
	})
	receiver.receives()
	w.Expect(receiver.leave(group)).To(Succeed())
	var wire bytes.Buffer
	w.Expect(w.backend.(spec.Wiretap).WriteWire(&wire)).To(Succeed())
	return wire.Bytes()
}

func TestAWireIsCapturedByteForByteTheSame(t *testing.T) {
	for _, kind := range []string{"rxe", "mlx4"} {
		t.Run(kind, func(t *testing.T) {
			g := NewWithT(t)
			first := capturedExchange(t, kind, 1)
			g.Expect(first).To(ContainSubstring("hello, wire"))
			g.Expect(capturedExchange(t, kind, 1)).To(Equal(first))
		})
	}
}

func TestAWireIsNotCapturedUnlessAsked(t *testing.T) {
	w := newWorld(t, 1)
	w.Expect(w.backend.(spec.Wiretap).WriteWire(io.Discard)).To(MatchError(ContainSubstring("without Options.Capture")))
}

func TestAnInfiniBandHostSaysNothingOnEthernet(t *testing.T) {
	g := NewWithT(t)
	in, err := pcapgo.NewNgReader(bytes.NewReader(capturedExchange(t, "mlx4", 1)), pcapgo.DefaultNgReaderOptions)
	g.Expect(err).NotTo(HaveOccurred())
	_, _, err = in.ReadPacketData()
	g.Expect(err).NotTo(HaveOccurred(), "the datagram")
	_, _, err = in.ReadPacketData()
	g.Expect(err).To(MatchError(io.EOF))
	g.Expect(in.NInterfaces()).To(Equal(1))
}

package sim_test

import (
	"bytes"
	"io"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

// capturedExchange is the wire of an exchange between two hosts.
func capturedExchange(t *testing.T, seed int64) []byte {
	t.Helper()
	w := newWorldWith(t, sim.Options{Capture: true}, seed)
	sender, receiver := w.attachedMember(0, group), w.attachedMember(1, group)
	receiver.post(1)
	sender.send(group, []byte("hello, wire"), nil)
	receiver.receives()
	w.Expect(receiver.leave(group)).To(Succeed())
	var wire bytes.Buffer
	w.Expect(w.backend.(spec.Wiretap).WriteWire(&wire)).To(Succeed())
	return wire.Bytes()
}

func TestAWireIsCapturedByteForByteTheSame(t *testing.T) {
	g := NewWithT(t)
	first := capturedExchange(t, 1)
	g.Expect(first).To(ContainSubstring("hello, wire"))
	g.Expect(capturedExchange(t, 1)).To(Equal(first))
}

func TestAWireIsNotCapturedUnlessAsked(t *testing.T) {
	w := newWorld(t, 1)
	w.Expect(w.backend.(spec.Wiretap).WriteWire(io.Discard)).To(MatchError(ContainSubstring("without Options.Capture")))
}

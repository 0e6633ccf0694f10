package kernel_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// joins joins groups in turn; each has its number as uid.
func (h *host) joins(id uabi.CMID, groups ...string) (last uabi.Multicast) {
	for i, g := range groups {
		var err error
		last, err = h.joinRaw(uabi.JoinMulticast{ID: id, UID: uint64(i + 1), Addr: addr(g), AddrSize: len(addr(g))})
		h.Expect(err).NotTo(HaveOccurred())
	}
	return last
}

// nonblocking makes the file say EAGAIN instead of sleeping.
func (h *host) nonblocking() {
	h.Expect(h.do(func() error { return h.cm.SetNonblock(true) })).To(Succeed())
}

// none expects that nothing can be read once nothing is pending.
func (h *host) none() {
	h.run.InFlight()
	h.nonblocking()
	h.Expect(h.do(func() error {
		_, err := h.cm.GetEvent()
		return err
	})).To(MatchError(spec.EAGAIN))
}

func joinEvent(nth int, drop bool) spec.EventFault {
	return spec.EventFault{Type: spec.MulticastJoin, Nth: nth, Drop: drop}
}

func TestTheNthEventOfATypeIsDropped(t *testing.T) {
	h := newHost(t)
	h.kernel.KeepEvent(joinEvent(2, true))
	h.joins(h.bound(), "239.0.0.1", "239.0.0.2", "239.0.0.3")
	h.Expect(h.event().UID).To(BeEquivalentTo(1))
	h.Expect(h.event().UID).To(BeEquivalentTo(3))
	h.none()
}

func TestEventsOfOtherTypesAreNotCounted(t *testing.T) {
	h := newHost(t)
	h.kernel.KeepEvent(joinEvent(1, true))
	id := h.create(spec.PSUDP)
	h.Expect(h.resolve(id, local, group)).To(Succeed())
	h.Expect(h.event().Type).To(Equal(spec.AddrResolved))
	h.joins(id, "239.0.0.1")
	h.none()
}

func TestAnEventHeldBackKeepsItsPlace(t *testing.T) {
	h := newHost(t)
	undo := h.kernel.KeepEvent(joinEvent(1, false))
	h.joins(h.bound(), "239.0.0.1", "239.0.0.2", "239.0.0.3")
	h.Expect(h.event().UID).To(BeEquivalentTo(2))
	undo()
	h.Expect(h.event().UID).To(BeEquivalentTo(1))
	h.Expect(h.event().UID).To(BeEquivalentTo(3))
}

func TestALeaveTakesAnEventBackThatIsHeld(t *testing.T) {
	h := newHost(t)
	undo := h.kernel.KeepEvent(joinEvent(1, false))
	m := h.joins(h.bound(), "239.0.0.1")
	h.run.InFlight()
	h.Expect(h.do(func() error {
		_, err := h.cm.LeaveMulticast(m)
		return err
	})).To(Succeed())
	undo()
	h.none()
}

func TestAnEventFaultThatIsUndoneIsGone(t *testing.T) {
	h := newHost(t)
	h.kernel.KeepEvent(joinEvent(1, true))()
	h.joins(h.bound(), "239.0.0.1")
	h.Expect(h.event().Type).To(Equal(spec.MulticastJoin))
}

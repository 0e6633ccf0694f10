//go:build live

package client_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/hw/client"
	"joinmcast/spec"
)

// startMischief is an agent for mischief with a bound id.
func startMischief(t *testing.T) *app {
	t.Helper()
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	p, err := host.(spec.Saboteur).StartMischief(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return (&app{Process: p.(*client.Process), t: t}).bound(host)
}

// outcome is that of a join of the group.
func (a *app) outcome() string {
	return spec.Outcome(a.JoinMulticast(a.t.Context(), a.id, group, 0))
}

func TestLivePlainAgentDoesNoMischief(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	_, err := a.SetFD(t.Context(), a.channel, -1)
	g.Expect(err).To(MatchError(ContainSubstring("this agent was not started for mischief")))
}

func TestLiveChannelWithAnotherFD(t *testing.T) {
	g, a := NewWithT(t), startMischief(t)
	old, err := a.SetFD(t.Context(), a.channel, -1)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(a.outcome()).To(Equal("EBADF"))
	_, err = a.SetFD(t.Context(), a.channel, old)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(a.outcome()).To(Equal("0"))
}

func TestLiveChildAndOtherUserAreKeptOut(t *testing.T) {
	g, a := NewWithT(t), startMischief(t)
	g.Expect(spec.Outcome(a.JoinInChild(t.Context(), a.id, group))).To(Equal("EACCES"))
	g.Expect(a.outcome()).To(Equal("0"))
	g.Expect(a.SetEUID(t.Context(), 65534)).To(Succeed())
	g.Expect(a.outcome()).To(Equal("EACCES"))
	g.Expect(a.SetEUID(t.Context(), 0)).To(Succeed())
}

func TestLiveCallsOfTheCLibraryFailOnce(t *testing.T) {
	g, a := NewWithT(t), startMischief(t)
	g.Expect(a.FailNext(t.Context(), spec.Calloc, 0, spec.ENOMEM)).To(Succeed())
	g.Expect(a.outcome()).To(Equal("ENOMEM"))
	g.Expect(a.FailNext(t.Context(), spec.Write, 1, spec.EIO)).To(Succeed())
	g.Expect(a.outcome()).To(Equal("0"))
	g.Expect(a.outcome()).To(Equal("EIO"))
	g.Expect(a.outcome()).To(Equal("0"))
}

func TestLiveProbeOfAFIBFails(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	host := b.Hosts()[0]
	p, err := host.(spec.Saboteur).StartMischief(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	a := &app{Process: p.(*client.Process), t: t}
	g.Expect(a.FailNext(t.Context(), spec.Write, 1, spec.EINVAL)).To(Succeed())
	a.bound(host)
	ib := spec.NewSockaddrIB(spec.MGIDOf(netip.MustParseAddr("ff0e::1")))
	g.Expect(spec.Outcome(a.JoinMulticast(t.Context(), a.id, ib, 0))).To(Equal("EINVAL"))
	g.Expect(a.outcome()).To(Equal("0"))
}

func TestLiveAllocationsAreCounted(t *testing.T) {
	g, a := NewWithT(t), startMischief(t)
	blocks := func() int {
		n, err := a.Allocations(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		return n
	}
	before := blocks()
	event := a.join()
	g.Expect(blocks()).To(Equal(before + 2)) // the membership and the event
	g.Expect(a.AckEvent(t.Context(), event.Ref)).To(Succeed())
	g.Expect(blocks()).To(Equal(before + 1))
	g.Expect(a.LeaveMulticast(t.Context(), a.id, group)).To(Succeed())
	g.Expect(blocks()).To(Equal(before))
}

func TestLiveRawCommands(t *testing.T) {
	g, a := NewWithT(t), startMischief(t)
	file, err := a.OpenRaw(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	create := spec.RawCommand{Cmd: spec.RawCreateID, In: make(spec.Bytes, 24), ResponseAt: 8, Room: 4}
	create.In[16], create.In[17], create.In[18] = 0x11, 0x01, 4 // RDMA_PS_UDP, IBV_QPT_UD
	answer, err := a.WriteRaw(t.Context(), file, create)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(answer.Out).To(HaveLen(4))
	create.Unmapped = true
	_, err = a.WriteRaw(t.Context(), file, create)
	g.Expect(spec.Outcome(err)).To(Equal("EFAULT"))
	create.Cmd = 1000
	_, err = a.WriteRaw(t.Context(), file, create)
	g.Expect(spec.Outcome(err)).To(Equal("EINVAL"))
}

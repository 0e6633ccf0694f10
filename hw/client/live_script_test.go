//go:build live

package client_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

func TestLiveScriptRacesInsideTheAgent(t *testing.T) {
	const rounds = 200
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0]).withQP()
	join := call.Step("rdma_join_multicast", &call.JoinMulticastArgs{ID: a.id, Addr: group})
	leave := call.Step("rdma_leave_multicast", &call.LeaveMulticastArgs{ID: a.id, Addr: group})
	join.Advance, leave.Advance = true, true
	get := call.Step("rdma_get_cm_event", &call.GetEventArgs{Channel: a.channel})
	ack := call.Step("rdma_ack_cm_event", &call.AckEventArgs{Event: spec.FromStep[spec.EventRef](0)})

	tallies, err := a.Script(t.Context(), spec.Script{Rounds: rounds, Sequences: [][]spec.Step{{join}, {get, ack}}})
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("%+v", tallies)
	all := map[string]int{"0": rounds}
	g.Expect(tallies[0][0].Outcomes).To(Equal(all))
	g.Expect(tallies[1][0].Outcomes).To(Equal(all))
	g.Expect(tallies[1][0].Events).To(Equal(map[string]int{"MULTICAST_JOIN": rounds}))
	g.Expect(tallies[1][1].Outcomes).To(Equal(all))

	tallies, err = a.Script(t.Context(), spec.Script{Rounds: rounds, Sequences: [][]spec.Step{{leave}, {leave}}})
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("%+v", tallies)
	for _, sequence := range tallies {
		g.Expect(sequence[0].Outcomes).To(HaveLen(2))
	}
	g.Expect(tallies[0][0].Outcomes["0"] + tallies[1][0].Outcomes["0"]).To(Equal(rounds))
	a.destroy()
}

func TestLiveScriptThatNothingCanWakeIsHungAtOnce(t *testing.T) {
	g := NewWithT(t)
	b, _ := freshGuests(t)
	a := startApp(t, b.Hosts()[0])
	a.join()
	leave := call.Step("rdma_leave_multicast", &call.LeaveMulticastArgs{ID: a.id, Addr: group})
	null := call.Step("rdma_ack_cm_event", &call.AckEventArgs{})

	_, err := a.Script(t.Context(), spec.Script{Rounds: 2, Sequences: [][]spec.Step{{leave}, {null}}})

	var hung *spec.Hung
	g.Expect(errors.As(err, &hung)).To(BeTrue(), "%v", err)
	g.Expect(hung.Open).To(ConsistOf("script (blocked)", "rdma_leave_multicast (blocked)", "barrier (blocked)"))
}

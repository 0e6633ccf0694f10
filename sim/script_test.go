package sim_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// leaver is a sequence that leaves a group of m, and one further for each round.
func (m *member) leaver() []spec.Step {
	step := call.Step("rdma_leave_multicast", &call.LeaveMulticastArgs{ID: m.id, Addr: group})
	step.Advance = true
	return []spec.Step{step}
}

func (m *member) script(rounds int, sequences ...[]spec.Step) ([][]spec.Tally, error) {
	return m.p.Script(m.ctx, spec.Script{Rounds: rounds, Sequences: sequences})
}

func TestAScriptsSequencesRace(t *testing.T) {
	const rounds = 20
	g := NewWithT(t)
	wins := map[int]bool{}
	for seed := range int64(8) {
		m := newWorld(t, seed).bound(0)
		for i := range rounds {
			m.joined(addr(fmt.Sprintf("239.1.2.%d", 3+i)))
		}
		tallies, err := m.script(rounds, m.leaver(), m.leaver())
		g.Expect(err).NotTo(HaveOccurred())
		first, second := tallies[0][0].Outcomes, tallies[1][0].Outcomes
		g.Expect(first["0"]+second["0"]).To(Equal(rounds), "each membership is left once")
		g.Expect(first["EADDRNOTAVAIL"] + second["EADDRNOTAVAIL"]).To(Equal(rounds))
		wins[first["0"]] = true
	}
	g.Expect(len(wins)).To(BeNumerically(">", 1), "the seed must matter")
}

func TestAScriptsStepsPassHandlesOn(t *testing.T) {
	m := newWorld(t, 1).bound(0)
	tallies, err := m.script(3, []spec.Step{
		call.Step("rdma_create_id", &call.CreateIDArgs{Channel: m.ch, PS: spec.PSUDP}),
		call.Step("rdma_bind_addr", &call.BindAddrArgs{ID: spec.FromStep[spec.ID](0), Addr: m.addrOf(0)}),
		call.Step("rdma_join_multicast", &call.JoinMulticastArgs{ID: spec.FromStep[spec.ID](0), Addr: group}),
		call.Step("rdma_get_cm_event", &call.GetEventArgs{Channel: m.ch}),
		call.Step("rdma_ack_cm_event", &call.AckEventArgs{Event: spec.FromStep[spec.EventRef](3)}),
		call.Step("rdma_destroy_id", &call.DestroyIDArgs{ID: spec.FromStep[spec.ID](0)}),
	})
	m.Expect(err).NotTo(HaveOccurred())
	m.Expect(tallies[0]).To(HaveEach(HaveField("Outcomes", map[string]int{"0": 3})))
	m.Expect(tallies[0][3].Events).To(Equal(map[string]int{"MULTICAST_JOIN": 3}))
}

func TestAScriptHangsWhenNoSequenceCanGoOn(t *testing.T) {
	m := newWorld(t, 1).bound(0)
	m.Expect(m.join(group)).To(Succeed())
	m.event()
	_, err := m.script(1, m.leaver())
	m.Expect(err).To(Equal(&spec.Hung{
		Method: "script", Proof: "nothing left in the world can wake it", Open: []string{"script", "script"},
	}))
}

func TestACrashOfASequenceIsTheProcesss(t *testing.T) {
	m := newWorld(t, 1).bound(0)
	crash := []spec.Step{call.Step("rdma_destroy_id", &call.DestroyIDArgs{})}
	_, err := m.script(1, m.leaver(), crash)
	m.Expect(err).To(MatchError(&spec.Crashed{Method: "script", Exit: spec.Exit{Signal: "SIGSEGV"}}))
}

func TestAScriptOfWhatIsNoCallIsRefused(t *testing.T) {
	m := newWorld(t, 1).bound(0)
	_, err := m.script(1, []spec.Step{{Method: "no_such"}})
	m.Expect(err).To(MatchError(`sequence 0: step 0: no call is named "no_such"`))
}

package walk_test

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/conformance/walk"
)

func TestACallThatIsDrawnTooSeldomGainsWeight(t *testing.T) {
	g := NewWithT(t)
	from := walk.Fitted()
	from["read_id"] /= 100
	var rounds []walk.Rarest
	fit := walk.Fit{From: from, Grounds: []*walk.Ground{ground(t)}, Seed: 1, Rounds: 2, Walks: 100}

	found, err := fit.Weights(t.Context(), func(r walk.Rarest) { rounds = append(rounds, r) })

	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(rounds).To(HaveLen(2))
	g.Expect(rounds[0].Call).To(Equal("read_id"))
	g.Expect(rounds[0].Margin).To(BeNumerically("<", 0))
	g.Expect(rounds[1].Share).To(BeNumerically(">", rounds[0].Share))
	g.Expect(found["read_id"] / found["ibv_query_device"]).To(
		BeNumerically(">", 4*from["read_id"]/from["ibv_query_device"]))
	g.Expect(found["observe"]).To(Equal(from["observe"]))
}

func TestTheWeightsAreTheFitted(t *testing.T) {
	text, err := os.ReadFile("weights.go")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(string(text)).To(Equal(string(walk.Fitted().Source())))
}

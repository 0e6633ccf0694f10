package chain_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/chain"
)

type element struct{ links chain.Links[element] }

// A chain does what a slice does, wherever elements are taken out.
func TestAChainKeepsItsOrder(t *testing.T) {
	g := NewWithT(t)
	random := rand.New(rand.NewPCG(1, 0))
	c := chain.New(func(e *element) *chain.Links[element] { return &e.links })
	var plain []*element
	for range 1000 {
		if i := random.IntN(8); i < len(plain) {
			c.Remove(plain[i])
			plain = slices.Delete(plain, i, i+1)
		} else {
			e := &element{}
			c.Add(e)
			plain = append(plain, e)
		}
		g.Expect(slices.Equal(slices.Collect(c.All()), plain)).To(BeTrue())
		back := slices.Collect(c.Backward())
		slices.Reverse(back)
		g.Expect(slices.Equal(back, plain)).To(BeTrue())
		if len(plain) > 0 {
			g.Expect(c.First()).To(BeIdenticalTo(plain[0]))
		}
	}
}

func TestAnElementMayGoWhileItIsLookedAt(t *testing.T) {
	g := NewWithT(t)
	c := chain.New(func(e *element) *chain.Links[element] { return &e.links })
	for range 5 {
		c.Add(&element{})
	}
	for e := range c.All() {
		c.Remove(e)
	}
	g.Expect(c.First()).To(BeNil())
}

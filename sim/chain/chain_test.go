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
	var c chain.Chain[element]
	var plain []*element
	for range 1000 {
		if i := random.IntN(8); i < len(plain) {
			c.Remove(&plain[i].links)
			plain = slices.Delete(plain, i, i+1)
		} else {
			e := &element{}
			c.Add(e, &e.links)
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
	var c chain.Chain[element]
	for range 5 {
		e := &element{}
		c.Add(e, &e.links)
	}
	for e := range c.All() {
		c.Remove(&e.links)
	}
	g.Expect(c.First()).To(BeNil())
}

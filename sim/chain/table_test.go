package chain_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/chain"
)

type keyed struct {
	key   uint64
	place chain.Place[keyed]
}

// A table does what a list does that is looked through, also while it grows and when elements share a key.
func TestATableFindsTheNewestFirst(t *testing.T) {
	g := NewWithT(t)
	random := rand.New(rand.NewPCG(1, 0))
	var table chain.Table[keyed]
	var plain []*keyed // newest first
	for range 2000 {
		if i := random.IntN(150); i < len(plain) {
			table.Remove(&plain[i].place)
			plain = slices.Delete(plain, i, i+1)
		} else {
			e := &keyed{key: random.Uint64N(40)}
			table.Add(e, &e.place, e.key)
			plain = slices.Insert(plain, 0, e)
		}
		key := random.Uint64N(40)
		var found, want []*keyed
		for e := table.First(key); e != nil; e = table.Next(&e.place) {
			found = append(found, e)
		}
		for _, e := range plain {
			if e.key == key {
				want = append(want, e)
			}
		}
		g.Expect(slices.Equal(found, want)).To(BeTrue(), "key %d: %v, not %v", key, found, want)
		g.Expect(slices.Collect(table.All())).To(HaveLen(len(plain)))
	}
}

func TestAnElementOfATableMayGoWhileItIsLookedAt(t *testing.T) {
	g := NewWithT(t)
	var table chain.Table[keyed]
	for key := range uint64(20) {
		e := &keyed{}
		table.Add(e, &e.place, key)
	}
	for e := range table.All() {
		table.Remove(&e.place)
	}
	g.Expect(slices.Collect(table.All())).To(BeEmpty())
}

func TestAnEmptyTableHasNothing(t *testing.T) {
	var table chain.Table[keyed]
	NewWithT(t).Expect(table.First(0)).To(BeNil())
}

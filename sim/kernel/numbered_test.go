package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestTheLowestFreeHandleIsGiven(t *testing.T) {
	g := NewWithT(t)
	random := rand.New(rand.NewPCG(1, 0))
	var table numbered[uint32, string]
	taken := map[uint32]bool{}
	for range 2000 {
		if h := random.Uint32N(40); taken[h] {
			table.remove(h)
			delete(taken, h)
			_, ok := table.get(h)
			g.Expect(ok).To(BeFalse())
			continue
		}
		lowest := uint32(0)
		for taken[lowest] {
			lowest++
		}
		g.Expect(table.add("entry")).To(Equal(lowest))
		taken[lowest] = true
		g.Expect(slices.Collect(table.all())).To(HaveLen(len(taken)))
	}
}

package fifo_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fifo"
)

// A queue does what a plain slice does, however pushes and pops mix.
func TestAQueueKeepsItsOrder(t *testing.T) {
	g := NewWithT(t)
	var q fifo.Queue[int]
	var plain []int
	for i := range 1000 {
		switch {
		case i%7 == 3 && len(plain) > 0:
			even := func(n int) bool { return n%2 == 0 }
			q.DeleteFunc(even)
			plain = slices.DeleteFunc(plain, even)
		case i/100%2 == 1 && len(plain) > 0:
			g.Expect(q.First()).To(Equal(plain[0]))
			g.Expect(q.Pop()).To(Equal(plain[0]))
			plain = plain[1:]
		default:
			q.Push(i)
			plain = append(plain, i)
		}
		g.Expect(slices.Collect(q.All())).To(HaveExactElements(slices.Collect(slices.Values(plain))))
		g.Expect(q.Len()).To(Equal(len(plain)))
	}
}

func TestAQueueThatHasGrownAllocatesNothing(t *testing.T) {
	g := NewWithT(t)
	var q fifo.Queue[int]
	for range 100 {
		q.Push(1)
	}
	g.Expect(testing.AllocsPerRun(1000, func() {
		q.Push(1)
		q.Pop()
	})).To(BeZero())
}

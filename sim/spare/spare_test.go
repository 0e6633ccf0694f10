package spare_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/spare"
)

func TestAnEmptyListGivesAZeroValue(t *testing.T) {
	g := NewWithT(t)
	var l spare.List[int]
	g.Expect(l.Take()).To(HaveValue(BeZero()))
}

func TestWhatWasFreedLastIsTakenFirstAndOnce(t *testing.T) {
	g := NewWithT(t)
	var l spare.List[int]
	first, second := new(int), new(int)
	l.Free(first)
	l.Free(second)
	g.Expect(l.Take()).To(BeIdenticalTo(second))
	g.Expect(l.Take()).To(BeIdenticalTo(first))
	g.Expect(l.Take()).NotTo(Or(BeIdenticalTo(first), BeIdenticalTo(second)))
}

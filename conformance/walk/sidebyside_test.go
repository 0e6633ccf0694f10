package walk_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/conformance/walk"
)

func TestResultsComeInTheOrderOfTheWalks(t *testing.T) {
	g := NewWithT(t)
	second := make(chan struct{})
	work := func(_ context.Context, _ walk.Pair, i int) int {
		switch i {
		case 0:
			<-second // the first walk is done last
		case 1:
			close(second)
		}
		return i * i
	}
	var results []int
	for _, r := range walk.SideBySide(t.Context(), make([]walk.Pair, 2), 4, work) {
		results = append(results, r)
	}
	g.Expect(results).To(Equal([]int{0, 1, 4, 9}))
}

func TestNoWorkOutlivesItsCaller(t *testing.T) {
	g := NewWithT(t)
	begun, ended := make(chan struct{}), false
	work := func(ctx context.Context, _ walk.Pair, i int) int {
		if i == 1 {
			close(begun)
			<-ctx.Done()
			ended = true
		}
		return i
	}
	for range walk.SideBySide(t.Context(), make([]walk.Pair, 2), 2, work) {
		<-begun
		break
	}
	g.Expect(ended).To(BeTrue(), "the second walk has ended")
}

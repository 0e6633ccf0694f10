package walk

import (
	"context"
	"iter"
	"sync"
)

// SideBySide does the work of n walks on as many grounds, or pairs of them, as there are, each on one at a time, and
// yields what came of it in the order of the walks, by their number from 0. It returns when all work has ended; work
// that is under way when the caller wants no more is told by its context.
func SideBySide[G, R any](
	ctx context.Context, grounds []G, n int, work func(context.Context, G, int) R,
) iter.Seq2[int, R] {
	return func(yield func(int, R) bool) {
		ctx, cancel := context.WithCancel(ctx)
		results := make([]chan R, n)
		for i := range results {
			results[i] = make(chan R, 1)
		}
		numbers := make(chan int)
		var working sync.WaitGroup
		defer working.Wait()
		defer cancel()
		working.Go(func() {
			defer close(numbers)
			for i := range n {
				select {
				case numbers <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for _, ground := range grounds {
			working.Go(func() {
				for i := range numbers {
					results[i] <- work(ctx, ground, i)
				}
			})
		}
		for i, result := range results {
			select {
			case r := <-result:
				if !yield(i, r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

package walk

import (
	"context"
	"slices"
)

// Shrink takes away what a difference does not need: the steps behind it, and then, in ever smaller parts, all those
// whose absence leaves a difference of the same call. Each try plays a shorter walk on both stacks.
func (p Pair) Shrink(ctx context.Context, d *Difference) (*Difference, error) {
	best := *d
	best.Walk.Steps = slices.Clone(d.Walk.Steps[:d.Step+1])
	for size := max(len(best.Walk.Steps)/2, 1); ; size = max(size/2, 1) {
		before := len(best.Walk.Steps)
		for from := len(best.Walk.Steps) - 1; from > 0; {
			to := from
			from = max(from-size, 0)
			try := best.Walk
			try.Steps = slices.Delete(slices.Clone(best.Walk.Steps), from, to)
			o, err := p.Replay(ctx, try)
			if err != nil {
				return &best, err
			}
			if o.Difference != nil && alike(o.Difference, d) {
				best = *o.Difference
				best.Walk.Steps = best.Walk.Steps[:best.Step+1]
				from = min(from, len(best.Walk.Steps)-1)
			}
		}
		if size == 1 && len(best.Walk.Steps) == before {
			return &best, nil
		}
	}
}

// alike tells whether two differences are of the same call of the same process.
func alike(a, b *Difference) bool {
	x, y := a.Walk.Steps[a.Step], b.Walk.Steps[b.Step]
	return x.Call == y.Call && x.By == y.By
}

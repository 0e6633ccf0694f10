package walk

import (
	"context"
	"errors"
	"slices"
)

// errElusive is a difference that does not come again.
var errElusive = errors.New("not seen again in fresh worlds: it may need what an earlier walk left, or luck")

// Shrink takes away what a difference does not need: the steps behind it, and then, in ever smaller parts, all those
// whose absence leaves a difference of the same call. Each try plays a shorter walk on both stacks, in worlds where
// nothing has happened yet: what one try leaves behind is no difference of the next. A difference that does not come
// again is given back as it is, with an error that says so.
func (p Pair) Shrink(ctx context.Context, d *Difference) (*Difference, error) {
	best := *d
	best.Walk.Steps = slices.Clone(d.Walk.Steps[:d.Step+1])
	if o, err := p.afresh(ctx, d.Walk); err != nil || o.Difference == nil || !alike(o.Difference, d) {
		return d, errors.Join(err, errElusive)
	}
	for size := max(len(best.Walk.Steps)/2, 1); ; size = max(size/2, 1) {
		before := len(best.Walk.Steps)
		for from := len(best.Walk.Steps) - 1; from > 0; {
			to := from
			from = max(from-size, 0)
			try := best.Walk
			try.Steps = slices.Delete(slices.Clone(best.Walk.Steps), from, to)
			o, err := p.afresh(ctx, try)
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

// afresh plays a walk in fresh worlds.
func (p Pair) afresh(ctx context.Context, w Walk) (Outcome, error) {
	if err := errors.Join(p.A.Leave(ctx), p.B.Leave(ctx)); err != nil {
		return Outcome{}, err
	}
	return p.Replay(ctx, w)
}

// alike tells whether two differences are of the same call of the same process.
func alike(a, b *Difference) bool {
	x, y := a.Walk.Steps[a.Step], b.Walk.Steps[b.Step]
	return x.Call == y.Call && x.By == y.By
}

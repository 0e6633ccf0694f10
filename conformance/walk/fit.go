package walk

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"joinmcast/spec/call"
)

// Weights say how often each call is drawn, against the others of its theme.
type Weights map[string]float64

// Fitted are the weights that walks are drawn by.
func Fitted() Weights { return maps.Clone(weights) }

// Fit looks for weights with which every call has its share of the steps, and no call a better chance of it than the
// others. Calls that others need before them have more than their share, whatever their weight.
type Fit struct {
	From          Weights
	Grounds       []*Ground // to draw walks on, as many at a time
	Seed          uint64    // of the first walk
	Rounds, Walks int       // in each round
}

// Rarest is the call that came nearest to falling short of its share in a round, or fell short by most.
type Rarest struct {
	Call  string
	Share float64 // of the steps
	// Margin is by how many standard deviations of the share in 2,000 walks it is more than it must be. Of a call whose
	// true margin is 1, other walks have too little once in 6 times; where it is 3, once in 700.
	Margin float64
}

// Weights are those that were found; tell is told of each round.
func (f Fit) Weights(ctx context.Context, tell func(Rarest)) (Weights, error) {
	found := maps.Clone(f.From)
	for _, t := range themes {
		for _, name := range t.draws {
			found[name] = cmp.Or(found[name], 1) // a new one begins anywhere
		}
	}
	for round := range f.Rounds {
		for _, g := range f.Grounds {
			g.weights = found
		}
		shares, err := f.shares(ctx, f.Seed+uint64(round*f.Walks))
		if err != nil {
			return nil, err
		}
		tell(rarest(shares))
		found = found.follow(shares, firstGain/(1+float64(round)/2))
	}
	return found, nil
}

// firstGain is how strongly weights follow the shares at first: a share follows its call's weight with much less than
// its first power, as the other calls need it or must wait for others.
const firstGain = 3

// share is a call's part of the steps of many walks, and by how much it differs from 2,000 walks to the next.
type share struct{ mean, deviation float64 }

func (s share) margin() float64 { return (s.mean - leastShare) / s.deviation }

// shares draws walks and counts their calls.
func (f Fit) shares(ctx context.Context, seed uint64) (map[string]share, error) {
	type drawn struct {
		made map[string]int
		err  error
	}
	byTheme := make([][]map[string]int, len(themes)) // only what walks of one theme differ by makes shares differ
	for i, d := range SideBySide(ctx, f.Grounds, f.Walks, func(ctx context.Context, g *Ground, i int) drawn {
		w, _, err := Draw(ctx, g, seed+uint64(i))
		made := map[string]int{}
		for _, s := range w.Steps[:min(Length, len(w.Steps))] {
			made[s.Call]++
		}
		return drawn{made, err}
	}) {
		if d.err != nil {
			return nil, d.err
		}
		k := themeOf(seed + uint64(i))
		byTheme[k] = append(byTheme[k], d.made)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	shares := map[string]share{}
	for _, name := range call.Methods() {
		var sum, squares float64
		for _, walks := range byTheme {
			var here float64
			for _, made := range walks {
				here += float64(made[name])
			}
			for _, made := range walks {
				off := float64(made[name]) - here/float64(len(walks))
				squares += off * off
			}
			sum += here
		}
		variance := max(squares, 1) / float64(f.Walks) // of one walk's number of such calls
		shares[name] = share{
			mean: sum / float64(f.Walks*Length), deviation: math.Sqrt(variance/sharesFrom) / Length,
		}
	}
	return shares, nil
}

func rarest(shares map[string]share) Rarest {
	least := Rarest{Margin: math.Inf(1)}
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		if s := shares[name]; s.margin() < least.Margin {
			least = Rarest{name, s.mean, s.margin()}
		}
	}
	return least
}

// follow are weights that are nearer to those with which all calls have the margin that half of them have.
func (w Weights) follow(shares map[string]share, gain float64) Weights {
	// Only ratios count. Those to the draws that are no calls, and owe no share, are kept by what the median is.
	const least, middle, most = 0.2, 100, 1e6
	margin := median(shares, share.margin)
	next := Weights{}
	for name, s := range shares {
		if weight, drawn := w[name]; drawn {
			want := leastShare + margin*s.deviation
			next[name] = weight * math.Pow(want/max(s.mean, leastShare/100), gain)
		}
	}
	unit := median(next, func(weight float64) float64 { return weight }) / middle
	for name, weight := range next {
		next[name] = min(max(weight/unit, least), most)
	}
	for name, weight := range w {
		if _, owes := next[name]; !owes {
			next[name] = weight
		}
	}
	return next
}

// median is the middle one of what each has.
func median[T any](of map[string]T, has func(T) float64) float64 {
	var all []float64
	for _, one := range of {
		all = append(all, has(one))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// Source is the text of weights.go.
func (w Weights) Source() []byte {
	var text bytes.Buffer
	text.WriteString("// Code generated by make walk FIT=1. DO NOT EDIT.\n\npackage walk\n\nvar weights = Weights{\n")
	names := slices.Sorted(maps.Keys(w))
	longest := len(slices.MaxFunc(names, func(a, b string) int { return len(a) - len(b) }))
	for _, name := range names {
		fmt.Fprintf(&text, "\t%q:%*s%.3g,\n", name, longest-len(name)+1, "", w[name])
	}
	text.WriteString("}\n")
	return text.Bytes()
}

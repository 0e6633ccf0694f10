package walk

import (
	"context"
	"fmt"
)

// Difference is a walk that two stacks tell differently.
type Difference struct {
	Walk Walk
	Step int // from 0
	A, B string
}

// String says where, and what each stack told.
func (d *Difference) String() string {
	return fmt.Sprintf("step %d, %s\n  A: %s\n  B: %s", d.Step+1, d.Walk.Steps[d.Step], d.A, d.B)
}

// Outcome is how a walk went on two stacks.
type Outcome struct {
	Walk       Walk
	Told       []Told      // of stack A
	Difference *Difference // nil: they agree
	Found      string      // what the walk did to stack B that no walk may do
	Known      []Known     // differences of stack B
	Masked     []string    // what known difference explains a step, for each of those steps
}

// Pair is two stacks to compare. Of a race, A tells what is right in as many worlds as it has seeds for.
type Pair struct {
	A, B *Ground
}

// otherWorld is added to the seed of a world of B, so that what only a seed decides is not decided alike.
const otherWorld = 1 << 32

// worldsOfRace is how many worlds of A are asked what a race may end in.
const worldsOfRace = 64

// Compare draws the walk of a seed on A and plays it on B.
func (p Pair) Compare(ctx context.Context, seed uint64) (Outcome, error) {
	w, told, err := Draw(ctx, p.A, seed)
	if err != nil {
		return Outcome{Walk: w}, err
	}
	return p.against(ctx, w, told)
}

// Replay plays a walk on both.
func (p Pair) Replay(ctx context.Context, w Walk) (Outcome, error) {
	told, _, err := p.A.Play(ctx, w, int64(w.Seed), nil)
	if err != nil {
		return Outcome{Walk: w}, err
	}
	return p.against(ctx, w, told)
}

// against plays a walk on B that A has told of.
func (p Pair) against(ctx context.Context, w Walk, told []Told) (Outcome, error) {
	o := Outcome{Walk: w, Told: told}
	got, found, err := p.B.Play(ctx, w, int64(w.Seed)+otherWorld, told)
	if err != nil {
		return o, err
	}
	o.Found, o.Known = found, p.B.known
	o.Difference, o.Masked = p.differs(w, told, got)
	for world := int64(1); o.Difference != nil && w.races() && world < worldsOfRace; world++ {
		told, _, err := p.A.Play(ctx, w, int64(w.Seed)+world, nil)
		if err != nil {
			return o, err
		}
		if d, masked := p.differs(w, told, got); d == nil || d.Step > o.Difference.Step {
			o.Difference, o.Masked = d, masked
		}
	}
	return o, nil
}

// differs is the first difference that is not known, and what the known ones before it are.
func (p Pair) differs(w Walk, a, b []Told) (d *Difference, masked []string) {
	for i := range min(len(a), len(b)) {
		if a[i].String() == b[i].String() {
			continue
		}
		what, ok := p.B.explains(w.Steps[i], a[i], b[i])
		if !ok {
			return &Difference{Walk: w, Step: i, A: a[i].String(), B: b[i].String()}, masked
		}
		masked = append(masked, what)
	}
	return nil, masked
}

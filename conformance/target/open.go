package target

import (
	"cmp"
	"context"
	"fmt"

	"joinmcast/sim/quirk"
	"joinmcast/spec"
)

// Open opens the target's stack. A live one must give the nonce back in its environment; progress gets a line for each
// step that takes long.
func (t *Target) Open(ctx context.Context, nonce string, progress func(line string)) (spec.Lab, error) {
	switch t.Stack {
	case Sim:
		return t.openSim(ctx, nonce)
	case Permit:
		return quirk.Permit(cmp.Or(t.Transport, spec.RoCEv2)), nil
	case Refuse:
		return quirk.Refuse(cmp.Or(t.Transport, spec.RoCEv2)), nil
	case RXE:
		return t.openGuests(ctx, nonce, progress)
	case HW:
		return t.openMachine(nonce)
	}
	return nil, fmt.Errorf("stack %s cannot be opened", t.Stack)
}

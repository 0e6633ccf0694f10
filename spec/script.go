package spec

import (
	"encoding/json"
	"time"
)

// Script is sequences of calls that run side by side inside one process, each in a thread of its own, for races that a
// caller outside could not win. All sequences begin each round together, when all have ended the round before. A call
// that fails does not end its sequence.
type Script struct {
	Rounds    int      `json:"rounds"`
	Sequences [][]Step `json:"sequences"`
}

// Step is one call of a sequence. Package call makes it: call.Step.
type Step struct {
	Method string          `json:"method"` // the C name
	Args   json.RawMessage `json:"args"`   // of package call; a handle in it may be one of FromStep

	// Advance adds the number of the round, from 0, to the group in Args: to the last four bytes of its IPv4 address or
	// of its GID.
	Advance bool `json:"advance,omitempty"`
}

// handleBit marks a handle that stands for what an earlier step gave.
const handleBit = 1 << 31

// FromStep is the handle that step k of the same sequence, from 0, gave in the same round; NULL when that call failed.
func FromStep[H ~uint32](k int) H { return H(handleBit | uint32(k)) }

// StepOf tells which step a handle of FromStep stands for.
func StepOf[H ~uint32](h H) (k int, ok bool) {
	return int(uint32(h) &^ handleBit), uint32(h)&handleBit != 0
}

// Tally is what one step's calls answered over all rounds.
type Tally struct {
	Outcomes map[string]int `json:"outcomes"`         // by the words of Outcome: "0", "EINVAL"…
	Events   map[string]int `json:"events,omitempty"` // of rdma_get_cm_event: by the type's name
	Slowest  time.Duration  `json:"slowest"`          // of all rounds, stamped in the process
}

package spec

import (
	"errors"
	"fmt"
	"strings"
)

// CallError is what a call of the stack answered when it did not succeed: the raw return value (-1, a positive errno,
// or 0 for a NULL pointer) and errno right after the call. Both are kept, or "-1 and never -errno" could not be judged.
type CallError struct {
	Method string `json:"method"` // the C name, as in "rdma_join_multicast"
	Ret    int    `json:"ret"`
	Errno  Errno  `json:"errno"`
}

func (e *CallError) Error() string { return fmt.Sprintf("%s: %d, errno %s", e.Method, e.Ret, e.Errno) }

// Hung is a call that did not return: ctx ended first, or Proof says why nothing can ever wake it.
type Hung struct {
	Method string
	Proof  string   // what shows that the call hangs: "asleep in an untimed futex", "deadline"…
	Open   []string // the calls open at that moment, for the dump
}

func (e *Hung) Error() string {
	s := fmt.Sprintf("%s did not return (%s)", e.Method, e.Proof)
	if len(e.Open) > 0 {
		s += "; open calls: " + strings.Join(e.Open, ", ")
	}
	return s
}

// Crashed is a process that ended during a call, or before it.
type Crashed struct {
	Method string
	Exit   Exit
}

func (e *Crashed) Error() string {
	return fmt.Sprintf("%s: the process ended with %s", e.Method, e.Exit)
}

// Exit is how a process ended: by a signal, or with a status.
type Exit struct {
	Signal string `json:"signal,omitempty"` // as in "SIGSEGV"; empty when the process ended by itself
	Status int    `json:"status"`
}

func (e Exit) String() string {
	if e.Signal != "" {
		return e.Signal
	}
	return fmt.Sprintf("status %d", e.Status)
}

// InFlight is a call that has begun and not ended. Blocked: it is asleep, and nothing of its own (a time-out, a pending
// answer of the kernel) will wake it; only another call can.
type InFlight struct {
	Method  string `json:"method"`
	Blocked bool   `json:"blocked"`
}

// Answered tells whether the stack itself answered a call, by success or refusal: it neither hung nor crashed, nor was
// the harness at fault.
func Answered(err error) bool {
	var refused *CallError
	return err == nil || errors.As(err, &refused)
}

// Outcome names what a call answered by symbol: "0" for success, the errno's name, "HANG", a signal's name, or
// "harness" for an error that is not the stack's.
func Outcome(err error) string {
	var call *CallError
	var hung *Hung
	var crashed *Crashed
	switch {
	case err == nil:
		return "0"
	case errors.As(err, &call):
		return call.Errno.Name()
	case errors.As(err, &hung):
		return "HANG"
	case errors.As(err, &crashed):
		return crashed.Exit.String()
	default:
		return "harness"
	}
}

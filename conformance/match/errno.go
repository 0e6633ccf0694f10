// Package match holds the matchers of the law: their failures name errnos, events and addresses, and give the numbers.
package match

import (
	"errors"
	"fmt"

	"github.com/onsi/gomega/types"

	"joinmcast/spec"
)

// FailWith succeeds when a call of librdmacm answered -1 with exactly this errno. Any other return value, a negative
// errno among them, fails: rdma_cm(7) promises -1. For ibv calls see ReturnErrno.
func FailWith(want spec.Errno) types.GomegaMatcher {
	return &callMatcher{ret: -1, errno: want, want: fmt.Sprintf("-1 with errno %s", want)}
}

// ReturnErrno succeeds when a call of libibverbs returned this errno as a positive number (ibv_attach_mcast(3)).
func ReturnErrno(want spec.Errno) types.GomegaMatcher {
	return &callMatcher{ret: int(want), errno: want, anyErrno: true, want: fmt.Sprintf("the positive errno %s", want)}
}

// ReturnNULL succeeds when a call that gives a pointer answered NULL with exactly this errno.
func ReturnNULL(want spec.Errno) types.GomegaMatcher {
	return &callMatcher{ret: 0, errno: want, want: fmt.Sprintf("NULL with errno %s", want)}
}

// FailByConvention succeeds when a call of librdmacm failed the way rdma_cm(7) promises, whatever the errno: -1, and a
// positive errno that says why.
func FailByConvention() types.GomegaMatcher {
	return &callMatcher{ret: -1, someErrno: true, want: "-1 with a positive errno"}
}

// ReturnZero succeeds when a call answered 0.
func ReturnZero() types.GomegaMatcher { return zeroMatcher{} }

// HaveWorked succeeds when a step that is no call of the stack, such as observing a host, gave no error.
func HaveWorked() types.GomegaMatcher { return workMatcher{} }

// workMatcher is zeroMatcher of what answers no number.
type workMatcher struct{ zeroMatcher }

func (workMatcher) FailureMessage(actual any) string { return message("no error", seen(actual)) }

func (workMatcher) NegatedFailureMessage(actual any) string { return message("an error", seen(actual)) }

type callMatcher struct {
	ret       int
	errno     spec.Errno
	anyErrno  bool // errno itself says nothing
	someErrno bool // any positive errno will do
	want      string
}

func (m *callMatcher) Match(actual any) (bool, error) {
	err, ok := actual.(error)
	if actual != nil && !ok {
		return false, fmt.Errorf("want the error of a call, have %T", actual)
	}
	var refused *spec.CallError
	if !errors.As(err, &refused) {
		return false, nil
	}
	errnoFits := m.anyErrno || refused.Errno == m.errno
	if m.someErrno {
		errnoFits = refused.Errno > 0
	}
	return refused.Ret == m.ret && errnoFits, nil
}

func (m *callMatcher) FailureMessage(actual any) string { return message(m.want, seen(actual)) }

func (m *callMatcher) NegatedFailureMessage(actual any) string {
	return message("anything but "+m.want, seen(actual))
}

type zeroMatcher struct{}

func (zeroMatcher) Match(actual any) (bool, error) {
	if actual == nil {
		return true, nil
	}
	if _, ok := actual.(error); !ok {
		return false, fmt.Errorf("want the error of a call, have %T", actual)
	}
	return false, nil
}

func (zeroMatcher) FailureMessage(actual any) string { return message("0", seen(actual)) }

func (zeroMatcher) NegatedFailureMessage(actual any) string {
	return message("a refusal", seen(actual))
}

// seen names what a call answered, with its numbers.
func seen(actual any) string {
	if actual == nil {
		return "0"
	}
	err, ok := actual.(error)
	if !ok {
		return fmt.Sprint(actual)
	}
	var refused *spec.CallError
	if errors.As(err, &refused) {
		return fmt.Sprintf("%d with errno %s", refused.Ret, refused.Errno)
	}
	return err.Error()
}

// message is the form every matcher of this package fails with; the reports read the two parts back.
func message(expected, seen string) string {
	return fmt.Sprintf("expected: %s\n    seen: %s", expected, seen)
}

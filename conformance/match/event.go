package match

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega/types"

	"joinmcast/spec"
)

// BeJoin succeeds for a MULTICAST_JOIN event with status 0 whose address handle names this group.
func BeJoin(group spec.GID) types.GomegaMatcher {
	return &eventMatcher{
		want: fmt.Sprintf("MULTICAST_JOIN, status 0, dgid %s", group),
		fits: func(e spec.Event) bool {
			return e.Type == spec.MulticastJoin && e.Status == 0 && e.UD.AH.GRH.DGID == group
		},
	}
}

// BeEvent succeeds for an event of this type with status 0.
func BeEvent(t spec.EventType) types.GomegaMatcher {
	return &eventMatcher{
		want: fmt.Sprintf("%s, status 0", t),
		fits: func(e spec.Event) bool { return e.Type == t && e.Status == 0 },
	}
}

// BeFailure succeeds for an event of this type whose status is this errno, negative (rdma_get_cm_event(3)).
func BeFailure(t spec.EventType, errno spec.Errno) types.GomegaMatcher {
	return &eventMatcher{
		want: fmt.Sprintf("%s, status -%s", t, errno.Name()),
		fits: func(e spec.Event) bool { return e.Type == t && e.Status == -int(errno) },
	}
}

// BeMulticastError succeeds for a MULTICAST_ERROR event, whatever its status.
func BeMulticastError() types.GomegaMatcher {
	return &eventMatcher{
		want: "MULTICAST_ERROR",
		fits: func(e spec.Event) bool { return e.Type == spec.MulticastError },
	}
}

// CarryContext succeeds for an event of a multicast group whose private_data is this pointer.
func CarryContext(c spec.Context) types.GomegaMatcher {
	return &eventMatcher{
		want: fmt.Sprintf("a multicast event with private_data %s", c),
		fits: func(e spec.Event) bool {
			return (e.Type == spec.MulticastJoin || e.Type == spec.MulticastError) && e.UD.PrivateData == c
		},
	}
}

type eventMatcher struct {
	want string
	fits func(spec.Event) bool
}

func (m *eventMatcher) Match(actual any) (bool, error) {
	e, ok := actual.(spec.Event)
	if !ok {
		return false, fmt.Errorf("want a spec.Event, have %T", actual)
	}
	return m.fits(e), nil
}

func (m *eventMatcher) FailureMessage(actual any) string { return message(m.want, describe(actual)) }

func (m *eventMatcher) NegatedFailureMessage(actual any) string {
	return message("anything but "+m.want, describe(actual))
}

func describe(actual any) string {
	e, ok := actual.(spec.Event)
	if !ok {
		return fmt.Sprint(actual)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, status %d, errno %s", e.Type, e.Status, e.Errno)
	if e.Type == spec.MulticastJoin || e.Type == spec.MulticastError {
		fmt.Fprintf(&b, ", private_data %s, dgid %s", e.UD.PrivateData, e.UD.AH.GRH.DGID)
	}
	return b.String()
}

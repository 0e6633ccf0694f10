package rig

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"joinmcast/spec"
)

// The functions here turn values that differ from run to run into symbols that do not, for Observe.

// NameGID is "group" for the group's own MGID, "zero", or "other".
func NameGID(g spec.GID, group Group) string {
	switch g {
	case group.GID():
		return "group"
	case spec.GID{}:
		return "zero"
	}
	return "other"
}

// NameVersion is the version of RoCE that gives the group this MGID, "rocev1" or "rocev2", or "other".
func NameVersion(g spec.GID, group Group) string {
	for _, t := range []spec.Transport{spec.RoCEv1, spec.RoCEv2} {
		if g == group.GIDOn(t) {
			return string(t)
		}
	}
	return "other"
}

// NameID is "own" for this id, "NULL", or "other".
func NameID(handle spec.ID, id *ID) string {
	switch handle {
	case 0:
		return "NULL"
	case id.Handle:
		return "own"
	}
	return "other"
}

// NameContext is "own" for this context, "NULL", or "other".
func NameContext(c, own spec.Context) string {
	switch c {
	case 0:
		return "NULL"
	case own:
		return "own"
	}
	return "other"
}

// NameRet is a call's raw return value, "0" when it succeeded.
func NameRet(err error) string {
	var refused *spec.CallError
	switch {
	case err == nil:
		return "0"
	case errors.As(err, &refused):
		return fmt.Sprint(refused.Ret)
	}
	return spec.Outcome(err)
}

// NameSign says how a call of libibverbs refused: "errno" when it returned the errno itself, positive, "-1" when it
// returned that, else what it answered.
func NameSign(err error) string {
	var refused *spec.CallError
	switch {
	case !errors.As(err, &refused):
		return spec.Outcome(err)
	case refused.Ret > 0:
		return "errno"
	}
	return fmt.Sprint(refused.Ret)
}

// NameLength is "payload+40" for the length IBTA asks for, else the number.
func NameLength(byteLen uint32, payload string) string {
	if byteLen == uint32(spec.GRHBytes+len(payload)) {
		return "payload+40"
	}
	return fmt.Sprint(byteLen)
}

// NamePayloads is the payloads of these datagrams in their order, those that the spec sent by their text and others as
// "other"; "none" when there are none.
func NamePayloads(datagrams []spec.Completion, sent ...string) string {
	if len(datagrams) == 0 {
		return "none"
	}
	names := make([]string, len(datagrams))
	for i, d := range datagrams {
		names[i] = "other"
		if slices.Contains(sent, string(d.Data)) {
			names[i] = string(d.Data)
		}
	}
	return strings.Join(names, ", ")
}

// NamePayload is "own" for a successful receive of this payload, "other" for one of another, or its status.
func NamePayload(got spec.Completion, own string) string {
	switch {
	case got.Status != spec.WCSuccess:
		return got.Status.String()
	case string(got.Data) == own:
		return "own"
	}
	return "other"
}

// NameImm is "own" for this immediate data, "none", or "other".
func NameImm(imm *uint32, own uint32) string {
	switch {
	case imm == nil:
		return "none"
	case *imm == own:
		return "own"
	}
	return "other"
}

// NamePort is "own" for the id's port, "0", or "other".
func NamePort(port, own uint8) string {
	switch port {
	case own:
		return "own"
	case 0:
		return "0"
	}
	return "other"
}

// NameAllowed is "allowed" for one of these outcomes, so that a race leaves the same word behind whoever wins it, else
// the outcome.
func NameAllowed(err error, outcomes ...string) string {
	if outcome := spec.Outcome(err); !slices.Contains(outcomes, outcome) {
		return outcome
	}
	return "allowed"
}

// NameZero is "0", or "other".
func NameZero[T uint8 | uint16 | uint32](v T) string {
	if v == 0 {
		return "0"
	}
	return "other"
}

// NameOrder is "of the joins" when events told the contexts of the joins in their order, else "another".
func NameOrder(told, joined []spec.Context) string {
	if slices.Equal(told, joined) {
		return "of the joins"
	}
	return "another"
}

// NameOwnEvent is the type of the event in a synchronous id's id->event, or "NULL".
func NameOwnEvent(e *spec.Event) string {
	if e == nil {
		return "NULL"
	}
	return e.Type.String()
}

// NameTypes is the types of events, in the order of their numbers.
func NameTypes(events map[spec.EventType]spec.Event) string {
	var names []string
	for _, t := range slices.Sorted(maps.Keys(events)) {
		names = append(names, t.String())
	}
	return strings.Join(names, " ")
}

// NameFamily is the C name of a family as a field's name: "af_unix".
func NameFamily(f spec.Family) string { return strings.ToLower(f.String()) }

// NameStatus is the status of an event: "0", a negative errno as in "-ENODEV", or the number.
func NameStatus(status int) string {
	if status < 0 {
		return "-" + spec.Errno(-status).Name()
	}
	return fmt.Sprint(status)
}

// NameOutcomes is the outcomes of calls that were made many times, sorted, as in "0 ENOENT".
func NameOutcomes(seen map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(seen)), " ")
}

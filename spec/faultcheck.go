package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// kinds names the fields that are set, as a target file spells them.
func (f Fault) kinds() []string {
	var set []string
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"fail", f.Fail != nil},
		{"event", f.Event != nil},
		{"memory", f.Memory != nil},
		{"sm", f.SM != nil},
		{"wire", f.Wire != nil},
	} {
		if field.set {
			set = append(set, field.name)
		}
	}
	return set
}

// Check refuses a fault that means nothing, with one sentence that says what would be right. Whether a host can have
// it, the host's Inject says.
func (f Fault) Check() error {
	switch kinds := f.kinds(); {
	case len(kinds) == 0:
		return errors.New("the fault is empty; want one of fail, event, memory, sm and wire")
	case len(kinds) > 1:
		return fmt.Errorf("one fault has %s; want a fault for each", strings.Join(kinds, " and "))
	case f.Fail != nil:
		return f.Fail.check()
	case f.Event != nil:
		return f.Event.check()
	case f.Memory != nil:
		return f.Memory.check()
	case f.SM != nil:
		return f.SM.check()
	}
	return f.Wire.check()
}

func (f CallFault) check() error {
	switch {
	case !slices.Contains(commands, f.Command):
		return fmt.Errorf("no command is named %q; known: %s", f.Command, listed(commands))
	case f.Nth < 1:
		return fmt.Errorf("nth of fail is %d; want 1 for the next %s, 2 for the one after it", f.Nth, f.Command)
	case f.Errno <= 0:
		return errors.New("fail has no errno; want one such as ENOMEM")
	}
	return nil
}

func (f EventFault) check() error {
	if _, known := eventNames[f.Type]; !known {
		return fmt.Errorf("%s has no name; want one such as %s", f.Type, MulticastJoin)
	}
	if f.Nth < 1 {
		return fmt.Errorf("nth of event is %d; want 1 for the next %s, 2 for the one after it", f.Nth, f.Type)
	}
	return nil
}

func (f MemoryFault) check() error {
	if f.Function != Calloc && f.Function != Malloc {
		return fmt.Errorf("memory is not asked for by %q; want %s or %s", f.Function, Calloc, Malloc)
	}
	if f.Skip < 0 {
		return fmt.Errorf("skip of memory is %d; want 0 or more requests that are met", f.Skip)
	}
	return nil
}

// smEvents are all there are.
var smEvents = []SMEvent{ClientReregister, LIDChange, PKeyChange, PortError}

func (f SMFault) check() error {
	set := 0
	for _, one := range []bool{f.Refuse != 0, f.Silent, f.Event != ""} {
		if one {
			set++
		}
	}
	switch {
	case set != 1:
		return errors.New("sm wants one of refuse, silent and event")
	case f.Event != "" && !slices.Contains(smEvents, f.Event):
		return fmt.Errorf("no event of a subnet is named %q; known: %s", f.Event, listed(smEvents))
	}
	return nil
}

func (f WireFault) check() error {
	for _, chance := range []struct {
		name string
		of   float64
	}{{"lose", f.Lose}, {"duplicate", f.Duplicate}, {"reorder", f.Reorder}} {
		if !(chance.of >= 0 && chance.of <= 1) {
			return fmt.Errorf("%s of wire is %g; want a chance of 0 to 1", chance.name, chance.of)
		}
	}
	if f.Delay < 0 {
		return fmt.Errorf("delay of wire is %d; want 0 or more", f.Delay)
	}
	if (f == WireFault{}) {
		return errors.New("the wire fault is empty; want lose, duplicate, reorder, delay or cut")
	}
	return nil
}

func listed[T ~string](names []T) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = string(n)
	}
	return strings.Join(words, ", ")
}

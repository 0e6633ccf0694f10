// Package quirk holds the named deviations of the simulated stack, and two backends that are no stack at all. They are
// what a conformance suite is tried on: each quirk must be caught by the requirement meant for it.
package quirk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
	"joinmcast/spec"
)

// Quirk is a deviation of the simulated stack.
type Quirk struct {
	Name     string
	Does     string         // what the stack does instead of what it should, in one line
	CaughtBy string         // the requirement that must fail
	Shows    []string       // of a defect of upstream's: the known issues that it is, by their ids
	Beside   string         // another quirk without which this one is not seen; empty: none
	On       spec.Transport // on which it shows; empty: on RoCEv2
	Note     string         // of a mutant: why another one has the same catchers; empty: none has
	apply    func(l *librdmacm.Deviations, k *kernel.Deviations)
}

// Names are what puts the quirk in so that it is seen: its own, and that of the one that it needs beside it.
func (q Quirk) Names() []string {
	if q.Beside == "" {
		return []string{q.Name}
	}
	return []string{q.Name, q.Beside}
}

// Shown is the transport that the quirk shows on.
func (q Quirk) Shown() spec.Transport { return cmp.Or(q.On, spec.RoCEv2) }

// Mutants are the quirks that are no known issue of upstream's, sorted by name.
func Mutants() []Quirk {
	return slices.DeleteFunc(All(), func(q Quirk) bool { return len(q.Shows) > 0 })
}

// Upstream gives the names of the quirks that some known issues are, as has tells by their ids. Which versions have an
// issue, the issue says.
func Upstream(has func(issue string) bool) []string {
	var names []string
	for _, q := range inUpstream {
		if slices.ContainsFunc(q.Shows, has) {
			names = append(names, q.Name)
		}
	}
	return names
}

// Without before a quirk's name takes the quirk out.
const Without = "-"

// Changed gives the names of some quirks with changes made to them: a name puts a quirk in, one with Without before it
// takes it out. What is not in cannot be taken out.
func Changed(names, changes []string) ([]string, error) {
	names = slices.Clone(names)
	for _, change := range changes {
		name, out := strings.CutPrefix(change, Without)
		i := slices.Index(names, name)
		switch {
		case !out:
			names = append(names, name)
		case i < 0:
			return nil, fmt.Errorf("quirk %q cannot be taken out, for it is not in; those that are: %s", name,
				strings.Join(names, ", "))
		default:
			names = slices.Delete(names, i, i+1)
		}
	}
	return names, nil
}

// Check refuses a name that is no quirk's, with an error that lists those that are.
func Check(name string) error {
	_, err := find(All(), name)
	return err
}

// All lists every quirk, sorted by name.
func All() []Quirk {
	all := slices.Concat(
		inLibrary, inKernel, ofAddress, ofBinding, ofMapping, ofDatagrams, ofLimits, ofEndings, inInfiniBand,
		ofAttach, ofEvents, ofLeave, ofJoinEx, ofSync, ofProcesses, ofIDs, inUpstream,
	)
	slices.SortFunc(all, func(a, b Quirk) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Apply gives the deviations of the named quirks, for the library and for the kernel. A name that is none is an error
// that lists the known ones.
func Apply(names []string) (l librdmacm.Deviations, k kernel.Deviations, err error) {
	all := All()
	for _, name := range names {
		q, err := find(all, name)
		if err != nil {
			return l, k, err
		}
		q.apply(&l, &k)
	}
	return l, k, nil
}

// kernelDoes makes the kernel alone deviate.
func kernelDoes(deviate func(*kernel.Deviations)) func(*librdmacm.Deviations, *kernel.Deviations) {
	return func(_ *librdmacm.Deviations, k *kernel.Deviations) { deviate(k) }
}

func find(all []Quirk, name string) (Quirk, error) {
	var known []string
	for _, q := range all {
		if q.Name == name {
			return q, nil
		}
		known = append(known, q.Name)
	}
	return Quirk{}, fmt.Errorf("no quirk is named %q; known: %s", name, strings.Join(known, ", "))
}

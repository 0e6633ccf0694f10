// Package quirk holds the named deviations of the simulated stack, and two backends that are no stack at all. They are
// what a conformance suite is tried on: each quirk must be caught by the requirement meant for it.
package quirk

import (
	"fmt"
	"slices"
	"strings"

	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// Quirk is a deviation of the simulated stack.
type Quirk struct {
	Name     string
	Does     string // what the stack does instead of what it should, in one line
	CaughtBy string // the requirement that must fail
	apply    func(l *librdmacm.Deviations, k *kernel.Deviations)
}

// Profiles of the simulated stack.
const (
	Upstream = "upstream" // what the versions it imitates do, their defects included
	Promise  = "promise"  // the same without the defects
)

// Of gives the names of a profile's quirks. A name that is no profile is an error that lists the profiles.
func Of(profile string) ([]string, error) {
	var names []string
	switch profile {
	case Promise:
	case Upstream:
		for _, q := range inUpstream {
			names = append(names, q.Name)
		}
	default:
		return nil, fmt.Errorf("no profile is named %q; known: %s, %s", profile, Promise, Upstream)
	}
	return names, nil
}

// All lists every quirk, sorted by name.
func All() []Quirk {
	all := slices.Concat(inLibrary, inKernel, inUpstream)
	slices.SortFunc(all, func(a, b Quirk) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Apply gives the deviations of the named quirks, for the library and for the kernel. A name that is none is an error
// that lists the known ones.
func Apply(names []string) (l librdmacm.Deviations, k kernel.Deviations, err error) {
	all := All()
	for _, name := range names {
		i := slices.IndexFunc(all, func(q Quirk) bool { return q.Name == name })
		if i < 0 {
			return l, k, fmt.Errorf("no quirk is named %q; known: %s", name, strings.Join(known(all), ", "))
		}
		all[i].apply(&l, &k)
	}
	return l, k, nil
}

func known(all []Quirk) []string {
	var names []string
	for _, q := range all {
		names = append(names, q.Name)
	}
	return names
}

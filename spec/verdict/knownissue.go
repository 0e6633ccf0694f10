package verdict

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"joinmcast/spec"
)

// KnownIssue is a named deviation of a stack from one requirement. It always runs, it matches on the symptom, and it
// ends: by its expiry, or by the stack's passing.
type KnownIssue struct {
	ID          string
	Requirement string
	During      string // of a requirement about what specs leave behind: whose specs leave it; empty: any
	Layer       spec.Layer
	When        When
	Symptom     Symptom
	Reference   string // where it is reported or discussed
	Owner       string // who is asked about it
	Added       time.Time
	Expires     time.Time // the last day on which it holds
	File        string    // it was read from
	Line        int
}

// When says which stacks have the issue; every field that is set must fit. At least one is.
type When struct {
	Target   string // a target's name, or a pattern such as "rxe-*"
	Driver   string // as in "rdma_rxe"
	Kernel   Range
	RDMACore Range
	RoCEMode string // as in "RoCE v2"
	Quirk    string // of a simulated stack
}

// String names the fields that are set, as in "driver rdma_rxe, kernel >=6.1".
func (w When) String() string {
	var parts []string
	for _, part := range []struct{ name, value string }{
		{"target", w.Target},
		{"driver", w.Driver},
		{"kernel", w.Kernel.String()},
		{"rdma-core", w.RDMACore.String()},
		{"RoCE mode", w.RoCEMode},
		{"quirk", w.Quirk},
	} {
		if part.value != "" {
			parts = append(parts, part.name+" "+part.value)
		}
	}
	return strings.Join(parts, ", ")
}

// Symptom is how the requirement fails: with which verdict, and which of the fields it observed had which value.
type Symptom struct {
	Verdict  Verdict // FAIL, HANG or CRASH
	Observed map[string]string
}

// String is the verdict and the fields with their values, as in "FAIL with errno EPERM".
func (s Symptom) String() string {
	var fields []string
	for _, field := range slices.Sorted(maps.Keys(s.Observed)) {
		fields = append(fields, field+" "+s.Observed[field])
	}
	if len(fields) == 0 {
		return string(s.Verdict)
	}
	return string(s.Verdict) + " with " + strings.Join(fields, ", ")
}

// Facts are what a When speaks about, of one stack.
type Facts struct {
	Target   string
	Driver   string
	Kernel   string // a release
	RDMACore string // a version
	RoCEMode string
	Quirks   []string // of a simulated stack, those that are on
}

// debianKernel finds the stable release in Debian's uname -v; its uname -r only counts ABI changes: the release
// 6.1.0-57-amd64 may be any 6.1.y.
var debianKernel = regexp.MustCompile(`\bDebian (\d+\.\d+\.\d+)-`)

// FactsOf takes the facts from an environment; its first host is the one under test.
func FactsOf(target string, env spec.Environment, quirks ...string) Facts {
	f := Facts{Target: target, Quirks: quirks}
	if len(env.Hosts) == 0 {
		return f
	}
	h := env.Hosts[0]
	f.Driver, f.Kernel, f.RDMACore, f.RoCEMode = h.Driver, h.KernelRelease, h.RDMACore, h.RoCEMode
	if m := debianKernel.FindStringSubmatch(h.KernelVersion); m != nil {
		f.Kernel = m[1]
	}
	return f
}

// Applies tells whether the stack with these facts has the issue. A fact that is not known fits nothing.
func (k KnownIssue) Applies(f Facts) bool {
	w := k.When
	if w.Target != "" {
		if ok, err := path.Match(w.Target, f.Target); err != nil || !ok {
			return false
		}
	}
	return (w.Driver == "" || w.Driver == f.Driver) &&
		(w.Kernel.IsZero() || w.Kernel.Contains(f.Kernel)) &&
		(w.RDMACore.IsZero() || w.RDMACore.Contains(f.RDMACore)) &&
		(w.RoCEMode == "" || w.RoCEMode == f.RoCEMode) &&
		(w.Quirk == "" || slices.Contains(f.Quirks, w.Quirk))
}

// Outcome is how a requirement was broken.
type Outcome struct {
	Requirement string
	During      string // of a requirement about what specs leave behind: the one whose spec left it
	Verdict     Verdict
	Observed    map[string]string
}

// Matches tells whether an outcome is exactly what the issue says. Fields that the symptom does not name may have any
// value.
func (k KnownIssue) Matches(o Outcome) bool { return k.concerns(o) && k.mismatch(o) == "" }

// concerns tells whether the issue speaks of what this outcome is about at all.
func (k KnownIssue) concerns(o Outcome) bool {
	return k.Requirement == o.Requirement && (k.During == "" || k.During == o.During)
}

// mismatch is the first thing in which the outcome differs from the symptom, "" when it fits.
func (k KnownIssue) mismatch(o Outcome) string {
	if o.Verdict == Error || o.Verdict != k.Symptom.Verdict {
		return fmt.Sprintf("its symptom is %s, the outcome is %s", k.Symptom.Verdict, o.Verdict)
	}
	for _, field := range slices.Sorted(maps.Keys(k.Symptom.Observed)) {
		want := k.Symptom.Observed[field]
		switch seen, ok := o.Observed[field]; {
		case !ok:
			return fmt.Sprintf("its symptom is %s %q, and %s was not observed", field, want, field)
		case seen != want:
			return fmt.Sprintf("its symptom is %s %q, the outcome is %q", field, want, seen)
		}
	}
	return ""
}

// Expired tells whether the issue's last day is over.
func (k KnownIssue) Expired(now time.Time) bool { return !now.Before(k.Expires.AddDate(0, 0, 1)) }

// DaysLeft is for how many days the issue still holds, today included; 0 when it has expired.
func (k KnownIssue) DaysLeft(now time.Time) int {
	if k.Expired(now) {
		return 0
	}
	return int(k.Expires.AddDate(0, 0, 1).Sub(now).Hours()/24) + 1
}

// Repair names the edit that repairs a FIXED requirement.
func (k KnownIssue) Repair() string {
	return fmt.Sprintf("remove entry %s from %s (line %d)", k.ID, k.File, k.Line)
}

// Issues is a list of known issues.
type Issues []KnownIssue

// Applying is those that a stack with these facts has.
func (is Issues) Applying(f Facts) Issues {
	var those Issues
	for _, k := range is {
		if k.Applies(f) {
			those = append(those, k)
		}
	}
	return those
}

// Of is those of one requirement.
func (is Issues) Of(requirement string) Issues {
	var those Issues
	for _, k := range is {
		if k.Requirement == requirement {
			those = append(those, k)
		}
	}
	return those
}

// Match gives the issue that an outcome shows, nil when it shows none of them. Why then says in what the outcome
// differs from each that speaks of it, and the edit to make if it is that issue all the same; empty when none does.
func (is Issues) Match(o Outcome) (issue *KnownIssue, why string) {
	var reasons []string
	for _, k := range is {
		if !k.concerns(o) {
			continue
		}
		mismatch := k.mismatch(o)
		if mismatch == "" {
			return &k, ""
		}
		reasons = append(reasons, fmt.Sprintf("known issue %s does not match: %s; if it is the same defect, "+
			"correct the symptom of entry %s in %s (line %d)", k.ID, mismatch, k.ID, k.File, k.Line))
	}
	return nil, strings.Join(reasons, "; ")
}

// ExpiryWarnings is a sentence for each issue that has expired.
func (is Issues) ExpiryWarnings(now time.Time) []string {
	var warnings []string
	for _, k := range is {
		if k.Expired(now) {
			warnings = append(warnings, fmt.Sprintf(
				"known issue %s expired on %s: ask %s, then remove it or renew its expiry (%s, line %d)",
				k.ID, k.Expires.Format(time.DateOnly), k.Owner, k.File, k.Line))
		}
	}
	return warnings
}

// Package verdict decides what the outcomes of specs mean: the verdict of a requirement, whether a failure is a known
// issue, and the status of a whole run. All of it is pure functions.
package verdict

import "slices"

// Verdict is what became of a spec, or of the requirement that its specs judge.
type Verdict string

// Verdicts.
const (
	Pass   Verdict = "PASS"
	Fail   Verdict = "FAIL"
	Known  Verdict = "KNOWN"  // failed exactly as a known issue says
	Fixed  Verdict = "FIXED"  // a known issue says that it fails, and it passed: the entry is to be removed
	Skip   Verdict = "SKIP"   // the stack or its host lacks a capability, with evidence
	NA     Verdict = "NA"     // the requirement does not speak of this transport; outside the count
	Hang   Verdict = "HANG"   // a call did not return
	Crash  Verdict = "CRASH"  // the application or the kernel under test died
	Error  Verdict = "ERROR"  // the suite itself failed; says nothing about the stack and is never KNOWN
	NotRun Verdict = "NOTRUN" // a filter left it out, or the run ended before
)

// bySeverity is every verdict, the gravest first. A crash outweighs a hang because the kernel may be hurt. ERROR
// outweighs FAIL because the failure beside it may be the suite's doing. SKIP and NOTRUN outweigh PASS because a
// requirement that is judged in part is not judged.
var bySeverity = []Verdict{Crash, Hang, Error, Fail, Fixed, Known, Skip, NotRun, Pass, NA}

// All is every verdict, the gravest first.
func All() []Verdict { return slices.Clone(bySeverity) }

// Valid tells whether v is one of the verdicts.
func (v Verdict) Valid() bool { return slices.Contains(bySeverity, v) }

// Red tells whether v makes a run fail, whatever the requirement's level.
func (v Verdict) Red() bool {
	switch v {
	case Crash, Hang, Error, Fail, Fixed:
		return true
	}
	return false
}

// Ran tells whether v says something about the stack: it was tried, and the suite could tell the outcome.
func (v Verdict) Ran() bool {
	switch v {
	case Pass, Fail, Known, Fixed, Hang, Crash:
		return true
	}
	return false
}

// Merge is the verdict of a requirement from those of its specs: the gravest, in the order CRASH, HANG, ERROR, FAIL,
// FIXED, KNOWN, SKIP, NOTRUN, PASS, NA. Of no specs it is NOTRUN, of a word that is no verdict ERROR: nothing is green
// by absence.
func Merge(specs ...Verdict) Verdict {
	if len(specs) == 0 {
		return NotRun
	}
	rank := func(v Verdict) int {
		if i := slices.Index(bySeverity, v); i >= 0 {
			return i
		}
		return slices.Index(bySeverity, Error)
	}
	gravest := rank(NA)
	for _, v := range specs {
		gravest = min(gravest, rank(v))
	}
	return bySeverity[gravest]
}

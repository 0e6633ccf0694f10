package diff

import (
	"joinmcast/reports"
	"joinmcast/spec/verdict"
)

// standing is a verdict as far as two runs are compared by it.
type standing int

const (
	holds    standing = iota // PASS; and FIXED, which is a PASS that a stale entry calls a known issue
	deviates                 // KNOWN
	fails                    // FAIL
	hangs                    // HANG
	crashes                  // CRASH
	unjudged                 // SKIP, ERROR, and NA for want of a detector: the stack or the suite could not tell
	outside                  // NA: the law does not ask this of such a stack
	absent                   // the report does not have it
)

// judged tells whether it says something about the stack.
func (s standing) judged() bool { return s <= crashes }

func standingOf(f reports.RequirementFinding) standing {
	switch f.Verdict {
	case verdict.Pass, verdict.Fixed:
		return holds
	case verdict.Known:
		return deviates
	case verdict.Fail:
		return fails
	case verdict.Hang:
		return hangs
	case verdict.Crash:
		return crashes
	case verdict.NA:
		if f.Skip == nil || f.Skip.Code != reports.SkipDetector {
			return outside
		}
		return unjudged
	case "":
		return absent
	}
	return unjudged // SKIP and ERROR; NOTRUN is not compared
}

// none is no difference: neither report says anything about the stack.
const none Class = ""

// transitions is the class of each pair. Five rules made it:
//
//   - Worse is REGRESSED, from holds over deviates, fails and hangs to crashes, and so is a failure where the stack
//     could not be judged before: what is red for the first time is not to be called progress. A deviation that has
//     become a known issue (PASS, then KNOWN) is one like any other; its entry announces it only where stacks differ.
//   - What holds where it did not is FIXED. Less bad (HANG, then FAIL; FAIL, then KNOWN) is not: it is CHANGED.
//   - What was judged and cannot be is LOST, also by a fault of the suite; the other way round it is GAINED.
//   - What the law asks of one stack and not of the other (another transport, or a requirement that is new) is NEW or
//     GONE, whatever the verdict: a law that grew is no stack that shrank, and its own report is red if it fails.
//   - On the diagonal only what was observed can differ.
var transitions = [...][8]Class{
	//          holds   deviates fails      hangs      crashes    unjudged outside absent
	holds:    {Changed, Regressed, Regressed, Regressed, Regressed, Lost, Gone, Gone},
	deviates: {Fixed, Changed, Regressed, Regressed, Regressed, Lost, Gone, Gone},
	fails:    {Fixed, Changed, Changed, Regressed, Regressed, Lost, Gone, Gone},
	hangs:    {Fixed, Changed, Changed, Changed, Regressed, Lost, Gone, Gone},
	crashes:  {Fixed, Changed, Changed, Changed, Changed, Lost, Gone, Gone},
	unjudged: {Gained, Gained, Regressed, Regressed, Regressed, none, none, Gone},
	outside:  {New, New, New, New, New, none, none, none},
	absent:   {New, New, New, New, New, New, none, none},
}

func transition(a, b standing) Class { return transitions[a][b] }

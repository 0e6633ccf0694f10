package diff

import (
	"fmt"
	"slices"
	"strings"

	"joinmcast/reports"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// stacks says in what two stacks differ, as far as the law's field varies and known issues can speak of it.
type stacks struct {
	kernels   bool // of another release series: 6.1 is one
	libraries bool // rdma-core of another version
	others    bool // transport or driver
}

func stacksOf(a, b *reports.Report) stacks {
	x, y := verdict.FactsOf(a.Target, a.Environment), verdict.FactsOf(b.Target, b.Environment)
	return stacks{
		kernels:   verdict.Series(x.Kernel) != verdict.Series(y.Kernel),
		libraries: verdict.Series(x.RDMACore) != verdict.Series(y.RDMACore),
		others:    a.Environment.Transport != b.Environment.Transport || x.Driver != y.Driver,
	}
}

// differIn tells whether the stacks differ in what an item of varies begins with.
func (s stacks) differIn(item string) bool {
	by, _, _ := strings.Cut(item, ":")
	switch by {
	case "kernel":
		return s.kernels
	case "rdma-core":
		return s.libraries
	case "transport", "fabric", "driver":
		return s.others
	}
	return false
}

// announced is what says beforehand that these two stacks give other answers, or "". A hang or a crash is no answer,
// and neither is what could not be judged. A known issue announces where the stacks differ: A passed only because the
// entry does not fit it.
func (c comparison) announced(change Change, q catalogue.Requirement) string {
	answers := []verdict.Verdict{verdict.Pass, verdict.Fixed, verdict.Known, verdict.Fail}
	if !slices.Contains(answers, change.B) || change.Class != Regressed && change.Class != Changed {
		return ""
	}
	for _, item := range q.Varies {
		if c.stacks.differIn(item) {
			return "the law, which varies by " + item
		}
	}
	if change.B == verdict.Known && change.A == verdict.Pass && c.stacks != (stacks{}) {
		return fmt.Sprintf("known issue %s", change.KnownIssue)
	}
	return ""
}

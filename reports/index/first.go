package index

import (
	"fmt"
	"slices"

	"joinmcast/reports/diff"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// advice is one thing to do about a run.
type advice struct {
	Word any    // what it is about: a verdict, a status, or the class of a change
	Text string // one sentence
	IDs  []string
	More int // ids that are not listed
}

// idsShown is how many requirements an advice names.
const idsShown = 8

// named shortens the list of ids of each advice, and keeps how many there were.
func named(all []advice) []advice {
	for i := range all {
		a := &all[i]
		a.More = max(0, len(a.IDs)-idsShown)
		a.IDs = a.IDs[:len(a.IDs)-a.More]
	}
	return all
}

// IsChange tells whether the word is the class of a change.
func (a advice) IsChange() bool {
	_, is := a.Word.(diff.Class)
	return is
}

// adviceShown is how many the page lists.
const adviceShown = 9

// soon is how many days before its expiry a known issue asks for attention.
const soon = 30

// first is what to do, the most urgent first: what makes the run worthless, what no longer is as it was, what breaks
// the law, what the files of known issues say wrongly, what was not judged, what will soon be in question.
func first(v *view) []advice {
	var all []advice
	if v.Summary.Status == verdict.NotQualified {
		all = append(all, advice{Word: v.Summary.Status, Text: "Mend the run itself: " + v.Summary.Reason + "."})
	}
	all = append(all, errors(v)...)
	all = append(all, regressed(v)...)
	all = append(all, broken(v)...)
	all = append(all, entries(v)...)
	all = append(all, unjudged(v)...)
	if v.Summary.Status == verdict.Selection {
		all = append(all, advice{Word: v.Summary.Status, Text: "Run without a filter: a selection is no certificate."})
	}
	return named(all)
}

// each calls f with every requirement.
func (v *view) each(f func(*requirement)) {
	for _, c := range v.Chapters {
		for _, q := range c.Requirements {
			f(q)
		}
	}
}

// idsOf are the requirements that fit.
func (v *view) idsOf(fits func(*requirement) bool) []string {
	var ids []string
	v.each(func(q *requirement) {
		if fits(q) {
			ids = append(ids, q.ID)
		}
	})
	return ids
}

func errors(v *view) []advice {
	ids := v.idsOf(func(q *requirement) bool { return q.Verdict == verdict.Error })
	if ids == nil {
		return nil
	}
	text := fmt.Sprintf("Mend the suite or its target, which could not judge %s.", number(len(ids), "requirement"))
	return []advice{{Word: verdict.Error, Text: text, IDs: ids}}
}

func regressed(v *view) []advice {
	ids := v.idsOf(func(q *requirement) bool { return q.Change != nil && q.Change.Class == diff.Regressed })
	if ids == nil {
		return nil
	}
	text := fmt.Sprintf("Find what changed since the baseline: %s worse.",
		number(len(ids), "requirement is", "requirements are"))
	return []advice{{Word: diff.Regressed, Text: text, IDs: ids}}
}

// broken are the red requirements that lean on no other, by how bad that is, and who mends it.
func broken(v *view) []advice {
	leaning := map[string]int{}
	v.each(func(q *requirement) {
		if q.BlockedBy != "" && q.Verdict.Red() {
			leaning[q.BlockedBy]++
		}
	})
	var all []advice
	for _, level := range spec.Levels() {
		for _, found := range []struct {
			verdict   verdict.Verdict
			one, many string
		}{
			{verdict.Crash, "crashes its caller", "crash their caller"},
			{verdict.Hang, "never returns", "never return"},
			{verdict.Fail, "is broken", "are broken"},
		} {
			for _, layer := range spec.Layers() {
				others := 0
				ids := v.idsOf(func(q *requirement) bool {
					fits := q.Verdict == found.verdict && q.Level == level && q.Layer == layer && q.BlockedBy == ""
					if fits {
						others += leaning[q.ID]
					}
					return fits
				})
				if ids == nil {
					continue
				}
				text := fmt.Sprintf("Mend %s: %d %s %s", layer, len(ids), level, plural(len(ids), found.one, found.many))
				if others > 0 {
					text += fmt.Sprintf(", and %s on %s", number(others, "other leans", "others lean"),
						plural(len(ids), "it", "them"))
				}
				all = append(all, advice{Word: found.verdict, Text: text + ".", IDs: ids})
			}
		}
	}
	return all
}

// entries are the known issues whose entry is no longer right, or soon will be in question.
func entries(v *view) []advice {
	var fixed, expired, expiring []advice
	for _, k := range v.Issues {
		ids := []string{k.Requirement}
		switch {
		case k.Verdict == verdict.Fixed:
			text := fmt.Sprintf("Remove the entry %s from %s: the stack no longer has it.", k.ID, k.At)
			fixed = append(fixed, advice{Word: k.Verdict, Text: text, IDs: ids})
		case k.Days == 0:
			text := fmt.Sprintf("Ask %s about %s, which expired on %s; then remove its entry or renew it (%s).",
				k.Owner, k.ID, k.Expires, k.At)
			expired = append(expired, advice{Word: k.Verdict, Text: text, IDs: ids})
		case k.Days <= soon:
			text := fmt.Sprintf("Ask %s about %s, which expires in %s (%s).", k.Owner, k.ID, number(k.Days, "day"), k.At)
			expiring = append(expiring, advice{Word: k.Verdict, Text: text, IDs: ids})
		}
	}
	return slices.Concat(fixed, expired, expiring)
}

// unjudged are the MUST that were skipped.
func unjudged(v *view) []advice {
	musts := map[string]bool{}
	v.each(func(q *requirement) { musts[q.ID] = q.Level == spec.Must })
	var all []advice
	for _, s := range v.Skips {
		if s.Verdict != verdict.Skip {
			continue
		}
		var ids []string
		for _, id := range s.IDs {
			if musts[id] {
				ids = append(ids, id)
			}
		}
		if ids != nil {
			text := fmt.Sprintf("Give the stack %s, without which %d MUST %s not judged: %s.",
				s.Code, len(ids), plural(len(ids), "was", "were"), s.Evidence)
			all = append(all, advice{Word: verdict.Skip, Text: text, IDs: ids})
		}
	}
	return all
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// number is a count with its noun, whose plural is formed by an s unless it is given.
func number(n int, one string, many ...string) string {
	words := one + "s"
	if len(many) > 0 {
		words = many[0]
	}
	return fmt.Sprintf("%d %s", n, plural(n, one, words))
}

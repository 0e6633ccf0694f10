// Package mutants judges the suite by wrong stacks, each of which has one deviation: whether every one is caught by the
// requirement that is meant to catch it, and whether every requirement catches one.
package mutants

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// What the project has set itself.
const (
	atLeast     = 80 // mutants
	ofAChapter  = 4  // that its requirements are meant to catch, at least
	noCatchers  = "nothing"
	noteMissing = "the same catchers as %s, and no note says why"
)

// Mutant is a wrong stack, and what the suite said of it.
type Mutant struct {
	Name   string         `json:"name"`
	Does   string         `json:"does"`
	On     spec.Transport `json:"on"`
	Meant  string         `json:"meant"`          // the requirement that must catch it
	Note   string         `json:"note,omitempty"` // why it has the same catchers as another mutant
	Caught []string       `json:"caught"`         // the requirements that did, in the catalogue's order
}

// Catchers are the requirements that a report of a wrong stack finds violated by an assertion of their own: not because
// a step that leads up to it failed, nor because the harness did.
func Catchers(r *reports.Report) []string {
	var ids []string
	for _, q := range r.Requirements {
		if q.Verdict.Red() && q.Verdict != verdict.Error && q.BlockedBy == "" {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// Table is every mutant with its catchers, and what is wrong with the suite as they show it.
type Table struct {
	Mutants  []Mutant `json:"mutants"`
	Problems []string `json:"problems"` // a sentence each
	NotOwed  []string `json:"not_owed"` // MUSTs and ISs that no unmutated stack could be judged by
}

// Judge puts mutants into a table. Intact are the reports of the stacks that they are mutants of, one a transport: what
// passes there must catch a mutant.
func Judge(mutants []Mutant, intact []*reports.Report) Table {
	mutants = slices.SortedFunc(slices.Values(mutants), func(a, b Mutant) int {
		return cmp.Or(cmp.Compare(a.Meant, b.Meant), cmp.Compare(a.Name, b.Name))
	})
	t := Table{Mutants: mutants, Problems: []string{}, NotOwed: []string{}}
	if n := len(mutants); n < atLeast {
		t.problem("there are %d mutants, and at least %d are wanted", n, atLeast)
	}
	for _, m := range mutants {
		if !slices.Contains(m.Caught, m.Meant) {
			t.problem("%s is caught by %s, and not by %s, which is meant to", m.Name,
				cmp.Or(strings.Join(m.Caught, ", "), noCatchers), m.Meant)
		}
	}
	t.chapters(intact)
	t.twins()
	t.killers(intact)
	return t
}

func (t *Table) problem(format string, args ...any) {
	t.Problems = append(t.Problems, fmt.Sprintf(format, args...))
}

// chapters wants some mutants of each.
func (t *Table) chapters(intact []*reports.Report) {
	meant := map[string]int{}
	for _, m := range t.Mutants {
		meant[chapterOf(m.Meant)]++
	}
	for _, r := range intact {
		for _, q := range r.Requirements {
			if _, ok := meant[chapterOf(q.ID)]; !ok {
				meant[chapterOf(q.ID)] = 0
			}
		}
	}
	for _, chapter := range slices.Sorted(maps.Keys(meant)) {
		if n := meant[chapter]; n < ofAChapter {
			t.problem("chapter %s is meant to catch %d mutants, and at least %d are wanted", chapter, n, ofAChapter)
		}
	}
}

// chapterOf is EVT of JM-EVT-03.
func chapterOf(id string) string {
	_, rest, _ := strings.Cut(id, "-")
	chapter, _, _ := strings.Cut(rest, "-")
	return chapter
}

// twins wants a note from all but one of those that have the same catchers, and no note from others.
func (t *Table) twins() {
	alike := map[string][]Mutant{}
	var sets []string
	for _, m := range t.Mutants {
		set := string(m.On) + " " + strings.Join(m.Caught, " ")
		if alike[set] == nil {
			sets = append(sets, set)
		}
		alike[set] = append(alike[set], m)
	}
	for _, set := range sets {
		silent := slices.DeleteFunc(slices.Clone(alike[set]), func(m Mutant) bool { return m.Note != "" })
		for _, m := range silent[min(1, len(silent)):] {
			t.problem("%s has "+noteMissing, m.Name, silent[0].Name)
		}
		if m := alike[set][0]; len(alike[set]) == 1 && m.Note != "" {
			t.problem("%s has catchers that no other has: its note is to be removed", m.Name)
		}
	}
}

// killers wants a mutant for every MUST and IS that passes on some intact stack.
func (t *Table) killers(intact []*reports.Report) {
	caught := map[string]bool{}
	for _, m := range t.Mutants {
		for _, id := range m.Caught {
			caught[id] = true
		}
	}
	passes := map[string]bool{}
	for _, r := range intact {
		for _, q := range r.Requirements {
			passes[q.ID] = passes[q.ID] || q.Verdict == verdict.Pass
		}
	}
	for _, q := range intact[0].Requirements {
		owed := q.Level == spec.Must || q.Level == spec.Is
		switch {
		case !owed || caught[q.ID]:
		case passes[q.ID]:
			t.problem("%s catches no mutant: %s", q.ID, q.Says)
		default:
			t.NotOwed = append(t.NotOwed, q.ID)
		}
	}
}

// Markdown is the table as a page.
func (t Table) Markdown() string {
	var page strings.Builder
	fmt.Fprintf(&page, "# %d mutants\n\n| mutant | does | meant to catch it | others that do | |\n|---|---|---|---|---|\n",
		len(t.Mutants))
	for _, m := range t.Mutants {
		others := slices.DeleteFunc(slices.Clone(m.Caught), func(id string) bool { return id == m.Meant })
		outcome := "caught"
		if len(others) == len(m.Caught) {
			outcome = "SURVIVED"
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %s | %s |\n", m.Name, m.Does, m.Meant, strings.Join(others, ", "), outcome)
	}
	for _, m := range t.Mutants {
		if m.Note != "" {
			fmt.Fprintf(&page, "\n%s: %s.\n", m.Name, m.Note)
		}
	}
	if len(t.NotOwed) > 0 {
		fmt.Fprintf(&page, "\nNo simulated stack can be judged by %s.\n", strings.Join(t.NotOwed, ", "))
	}
	for _, p := range t.Problems {
		fmt.Fprintf(&page, "\n* %s\n", p)
	}
	return page.String()
}

// String is a line: the mutant, what is meant to catch it, and what does.
func (m Mutant) String() string {
	others := len(m.Caught) - 1
	if !slices.Contains(m.Caught, m.Meant) {
		return fmt.Sprintf("%-28s SURVIVED %s; caught by %s", m.Name, m.Meant,
			cmp.Or(strings.Join(m.Caught, ", "), noCatchers))
	}
	return fmt.Sprintf("%-28s caught by %s and %d others", m.Name, m.Meant, others)
}

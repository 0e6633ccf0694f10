package mutants_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/reports/mutants"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// passing is a report of an intact stack whose requirements are MUSTs and pass.
func passing(ids ...string) *reports.Report {
	r := &reports.Report{}
	for _, id := range ids {
		r.Requirements = append(r.Requirements, reports.RequirementFinding{
			ID: id, Level: spec.Must, Says: "it holds.", Verdict: verdict.Pass,
		})
	}
	return r
}

// many are enough mutants of one chapter, of which each has catchers of its own, and the requirements that catch them.
func many() (all []mutants.Mutant, ids []string) {
	for n := range 80 {
		id := fmt.Sprintf("JM-LV-%02d", n+1)
		all, ids = append(all, mutants.Mutant{Name: "m" + id, Meant: id, Caught: []string{id}}), append(ids, id)
	}
	return all, ids
}

func TestSuiteThatCatchesEachMutantHasNoProblem(t *testing.T) {
	all, ids := many()
	NewWithT(t).Expect(mutants.Judge(all, []*reports.Report{passing(ids...)}).Problems).To(BeEmpty())
}

func TestEachWayNotToProveItselfIsAProblem(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(all []mutants.Mutant, intact *reports.Report) []mutants.Mutant
		wants []string
	}{
		"a mutant that nothing catches": {
			func(all []mutants.Mutant, _ *reports.Report) []mutants.Mutant {
				all[3].Caught = nil
				return all
			},
			[]string{
				"mJM-LV-04 is caught by nothing, and not by JM-LV-04, which is meant to",
				"JM-LV-04 catches no mutant: it holds.",
			},
		},
		"a mutant that another requirement catches": {
			func(all []mutants.Mutant, _ *reports.Report) []mutants.Mutant {
				all[3].Caught, all[4].Caught = []string{"JM-LV-05", "JM-LV-06"}, []string{"JM-LV-04", "JM-LV-05"}
				return all
			},
			[]string{"mJM-LV-04 is caught by JM-LV-05, JM-LV-06, and not by JM-LV-04, which is meant to"},
		},
		"two mutants with the same catchers": {
			func(all []mutants.Mutant, _ *reports.Report) []mutants.Mutant {
				return append(all, mutants.Mutant{Name: "twin", Meant: "JM-LV-04", Caught: []string{"JM-LV-04"}})
			},
			[]string{"twin has the same catchers as mJM-LV-04, and no note says why"},
		},
		"a note about nothing": {
			func(all []mutants.Mutant, _ *reports.Report) []mutants.Mutant {
				all[3].Note = "both lose it"
				return all
			},
			[]string{"mJM-LV-04 has catchers that no other has: its note is to be removed"},
		},
		"too few mutants": {
			func(all []mutants.Mutant, intact *reports.Report) []mutants.Mutant {
				intact.Requirements = intact.Requirements[1:]
				return all[1:]
			},
			[]string{"there are 79 mutants, and at least 80 are wanted"},
		},
		"a chapter with too few": {
			func(all []mutants.Mutant, intact *reports.Report) []mutants.Mutant {
				intact.Requirements = append(intact.Requirements, passing("JM-EVT-01").Requirements...)
				return append(all, mutants.Mutant{Name: "early", Meant: "JM-EVT-01", Caught: []string{"JM-EVT-01"}})
			},
			[]string{"chapter EVT is meant to catch 1 mutants, and at least 4 are wanted"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, ids := many()
			intact := passing(ids...)
			all = c.spoil(all, intact)
			NewWithT(t).Expect(mutants.Judge(all, []*reports.Report{intact}).Problems).To(Equal(c.wants))
		})
	}
}

// What no intact stack passes could catch nothing.
func TestRequirementThatAppliesToNoStackOwesNoMutant(t *testing.T) {
	g := NewWithT(t)
	all, ids := many()
	intact := passing(ids...)
	intact.Requirements = append(intact.Requirements, reports.RequirementFinding{
		ID: "JM-LV-99", Level: spec.Must, Verdict: verdict.NA,
	})

	table := mutants.Judge(all, []*reports.Report{intact})

	g.Expect(table.Problems).To(BeEmpty())
	g.Expect(table.NotOwed).To(Equal([]string{"JM-LV-99"}))
}

func TestCatchersFailByAnAssertionOfTheirOwn(t *testing.T) {
	r := passing("JM-LV-01", "JM-LV-02", "JM-LV-03", "JM-LV-04", "JM-LV-05")
	r.Requirements[1].Verdict = verdict.Fail
	r.Requirements[2].Verdict, r.Requirements[2].BlockedBy = verdict.Fail, "JM-LV-02"
	r.Requirements[3].Verdict = verdict.Error
	r.Requirements[4].Verdict = verdict.Hang
	NewWithT(t).Expect(mutants.Catchers(r)).To(Equal([]string{"JM-LV-02", "JM-LV-05"}))
}

func TestTableNamesWhatSurvives(t *testing.T) {
	g := NewWithT(t)
	table := mutants.Judge([]mutants.Mutant{
		{Name: "kept", Does: "keeps it", Meant: "JM-LV-01", Caught: []string{"JM-LV-01", "JM-LV-02"}},
		{Name: "lost", Does: "loses it", Meant: "JM-LV-03"},
	}, []*reports.Report{passing("JM-LV-01", "JM-LV-02", "JM-LV-03")})
	g.Expect(table.Markdown()).To(ContainSubstring("| kept | keeps it | JM-LV-01 | JM-LV-02 | caught |\n"))
	g.Expect(table.Markdown()).To(ContainSubstring("| lost | loses it | JM-LV-03 |  | SURVIVED |\n"))
}

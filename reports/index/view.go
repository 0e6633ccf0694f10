package index

import (
	"os"
	"path/filepath"
	"slices"

	"joinmcast/reports"
	"joinmcast/reports/diff"
	"joinmcast/reports/page"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// view is what the template shows.
type view struct {
	*reports.Report
	Headline   string
	Conclusion string
	First      []advice
	MoreAdvice int
	Layers     []layer
	Levels     []level
	Chapters   []*chapter
	Marks      []verdict.Verdict // that the page has, for its key
	Filters    *page.Filters
	Skips      []skips
	Issues     []issue
	Hosts      *hosts
	Files      []string // of the run's folder
	Baseline   string   // what the run is compared with
}

// layer is one part of the stack, with the verdicts of its requirements.
type layer struct {
	Name   spec.Layer
	Status any // a status, or NA where no requirement of the layer applies
	Counts []count
}

// level is one level of the law, with the verdicts of its requirements.
type level struct {
	Name   spec.Level
	Counts []count
}

// count is how many requirements have a verdict.
type count struct {
	Verdict verdict.Verdict
	N       int
}

// chapter is one chapter of the law.
type chapter struct {
	Code, Title  string
	Requirements []*requirement
	Counts       []count
}

// skips are requirements that were not judged for one reason.
type skips struct {
	Verdict  verdict.Verdict
	Code     string
	Evidence string
	IDs      []string
}

// issue is a known issue of the run.
type issue struct {
	reports.KnownIssue
	Verdict verdict.Verdict // of the spec that shows it, or should
	Days    int             // that it still holds
}

func (r Run) view() (*view, error) {
	law, err := catalogue.Load()
	if err != nil {
		return nil, err
	}
	v := &view{Report: r.Report, Headline: reports.Headline(r.Report), Conclusion: reports.Conclusion(r.Report)}
	v.Issues = r.issues()
	changes := map[string]*diff.Change{}
	if r.Baseline != nil {
		compared := diff.Compare(r.Baseline, r.Report, law.Find)
		v.Baseline = compared.A
		for i, c := range compared.Changes {
			changes[c.ID] = &compared.Changes[i]
		}
	}
	evidence, err := r.evidence()
	if err != nil {
		return nil, err
	}
	v.Chapters = chapters(r.Report.Requirements, titles(law), func(f reports.RequirementFinding) *requirement {
		return evidence.requirement(f, changes[f.ID], v.Issues)
	})
	v.Layers, v.Levels = layers(r.Report), levels(r.Report)
	v.Skips = skipped(r.Report.Requirements)
	v.Filters = filters(v.Chapters, r.Baseline != nil)
	v.First = first(v)
	v.First, v.MoreAdvice = v.First[:min(len(v.First), adviceShown)], max(0, len(v.First)-adviceShown)
	for _, c := range counts(r.Report.Summary.Counts) {
		v.Marks = append(v.Marks, c.Verdict)
	}
	v.Hosts, v.Files = hostsOf(r.Report.Environment), r.files()
	return v, nil
}

func titles(law *catalogue.Catalogue) map[string]string {
	named := map[string]string{}
	for _, c := range law.Chapters() {
		named[c.Code] = c.Title
	}
	return named
}

func chapters(
	findings []reports.RequirementFinding, titles map[string]string, show func(reports.RequirementFinding) *requirement,
) []*chapter {
	var all []*chapter
	byCode := map[string]*chapter{}
	for _, f := range findings {
		c := byCode[f.Chapter]
		if c == nil {
			c = &chapter{Code: f.Chapter, Title: titles[f.Chapter]}
			byCode[f.Chapter] = c
			all = append(all, c)
		}
		c.Requirements = append(c.Requirements, show(f))
	}
	for _, c := range all {
		n := map[verdict.Verdict]int{}
		for _, q := range c.Requirements {
			n[q.Verdict]++
		}
		c.Counts = counts(n)
	}
	return all
}

// counts are those that are not 0: first what passed, then the rest by gravity.
func counts(n map[verdict.Verdict]int) []count {
	order := append([]verdict.Verdict{verdict.Pass}, verdict.All()...)
	var all []count
	for i, v := range order {
		if n[v] > 0 && (i == 0 || v != verdict.Pass) {
			all = append(all, count{v, n[v]})
		}
	}
	return all
}

// applying are the counts without what does not apply, which is outside every total.
func applying(n map[verdict.Verdict]int) []count {
	return slices.DeleteFunc(counts(n), func(c count) bool { return c.Verdict == verdict.NA })
}

func layers(r *reports.Report) []layer {
	var all []layer
	for _, name := range spec.Layers() {
		status, ok := r.Summary.Layers[name]
		if !ok {
			continue
		}
		n := map[verdict.Verdict]int{}
		for _, f := range r.Requirements {
			if f.Layer == name {
				n[f.Verdict]++
			}
		}
		shown := layer{name, status, applying(n)}
		if len(shown.Counts) == 0 {
			shown.Status, shown.Counts = verdict.NA, counts(n)
		}
		all = append(all, shown)
	}
	return all
}

func levels(r *reports.Report) []level {
	var all []level
	for _, name := range spec.Levels() {
		if n := applying(r.Summary.Levels[name]); len(n) > 0 {
			all = append(all, level{name, n})
		}
	}
	return all
}

func skipped(findings []reports.RequirementFinding) []skips {
	var all []skips
	for _, f := range findings {
		if f.Skip == nil || f.Verdict != verdict.Skip && f.Verdict != verdict.NA {
			continue
		}
		i := slices.IndexFunc(all, func(s skips) bool {
			return s.Verdict == f.Verdict && s.Code == f.Skip.Code && s.Evidence == f.Skip.Evidence
		})
		if i < 0 {
			i = len(all)
			all = append(all, skips{f.Verdict, f.Skip.Code, f.Skip.Evidence, nil})
		}
		all[i].IDs = append(all[i].IDs, f.ID)
	}
	slices.SortStableFunc(all, func(a, b skips) int { // what was skipped before what does not apply
		return slices.Index(verdict.All(), a.Verdict) - slices.Index(verdict.All(), b.Verdict)
	})
	return all
}

func (r Run) issues() []issue {
	verdicts := map[string]verdict.Verdict{}
	for _, f := range r.Report.Requirements {
		for _, s := range f.Specs {
			verdicts[s.KnownIssue] = s.Verdict
		}
	}
	var all []issue
	for _, k := range r.Report.KnownIssues {
		all = append(all, issue{k, verdicts[k.ID], k.DaysLeft(r.Now)})
	}
	return all
}

// filters are the facets that the page can be narrowed by, each with the values that occur.
func filters(chapters []*chapter, compared bool) *page.Filters {
	f := &page.Filters{Of: "requirements"}
	n := map[string]map[string]int{"verdict": {}, "level": {}, "layer": {}, "change": {}}
	for _, c := range chapters {
		f.Total += len(c.Requirements)
		for _, q := range c.Requirements {
			n["verdict"][string(q.Verdict)]++
			n["level"][string(q.Level)]++
			n["layer"][string(q.Layer)]++
			if q.Change != nil {
				n["change"][string(q.Change.Class)]++
			}
		}
	}
	f.Facets = []page.Facet{
		facet("verdict", n, verdict.All()), facet("level", n, spec.Levels()), facet("layer", n, spec.Layers()),
	}
	if compared {
		f.Facets = append(f.Facets, facet("change", n, diff.Classes()))
	}
	return f
}

func facet[T ~string](name string, n map[string]map[string]int, order []T) page.Facet {
	f := page.Facet{Name: name}
	for _, value := range order {
		if count := n[name][string(value)]; count > 0 {
			f.Values = append(f.Values, page.Value{Name: string(value), Count: count})
		}
	}
	return f
}

// files are those of the run's folder that a reader may want.
func (r Run) files() []string {
	var there []string
	for _, name := range []string{reports.JSONFile, reports.MarkdownFile, reports.JUnitFile, reports.TraceFile} {
		if _, err := os.Stat(filepath.Join(r.Dir, name)); err == nil {
			there = append(there, name)
		}
	}
	return there
}

package reports

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"joinmcast/reports/md"
	"joinmcast/spec/verdict"
)

// What report.md holds at most: what a pull request shows of it is bounded, and report.json has all.
const (
	markdownReds  = 20
	markdownTrace = 15
)

// WriteMarkdown writes report.md into dir, which it makes if need be: for a pull request, the status and a table of
// what is red; known issues, what was skipped and the calls of what is red are collapsed.
func (r *Report) WriteMarkdown(dir string) error {
	return WriteFile(filepath.Join(dir, MarkdownFile), []byte(r.markdown()))
}

func (r *Report) markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "**%s**: %s\n\n%s\n", r.Summary.Status, md.Escape(Conclusion(r)), md.Escape(Headline(r)))
	for _, warning := range r.Warnings {
		fmt.Fprintf(&text, "\n**Warning**: %s\n", md.Escape(warning))
	}
	reds := redOnes(r)
	more := len(reds) - markdownReds
	reds = reds[:min(markdownReds, len(reds))]
	var rows [][]string
	for _, f := range reds {
		rows = append(rows, redRow(f))
	}
	text.WriteString(md.Table([]string{"verdict", "requirement", "it says", "expected", "seen", "rerun"}, rows))
	if more > 0 {
		fmt.Fprintf(&text, "\nand %d more red requirements, all of them in %s\n", more, JSONFile)
	}
	for _, f := range reds {
		text.WriteString(md.Details(fmt.Sprintf("%s %s: why, and its calls", f.Verdict, f.ID), redDetails(f)))
	}
	if rows := knownRows(r); len(rows) > 0 {
		text.WriteString(md.Details(fmt.Sprintf("known issues: %d", len(rows)),
			md.Table([]string{"requirement", "known issue", "it says"}, rows)))
	}
	if rows := skipRows(r); len(rows) > 0 {
		text.WriteString(md.Details(fmt.Sprintf("skipped: %d", r.Summary.Counts[verdict.Skip]),
			md.Table([]string{"lacking", "evidence", "requirements"}, rows)))
	}
	return text.String()
}

// redRow is the requirement with its first red spec.
func redRow(f RequirementFinding) []string {
	spec := redSpec(f)
	why := cmp.Or(spec.Failure, &Failure{})
	return []string{
		string(f.Verdict), fmt.Sprintf("%s\n%s, %s", f.ID, f.Level, f.Layer), f.Says,
		why.Expected, cmp.Or(why.Seen, why.Message), spec.Rerun,
	}
}

func redSpec(f RequirementFinding) SpecFinding {
	if i := slices.IndexFunc(f.Specs, func(s SpecFinding) bool { return s.Verdict.Red() }); i >= 0 {
		return f.Specs[i]
	}
	return SpecFinding{}
}

func redDetails(f RequirementFinding) string {
	var text strings.Builder
	item := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, "* %s: %s\n", name, md.Escape(value))
		}
	}
	text.WriteByte('\n')
	item("source", f.Source)
	item("blocked by", f.BlockedBy)
	spec := redSpec(f)
	item("spec", spec.Text)
	if why := spec.Failure; why != nil {
		item("why", why.Message)
		item("at", why.Location)
		item("not known", why.NotKnown)
		item("in C", strings.Join(why.Programs, " "))
		if trace := why.Trace[max(0, len(why.Trace)-markdownTrace):]; len(trace) > 0 {
			text.WriteString(md.Code(strings.Join(trace, "\n")))
		}
	}
	return text.String()
}

func knownRows(r *Report) [][]string {
	var rows [][]string
	for _, f := range r.Requirements {
		if f.Verdict == verdict.Known {
			rows = append(rows, []string{f.ID, strings.Join(f.KnownIssues(), "\n"), f.Says})
		}
	}
	return rows
}

// skipRows is a row for each reason to skip, with all that it stopped.
func skipRows(r *Report) [][]string {
	var rows [][]string
	at := map[Skipped]int{}
	for _, f := range r.Requirements {
		if f.Verdict != verdict.Skip {
			continue
		}
		why := *cmp.Or(f.Skip, &Skipped{Code: "without a reason"})
		if _, seen := at[why]; !seen {
			at[why] = len(rows)
			rows = append(rows, []string{why.Code, why.Evidence, ""})
		}
		row := rows[at[why]]
		row[2] = strings.TrimSpace(row[2] + " " + f.ID)
	}
	return rows
}

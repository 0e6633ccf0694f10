package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"joinmcast/spec/verdict"
)

// SummaryOptions say how Summary writes.
type SummaryOptions struct {
	Width   int  // of a line, in columns; 0 is 80
	Color   bool // beside the words, never instead of them
	Slowest bool // list the slowest specs
}

// Summary writes the report for a person: what was judged, a line a chapter, every red requirement with its sentence,
// its source, what was expected and seen and how to repeat it, and the status as the last line. A green one of up to
// 18 chapters fits a screen of 24 lines.
func Summary(w io.Writer, r *Report, o SummaryOptions) error {
	s := summary{width: cmp.Or(o.Width, 80), paint: palette(o.Color)}
	s.line("", Headline(r))
	s.chapters(r)
	s.known(r)
	s.skipped(r)
	if reds := redOnes(r); len(reds) > 0 {
		for _, f := range reds {
			s.red(f)
		}
		s.text.WriteByte('\n')
	}
	for _, warning := range r.Warnings {
		s.line("  ", "warning: "+warning)
	}
	if o.Slowest {
		for _, slow := range r.Slowest {
			s.line("  ", fmt.Sprintf("slow: %.3f s %s %s", slow.Seconds, slow.ID, slow.Text))
		}
	}
	s.text.WriteString(s.paint.status(r.Summary.Status) + ": " + Conclusion(r) + "\n")
	_, err := io.WriteString(w, s.text.String())
	return err
}

func redOnes(r *Report) []RequirementFinding {
	var reds []RequirementFinding
	for _, f := range r.Requirements {
		if f.Verdict.Red() {
			reds = append(reds, f)
		}
	}
	return reds
}

// Headline is what was judged, in one line.
func Headline(r *Report) string {
	env := r.Environment
	parts := []string{}
	switch {
	case env.Stack == Simulated && env.Imitates != "":
		parts = append(parts, "simulated stack imitating "+env.Imitates)
	case env.Stack == Simulated:
		parts = append(parts, "simulated stack")
	case len(env.Hosts) == 0:
		parts = append(parts, "environment unknown")
	default:
		h := env.Hosts[0]
		parts = append(parts, "kernel "+h.KernelRelease, "rdma-core "+h.RDMACore, "driver "+h.Driver)
	}
	if env.Transport != "" {
		parts = append(parts, string(env.Transport))
	}
	return r.Target + ": " + strings.Join(parts, ", ")
}

// Conclusion is the run in one line, without its status.
func Conclusion(r *Report) string {
	t := r.Summary
	if t.Status == verdict.NotQualified {
		return fmt.Sprintf("%s (%s, seed %d, %.1f s)", t.Reason, r.Target, r.Seed, t.Seconds)
	}
	total := 0
	var others []string
	for _, v := range verdict.All() {
		n := t.Counts[v]
		if v == verdict.NA {
			continue
		}
		total += n
		if n > 0 && v != verdict.Pass {
			others = append(others, fmt.Sprintf(", %d %s", n, v))
		}
	}
	text := fmt.Sprintf("%d of %d requirements PASS%s on %s (seed %d, %.1f s)",
		t.Counts[verdict.Pass], total, strings.Join(others, ""), r.Target, r.Seed, t.Seconds)
	if t.Status == verdict.Selection {
		text += "; a selection is no certificate"
	}
	return text
}

type summary struct {
	text  strings.Builder
	width int
	paint palette
}

// printable is a line without what a terminal would take for a command of its own.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, line)
}

// line writes words after an indent, and wraps what does not fit under it.
func (s *summary) line(indent, words string) {
	room := max(s.width-len(indent), 20)
	more := "  "
	used := 0
	s.text.WriteString(indent)
	for i, word := range strings.Split(printable(words), " ") {
		n := len([]rune(word))
		switch {
		case i == 0:
		case used+1+n > room:
			s.text.WriteString("\n" + indent + more)
			used = len(more)
		default:
			s.text.WriteByte(' ')
			used++
		}
		s.text.WriteString(word)
		used += n
	}
	s.text.WriteByte('\n')
}

func (s *summary) chapters(r *Report) {
	var names []string
	counts := map[string]map[verdict.Verdict]int{}
	longest := 0
	for _, f := range r.Requirements {
		if counts[f.Chapter] == nil {
			counts[f.Chapter] = map[verdict.Verdict]int{}
			names = append(names, f.Chapter)
			longest = max(longest, len([]rune(f.Chapter)))
		}
		counts[f.Chapter][f.Verdict]++
	}
	order := slices.Concat([]verdict.Verdict{verdict.Pass}, slices.DeleteFunc(verdict.All(),
		func(v verdict.Verdict) bool { return v == verdict.Pass }))
	for _, name := range names {
		var words []string
		for _, v := range order {
			if n := counts[name][v]; n > 0 {
				words = append(words, fmt.Sprintf("%d %s", n, s.paint.verdict(v)))
			}
		}
		fmt.Fprintf(&s.text, "  %-*s  %s\n", longest, name, strings.Join(words, ", "))
	}
}

func (s *summary) known(r *Report) {
	var ids []string
	for _, f := range r.Requirements {
		if f.Verdict == verdict.Known {
			ids = append(ids, fmt.Sprintf("%s (%s)", f.ID, strings.Join(f.KnownIssues(), ", ")))
		}
	}
	if len(ids) > 0 {
		s.line("  ", "known issues: "+strings.Join(ids, ", "))
	}
}

// skipped groups what was skipped by the capability that lacks.
func (s *summary) skipped(r *Report) {
	var codes []string
	ids := map[string][]string{}
	for _, f := range r.Requirements {
		if f.Verdict != verdict.Skip {
			continue
		}
		code := "without a reason"
		if f.Skip != nil {
			code = f.Skip.Code
		}
		if ids[code] == nil {
			codes = append(codes, code)
		}
		ids[code] = append(ids[code], f.ID)
	}
	for _, code := range codes {
		s.line("  ", fmt.Sprintf("skipped, %s: %s", code, strings.Join(ids[code], ", ")))
	}
}

// redSpecs is how many red specs of one requirement a summary shows; a leak may follow every spec of a run.
const redSpecs = 5

func (s *summary) red(f RequirementFinding) {
	fmt.Fprintf(&s.text, "\n%s %s (%s, %s)\n", s.paint.verdict(f.Verdict), f.ID, f.Level, f.Layer)
	s.line("  ", f.Says)
	s.field("source", f.Source)
	s.field("blocked by", f.BlockedBy)
	shown, more := 0, 0
	for _, found := range f.Specs {
		if !found.Verdict.Red() {
			continue
		}
		if shown == redSpecs {
			more++
			continue
		}
		shown++
		fmt.Fprintf(&s.text, "  %s in spec: %s\n", found.Verdict, printable(found.Text))
		if why := found.Failure; why != nil {
			s.field("why", why.Message)
			s.field("expected", why.Expected)
			s.field("seen", why.Seen)
			s.field("at", why.Location)
			s.field("not known", why.NotKnown)
			s.field("in C", strings.Join(why.Programs, " "))
		}
		if found.Rerun != "" { // unwrapped, to be copied whole
			fmt.Fprintf(&s.text, "    rerun: %s\n", printable(found.Rerun))
		}
	}
	if more > 0 {
		fmt.Fprintf(&s.text, "  and %d more specs, all of them in %s\n", more, JSONFile)
	}
}

func (s *summary) field(name, value string) {
	for i, part := range strings.Split(strings.TrimRight(value, "\n"), "\n") {
		switch {
		case value == "":
		case i == 0:
			s.line("    ", name+": "+part)
		default:
			s.line("      ", part)
		}
	}
}

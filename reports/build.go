package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// Requirement is one requirement of the law, as much as a report says of it.
type Requirement struct {
	ID      string           `json:"id"`
	Level   spec.Level       `json:"level"`
	Layer   spec.Layer       `json:"layer"`
	Chapter string           `json:"chapter"`
	Says    string           `json:"says"`
	Source  string           `json:"source"`
	On      []spec.Transport `json:"on"`                // empty: every transport
	WhyNot  string           `json:"why_not,omitempty"` // why no spec judges it; it is then outside the count
	Clean   bool             `json:"clean,omitempty"`   // judged from what every spec leaves behind, by no spec of its own
}

// SpecResult is one spec's outcome, as the runner of the specs saw it.
type SpecResult struct {
	ID         string            `json:"id"` // of the requirement it judges
	Text       string            `json:"text"`
	Verdict    verdict.Verdict   `json:"verdict"` // KNOWN when its issue matched; FIXED is Build's to find
	Seconds    float64           `json:"seconds"`
	Seed       int64             `json:"seed,omitempty"`
	Observed   map[string]string `json:"observed,omitempty"`
	BlockedBy  string            `json:"blocked_by,omitempty"`
	Skip       *Skipped          `json:"skip,omitempty"`
	KnownIssue string            `json:"known_issue,omitempty"`
	Failure    *Failure          `json:"failure,omitempty"`
	Rerun      string            `json:"rerun,omitempty"`
	Clean      []CleanFinding    `json:"clean,omitempty"`    // one of each requirement about what it left behind
	Trace      []string          `json:"trace,omitempty"`    // its calls and answers, a line each
	Programs   []string          `json:"programs,omitempty"` // C programs that make the same calls
}

// CleanFinding is what one spec left behind, in the eyes of one requirement.
type CleanFinding struct {
	Requirement string            `json:"requirement"`
	Verdict     verdict.Verdict   `json:"verdict"`
	Evidence    string            `json:"evidence,omitempty"` // what was found, or why nothing could be seen
	Left        []string          `json:"left,omitempty"`     // what was found, a line each
	Observed    map[string]string `json:"observed,omitempty"`
	KnownIssue  string            `json:"known_issue,omitempty"`
	NotKnown    string            `json:"not_known,omitempty"` // why it is none of the requirement's known issues
}

// Run is all that Build must know beside the specs' results.
type Run struct {
	Suite        Suite            `json:"suite"`
	Target       string           `json:"target"`
	Stack        string           `json:"stack"` // what the target is: "simulated" or "linux"
	Nonce        string           `json:"nonce"` // given to the stack; a live one must give it back
	Seed         int64            `json:"seed"`
	Command      string           `json:"command"`
	Environment  spec.Environment `json:"environment"`
	Requirements []Requirement    `json:"requirements"` // the whole catalogue, in its order
	Seconds      float64          `json:"seconds"`
	Reason       string           `json:"reason,omitempty"` // why the run itself failed; the report is then NOT-QUALIFIED
	Warnings     []string         `json:"warnings,omitempty"`

	// Issues are the known issues that apply to this stack. A requirement that ran in full without showing one is FIXED.
	Issues verdict.Issues `json:"-"`
}

// Build judges every requirement from the specs' results. Whatever nobody reported on is ERROR, or NOTRUN when the run
// has a Reason. A report whose environment Certify refuses is NOT-QUALIFIED, and so is one with results for a
// requirement that is not in the catalogue, or is judged otherwise.
func Build(run Run, results []SpecResult) *Report {
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b SpecResult) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Text, b.Text))
	})
	r := &Report{
		Schema: Schema, Suite: run.Suite, Target: run.Target, Seed: run.Seed, Command: run.Command,
		Environment: run.Environment, Requirements: []RequirementFinding{}, Warnings: []string{},
		Slowest: slowest(results),
	}
	r.Warnings = append(r.Warnings, run.Warnings...)
	b := builder{run: run, results: map[string][]SpecResult{}, all: results}
	for _, s := range results {
		b.results[s.ID] = append(b.results[s.ID], s)
	}
	judged := []verdict.Result{}
	for _, req := range run.Requirements {
		found, specs, warnings := b.find(req)
		r.Requirements = append(r.Requirements, found)
		r.Warnings = append(r.Warnings, warnings...)
		judged = append(judged, verdict.Result{ID: req.ID, Level: req.Level, Layer: req.Layer, Specs: specs})
	}
	r.KnownIssues = named(run.Issues, r.Requirements)
	r.Summary = totals(judged)
	r.Summary.Seconds = run.Seconds
	if reason := cmp.Or(run.Reason, b.strangers(), sentence(r.Certify(run.Stack, run.Nonce))); reason != "" {
		r.Summary.Status, r.Summary.Reason = verdict.NotQualified, reason
	}
	return r
}

func sentence(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

type builder struct {
	run     Run
	results map[string][]SpecResult
	all     []SpecResult
}

// strangers complains about results that no requirement of the catalogue is judged from.
func (b builder) strangers() string {
	lawful, clean := map[string]bool{}, map[string]bool{}
	for _, req := range b.run.Requirements {
		lawful[req.ID], clean[req.ID] = true, req.Clean
	}
	complain := func(s SpecResult, id string, left bool) string {
		switch {
		case !lawful[id]:
			return fmt.Sprintf("spec %q reports on %s, which is not in the catalogue", s.Text, id)
		case clean[id] && !left:
			return fmt.Sprintf("spec %q reports on %s, which is judged from what specs leave behind", s.Text, id)
		case left && !clean[id]:
			return fmt.Sprintf("what spec %q left behind is reported on %s, which is judged by specs of its own", s.Text, id)
		}
		return ""
	}
	for _, s := range b.all {
		if complaint := complain(s, s.ID, false); complaint != "" {
			return complaint
		}
		for _, c := range s.Clean {
			if complaint := complain(s, c.Requirement, true); complaint != "" {
				return complaint
			}
		}
	}
	return ""
}

// excuse is why a requirement is outside the count, nil when it is inside. No excuse holds where a spec went red all
// the same: what somebody saw fail is told.
func (b builder) excuse(req Requirement) *Skipped {
	for _, s := range b.all {
		red := s.ID == req.ID && s.Verdict.Red()
		for _, c := range s.Clean {
			red = red || c.Requirement == req.ID && c.Verdict.Red()
		}
		if red {
			return nil
		}
	}
	transport := b.run.Environment.Transport
	switch {
	case len(req.On) > 0 && transport != "" && !slices.Contains(req.On, transport):
		return &Skipped{
			Code: SkipTransport, Evidence: fmt.Sprintf("it speaks of %s, this stack is %s", words(req.On), transport),
		}
	case req.WhyNot != "":
		return &Skipped{Code: SkipNoSpec, Evidence: req.WhyNot}
	}
	return nil
}

// find judges one requirement. The verdicts are all that count: its specs', and FIXED for a known issue not shown.
func (b builder) find(req Requirement) (RequirementFinding, []verdict.Verdict, []string) {
	f := RequirementFinding{
		ID: req.ID, Level: req.Level, Layer: req.Layer, Chapter: req.Chapter, Says: req.Says, Source: req.Source,
		Observed: map[string]string{}, Specs: []SpecFinding{},
	}
	if f.Skip = b.excuse(req); f.Skip != nil {
		f.Verdict = verdict.NA
		return f, []verdict.Verdict{verdict.NA}, nil
	}
	var verdicts []verdict.Verdict
	var shown []string // known issues that were
	if req.Clean {
		verdicts, shown = b.clean(req, &f)
	} else {
		verdicts, shown = b.specs(req, &f)
	}
	var warnings []string
	var fixed bool
	if v := verdict.Merge(verdicts...); v == verdict.Pass || v == verdict.Known {
		fixed, warnings = b.unseen(req, &f, shown)
	}
	if fixed {
		verdicts = append(verdicts, verdict.Fixed)
	}
	f.Verdict = verdict.Merge(verdicts...)
	return f, verdicts, warnings
}

func words(on []spec.Transport) string {
	var names []string
	for _, t := range on {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

func (b builder) specs(req Requirement, f *RequirementFinding) (verdicts []verdict.Verdict, shown []string) {
	for _, s := range b.results[req.ID] {
		found := SpecFinding{
			Text: s.Text, Verdict: s.Verdict, Seconds: s.Seconds, Seed: s.Seed, Observed: s.Observed,
			KnownIssue: s.KnownIssue, Failure: s.Failure, Rerun: s.Rerun,
		}
		if s.Failure != nil {
			failure := *s.Failure // the result's own stays as it is
			failure.Programs = s.Programs
			found.Failure = &failure
		}
		if !s.Verdict.Valid() {
			found.Verdict = verdict.Error
			found.Failure = &Failure{Message: fmt.Sprintf("the spec ended with %q, which is no verdict", s.Verdict)}
		}
		f.Specs = append(f.Specs, found)
		verdicts = append(verdicts, found.Verdict)
		merge(f.Observed, s.Observed)
		f.BlockedBy = cmp.Or(f.BlockedBy, s.BlockedBy)
		f.KnownIssue = cmp.Or(f.KnownIssue, s.KnownIssue)
		if f.Skip == nil {
			f.Skip = s.Skip
		}
		if s.KnownIssue != "" {
			shown = append(shown, s.KnownIssue)
		}
	}
	if len(verdicts) == 0 {
		verdicts = b.absent(f, "no spec reported on it")
	}
	return verdicts, shown
}

// absent is the verdict of what nobody reported on: the run's Reason explains it, or else the suite is at fault.
func (b builder) absent(f *RequirementFinding, message string) []verdict.Verdict {
	if b.run.Reason != "" {
		return []verdict.Verdict{verdict.NotRun}
	}
	f.Specs = append(f.Specs, SpecFinding{
		Text: "reports on " + f.ID, Verdict: verdict.Error, Failure: &Failure{Message: message},
	})
	return []verdict.Verdict{verdict.Error}
}

// clean judges what specs left behind: it passes when at least one spec was looked at and none left anything.
func (b builder) clean(req Requirement, f *RequirementFinding) (verdicts []verdict.Verdict, shown []string) {
	var ran []string
	unseen := verdict.Pass
	tidy := map[string]string{} // what is seen where nothing is left
	for _, s := range b.all {
		if s.Verdict.Ran() {
			ran = append(ran, s.Text)
		} else {
			unseen = verdict.Merge(unseen, s.Verdict)
		}
		for _, c := range s.Clean {
			if c.Requirement != req.ID {
				continue
			}
			if !c.Verdict.Valid() {
				c.Evidence = fmt.Sprintf("the finding is %q, which is no verdict", c.Verdict)
				c.Verdict = verdict.Error
			}
			verdicts = append(verdicts, c.Verdict)
			if c.Verdict == verdict.Pass {
				merge(tidy, c.Observed)
				continue
			}
			f.KnownIssue = cmp.Or(f.KnownIssue, c.KnownIssue)
			if c.KnownIssue != "" {
				shown = append(shown, c.KnownIssue)
			}
			if c.Verdict == verdict.Skip {
				if f.Skip == nil {
					f.Skip = &Skipped{Code: SkipUnseen, Evidence: c.Evidence}
				}
				continue
			}
			merge(f.Observed, c.Observed)
			f.Specs = append(f.Specs, SpecFinding{
				Text: s.Text, During: s.ID, Verdict: c.Verdict, Seed: s.Seed, Observed: c.Observed, KnownIssue: c.KnownIssue,
				Rerun: s.Rerun,
				Failure: &Failure{
					Message: "after this spec the hosts were not as before it", Seen: c.Evidence, NotKnown: c.NotKnown,
					Left: c.Left, Programs: s.Programs,
				},
			})
		}
	}
	if len(f.Specs) == 0 {
		merge(f.Observed, tidy)
	}
	switch {
	case len(verdicts) > 0:
	case len(ran) > 0:
		verdicts = b.absent(f, fmt.Sprintf("%d specs ran and nobody looked at what they left behind", len(ran)))
	case unseen == verdict.Skip || unseen == verdict.NotRun:
		verdicts = []verdict.Verdict{unseen}
		if unseen == verdict.Skip {
			f.Skip = &Skipped{Code: SkipUnseen, Evidence: "no spec ran that could leave something behind"}
		}
	default:
		verdicts = b.absent(f, "no spec ran that could leave something behind")
	}
	return verdicts, shown
}

// unseen judges the requirement's known issues that no spec showed: FIXED, unless a spec that might have shown one did
// not run.
func (b builder) unseen(req Requirement, f *RequirementFinding, shown []string) (fixed bool, warnings []string) {
	for _, k := range b.run.Issues.Of(req.ID) {
		idle := 0
		if req.Clean {
			idle = b.idle(k)
		}
		switch {
		case slices.Contains(shown, k.ID):
		case idle > 0 && b.narrowed():
		case idle > 0:
			warnings = append(warnings, fmt.Sprintf(
				"known issue %s of %s was not seen, and %d specs that might show it did not run", k.ID, req.ID, idle))
		default:
			fixed = true
			f.KnownIssue = k.ID
			f.Specs = append(f.Specs, SpecFinding{
				Text: "no longer has known issue " + k.ID, Verdict: verdict.Fixed, KnownIssue: k.ID,
				Failure: &Failure{Message: fmt.Sprintf("no spec showed known issue %s: %s", k.ID, k.Repair())},
			})
		}
	}
	return fixed, warnings
}

// narrowed tells whether a filter left specs out, which says enough about what was not seen.
func (b builder) narrowed() bool {
	return slices.ContainsFunc(b.all, func(s SpecResult) bool { return s.Verdict == verdict.NotRun })
}

// idle counts the specs that might have left what the issue says and did not run. Specs that say nothing of this stack
// might not, unless it is theirs alone to leave.
func (b builder) idle(k verdict.KnownIssue) int {
	count := 0
	for _, s := range b.all {
		switch {
		case s.Verdict.Ran():
		case k.During == s.ID, k.During == "" && s.Verdict != verdict.NA:
			count++
		}
	}
	return count
}

// merge adds the observations of one spec to those of its requirement.
func merge(into, from map[string]string) {
	for field, value := range from {
		old, ok := into[field]
		if !ok {
			into[field] = value
			continue
		}
		values := strings.Split(old, " | ")
		if !slices.Contains(values, value) {
			values = append(values, value)
			slices.Sort(values)
			into[field] = strings.Join(values, " | ")
		}
	}
}

func totals(judged []verdict.Result) Totals {
	t := Totals{
		Layers: verdict.LayerStatuses(judged), Counts: zeros(), Levels: map[spec.Level]map[verdict.Verdict]int{},
	}
	t.Status, t.Reason = verdict.StatusOf(judged)
	for _, level := range spec.Levels() {
		t.Levels[level] = zeros()
	}
	for _, r := range judged {
		v := r.Verdict()
		t.Counts[v]++
		if t.Levels[r.Level] != nil {
			t.Levels[r.Level][v]++
		}
	}
	return t
}

func zeros() map[verdict.Verdict]int {
	counts := map[verdict.Verdict]int{}
	for _, v := range verdict.All() {
		counts[v] = 0
	}
	return counts
}

// slowestListed is how many of the slowest specs a report lists.
const slowestListed = 10

func slowest(results []SpecResult) []SlowSpec {
	ranked := slices.Clone(results)
	slices.SortStableFunc(ranked, func(a, b SpecResult) int { return cmp.Compare(b.Seconds, a.Seconds) })
	slow := []SlowSpec{}
	for _, s := range ranked[:min(slowestListed, len(ranked))] {
		if s.Seconds > 0 {
			slow = append(slow, SlowSpec{ID: s.ID, Text: s.Text, Seconds: s.Seconds})
		}
	}
	return slow
}

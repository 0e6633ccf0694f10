package reports_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// words are what people, kernels and C programs may put into one line of a report.
var words = rapid.SampledFrom([]string{
	"gives one MULTICAST_JOIN", "a < b && c > d", `says "so"`, "ends in ]]>", "bell \a", "naïve — ☃", " ", "a | b", "100%",
	"-", "<failure/>", "\x1b[31mred", "FAIL", "CONFORMANT: 9 of 9",
})

// outcomes are any verdicts, or those of a run in which little goes wrong.
func outcomes(t *rapid.T) *rapid.Generator[verdict.Verdict] {
	if rapid.Bool().Draw(t, "calm") {
		return rapid.Custom(func(t *rapid.T) verdict.Verdict {
			if rapid.IntRange(0, 9).Draw(t, "odd") > 0 {
				return verdict.Pass
			}
			return rapid.SampledFrom(verdict.All()).Draw(t, "verdict")
		})
	}
	return rapid.SampledFrom(verdict.All())
}

func maybe[T any](t *rapid.T, name string, of *rapid.Generator[T]) (zero T) {
	if rapid.Bool().Draw(t, name) {
		return of.Draw(t, name)
	}
	return zero
}

// randomLaw is some requirements in two chapters.
func randomLaw(t *rapid.T) []reports.Requirement {
	var law []reports.Requirement
	for i := range rapid.IntRange(0, 8).Draw(t, "requirements") {
		q := reports.Requirement{
			ID:    fmt.Sprintf("JM-%s-%02d", rapid.SampledFrom([]string{"EVT", "CLEAN"}).Draw(t, "chapter"), i),
			Level: rapid.SampledFrom(append(spec.Levels(), spec.Must, spec.Must)).Draw(t, "level"),
			Layer: rapid.SampledFrom(spec.Layers()).Draw(t, "layer"),
			Says:  words.Draw(t, "says"), Source: words.Draw(t, "source"),
			Clean: rapid.Bool().Draw(t, "clean"),
		}
		q.Chapter = q.ID[:len(q.ID)-3]
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			q.On = []spec.Transport{spec.InfiniBand}
		case 1:
			q.On = []spec.Transport{spec.RoCEv2, spec.RoCEv1}
		case 2:
			q.WhyNot = words.Draw(t, "why_not")
		}
		law = append(law, q)
	}
	return law
}

func randomFailure(t *rapid.T) *reports.Failure {
	return &reports.Failure{
		Message: words.Draw(t, "message") + "\n" + words.Draw(t, "message"), Expected: maybe(t, "expected", words),
		Seen: maybe(t, "seen", words), Location: "conformance/event.go:1", Trace: []string{words.Draw(t, "row")},
	}
}

// randomResults are of specs of this law, and of what they left behind.
func randomResults(t *rapid.T, law []reports.Requirement) []reports.SpecResult {
	var results []reports.SpecResult
	judged := slices.DeleteFunc(slices.Clone(law), func(q reports.Requirement) bool { return q.Clean })
	if len(judged) == 0 {
		return nil
	}
	verdicts := outcomes(t)
	for i := range rapid.IntRange(0, 12).Draw(t, "specs") {
		s := reports.SpecResult{
			ID: rapid.SampledFrom(judged).Draw(t, "of").ID, Text: fmt.Sprintf("%d %s", i, words.Draw(t, "text")),
			Verdict: verdicts.Draw(t, "verdict"), Seconds: rapid.Float64Range(0, 9).Draw(t, "seconds"), Seed: int64(i),
			Trace: rapid.SliceOfN(words, 0, 3).Draw(t, "trace"), Rerun: maybe(t, "rerun", words),
			KnownIssue: maybe(t, "issue", rapid.Just("KI-1")),
		}
		if rapid.Bool().Draw(t, "observes") {
			s.Observed = map[string]string{"errno": words.Draw(t, "errno")}
		}
		if rapid.Bool().Draw(t, "tells why") {
			s.Failure = randomFailure(t)
		}
		if s.Verdict == verdict.Skip && rapid.Bool().Draw(t, "evidence") {
			s.Skip = &reports.Skipped{Code: "two-hosts", Evidence: words.Draw(t, "evidence")}
		}
		for _, q := range law {
			if q.Clean && rapid.Bool().Draw(t, "looked") {
				s.Clean = append(s.Clean, reports.CleanFinding{
					Requirement: q.ID, Verdict: verdicts.Draw(t, "left"), Evidence: words.Draw(t, "what"),
				})
			}
		}
		results = append(results, s)
	}
	return results
}

// random is a run and its results, which may be anything that a run can come to.
func random(t *rapid.T) (reports.Run, []reports.SpecResult) {
	run := simRun()
	if rapid.Bool().Draw(t, "live") {
		run = liveRun()
		run.Nonce = rapid.SampledFrom([]string{"n0nce", "n0nce", "old"}).Draw(t, "nonce")
	}
	run.Requirements = randomLaw(t)
	run.Reason = rapid.SampledFrom([]string{"", "", "", "", "interrupted"}).Draw(t, "reason")
	run.Warnings = rapid.SliceOfN(words, 0, 2).Draw(t, "warnings")
	return run, randomResults(t, run.Requirements)
}

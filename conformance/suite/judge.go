package suite

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"joinmcast/conformance/rig"
	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// judged is the spec under way, and what will be reported of it.
type judged struct {
	run     *run
	law     catalogue.Requirement
	record  *rig.Record
	backend spec.Backend
	world   *rig.World
	closing bool            // the spec itself is over; what fails now is about what it left behind
	trouble verdict.Verdict // that a call had made when the spec was over
	result  reports.SpecResult

	notKnown string // why the failure is none of the known issues of its requirement; empty: there are none, or it is
}

// judge begins a result for a spec. The requirement is known: governed refuses specs without one.
func (r *run) judge(report ginkgo.SpecReport) *judged {
	id := requirementOf(report.Labels())
	law, _ := r.law.Find(id)
	return &judged{
		run:    r,
		law:    law,
		record: rig.NewRecord(id),
		result: reports.SpecResult{
			ID: id, Text: report.LeafNodeText, Seed: seedOf(r.seed, report.FullText()),
			Rerun: r.flags.command(r.seed, id),
		},
	}
}

// applies skips the spec when the requirement does not speak of this transport, when nothing could tell whether it is
// met, or when the stack lacks what it needs.
func (j *judged) applies() bool {
	if !slices.Contains(j.law.On, j.run.env.Transport) {
		j.skip(verdict.NA, reports.SkipTransport, fmt.Sprintf("%s does not speak of %s", j.law.ID, j.run.env.Transport))
		return false
	}
	if d := j.law.Detector; d != "" && !slices.Contains(j.run.env.Detectors, d) {
		j.skip(verdict.NA, reports.SkipDetector, fmt.Sprintf("the kernel is built without %s, which alone would tell", d))
		return false
	}
	need, evidence, err := j.run.lacks(j.law)
	if err != nil {
		j.lost(err)
	}
	if need != "" {
		j.skip(verdict.Skip, string(need), evidence)
		return false
	}
	return true
}

// lacks is the first capability that a requirement needs and the stack lacks, with how that is known; empty when it has
// them all. A stack that does not say is at fault.
func (r *run) lacks(q catalogue.Requirement) (need spec.Capability, evidence string, err error) {
	for _, need := range q.Needs {
		found, said := r.caps[need]
		if !said {
			return need, "", fmt.Errorf("the stack says neither that it has %q nor that it lacks it", need)
		}
		if !found.Has && found.How == "" {
			return need, "", fmt.Errorf("the stack says that it lacks %q, and not how that is known", need)
		}
		if !found.Has {
			return need, found.How, nil
		}
	}
	return "", "", nil
}

func (j *judged) skip(v verdict.Verdict, code, evidence string) {
	j.result.Verdict, j.result.Skip = v, &reports.Skipped{Code: code, Evidence: evidence}
	ginkgo.Skip(evidence, 2)
}

// lost fails the spec as the harness's fault.
func (j *judged) lost(err error) {
	j.result.Verdict = verdict.Error
	j.fails(err.Error(), 2)
}

// fail is Gomega's fail handler: every failed assertion comes through here.
func fail(message string, callerSkip ...int) {
	skip := 1
	if len(callerSkip) > 0 {
		skip += callerSkip[0]
	}
	if now == nil {
		ginkgo.Fail(message, skip)
		return
	}
	if !now.closing && now.result.Verdict == "" {
		now.blame()
	}
	now.fails(message, skip)
}

// blame turns a failed assertion into a verdict. A failure that is exactly a known issue's ends the spec as KNOWN.
func (j *judged) blame() {
	j.result.Verdict = cmp.Or(j.record.Trouble(), verdict.Fail)
	j.result.BlockedBy = j.record.BlockedBy()
	if j.result.BlockedBy != "" {
		return // what a spec leans on is known, or not, where it is judged
	}
	issue, why := j.run.applying.Match(verdict.Outcome{
		Requirement: j.law.ID, Verdict: j.result.Verdict, Observed: j.record.Observed(),
	})
	if issue != nil {
		j.result.Verdict, j.result.KnownIssue = verdict.Known, issue.ID
	}
	j.notKnown = why
}

// fails ends the spec, and keeps the first failure of the spec itself.
func (j *judged) fails(message string, skip int) {
	if j.result.Failure == nil && !j.closing {
		j.result.Failure = j.failure(message, types.NewCodeLocation(skip+1).String())
	}
	if j.result.Verdict == verdict.Known && !j.closing {
		ginkgo.Skip("known issue "+j.result.KnownIssue, skip+1)
	}
	ginkgo.Fail(message, skip+1)
}

func (j *judged) failure(message, location string) *reports.Failure {
	f := &reports.Failure{Location: fromModule(location), NotKnown: j.notKnown}
	if j.world != nil {
		f.Trace = j.world.Trace()
	}
	reason, rest, ok := strings.Cut(message, "expected: ")
	if ok {
		f.Expected, f.Seen, _ = strings.Cut(rest, "\n    seen: ")
	}
	f.Message = strings.Join(strings.Fields(reason), " ")
	if f.Message == "" {
		f.Message = "the answer is not the one expected"
	}
	return f
}

// fromModule makes a location in the checkout relative to it.
func fromModule(location string) string {
	return strings.TrimPrefix(location, moduleRoot()+string(filepath.Separator))
}

// close ends the spec's processes, judges what is left on the hosts, and gives the world back. It runs last of all
// cleanups.
func (j *judged) close(ctx context.Context) {
	j.closing, j.trouble = true, j.record.Trouble() // before the processes are ended, with calls that are still open
	if j.backend == nil {
		return
	}
	err := j.world.End(ctx)
	dirt := ""
	if err == nil {
		dirt, err = j.judgeLeftovers(ctx)
	}
	if wireErr := j.keepWire(); err == nil {
		err = wireErr
	}
	if closeErr := j.backend.Close(ctx); err == nil {
		err = closeErr
	}
	switch {
	case err != nil:
		j.result.Verdict = verdict.Merge(verdict.Error, j.result.Verdict)
		if j.result.Failure == nil {
			j.result.Failure = j.failure(err.Error(), "")
		}
		ginkgo.Fail("the world could not be taken down: " + err.Error())
	case dirt != "":
		ginkgo.Fail(dirt)
	}
}

// ends completes the result with what Ginkgo saw.
func (j *judged) ends(report ginkgo.SpecReport) {
	j.result.Seconds = report.RunTime.Seconds()
	j.result.Observed = j.record.Observed()
	if j.world != nil {
		j.result.Trace = j.world.Trace()
	}
	if j.result.Verdict == "" {
		j.result.Verdict = j.ginkgoVerdict(report)
	}
	if j.world != nil && (j.run.flags.reproduce || j.deviates()) {
		j.result.Programs = j.writePrograms()
	}
}

// deviates tells whether the spec, or what it left behind, is not as the law says, known or not.
func (j *judged) deviates() bool {
	verdicts := []verdict.Verdict{j.result.Verdict}
	for _, c := range j.result.Clean {
		verdicts = append(verdicts, c.Verdict)
	}
	return slices.ContainsFunc(verdicts, func(v verdict.Verdict) bool { return v.Red() || v == verdict.Known })
}

// ginkgoVerdict is the verdict of a spec that no assertion and no skip decided.
func (j *judged) ginkgoVerdict(report ginkgo.SpecReport) verdict.Verdict {
	switch {
	case report.State == types.SpecStatePassed, report.State == types.SpecStateFailed && len(j.result.Clean) > 0:
		if field := j.unknownField(); field != "" {
			j.result.Failure = j.failure(fmt.Sprintf("%s observed %q, which its requirement does not list", j.law.ID, field), "")
			return verdict.Error
		}
		if j.trouble != "" {
			j.result.Failure = j.failure("the stack did not answer a call, and the spec went on as if it had", "")
			return j.trouble
		}
		return verdict.Pass
	case report.State == types.SpecStateSkipped:
		j.result.Failure = j.failure("the spec skipped itself: only a capability that the stack lacks skips a spec, with "+
			"evidence; it said: "+report.FailureMessage(), report.FailureLocation().String())
		return verdict.Error
	}
	said := strings.TrimSpace(report.FailureMessage() + " " + report.Failure.ForwardedPanic)
	j.result.Failure = j.failure(report.State.String()+": "+said, report.FailureLocation().String())
	return verdict.Error
}

// unknownField is a field that the spec observed and its requirement does not list.
func (j *judged) unknownField() string {
	for field := range j.result.Observed {
		if !slices.Contains(j.law.Observe, field) {
			return field
		}
	}
	return ""
}

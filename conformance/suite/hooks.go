package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	"golang.org/x/term"

	"joinmcast/conformance/rig"
	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// opening bounds the opening of a target: a first one may have to fetch packages and boot guests.
const opening = 15 * time.Minute

// current is the run of this process, and now the spec under way.
var (
	current = &run{}
	now     *judged
)

// shared is what the first process of a parallel run tells the others.
type shared struct {
	Dir, Nonce string
	Specs      int // that will run
}

// Prepare hangs the suite's machinery on the specs that the program holds, and gives RunSpecs its arguments: the
// suite's name and Ginkgo's configuration.
func Prepare() (string, types.SuiteConfig, types.ReporterConfig) {
	r := current
	gomega.RegisterFailHandler(fail)
	ginkgo.AddTreeConstructionNodeArgsTransformer(r.governed)

	ginkgo.ReportBeforeSuite(r.begin)
	ginkgo.SynchronizedBeforeSuite(r.first, r.each)
	ginkgo.BeforeEach(r.arrange)
	ginkgo.ReportBeforeEach(r.specBegins)
	ginkgo.ReportAfterEach(r.specEnds)
	ginkgo.ReportAfterSuite("write the reports", r.end)

	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	r.seed, r.filter = suiteConfig.RandomSeed, suiteConfig.LabelFilter
	if os.Getenv("NO_COLOR") != "" || !term.IsTerminal(int(os.Stdout.Fd())) {
		reporterConfig.NoColor = true // Ginkgo itself colours a pipe, and does not know the variable
	}
	if r.target.Shared() && suiteConfig.ParallelTotal > 1 {
		refuse(fmt.Errorf("target %s has one world for all specs, so it cannot be run with -p", r.target.Name))
	}
	return "rdma_join_multicast on " + r.target.Name, suiteConfig, reporterConfig
}

// begin makes the run's folder and its journal, in the first process only. A run that a filter narrows goes to a folder
// of its own: it is no certificate.
func (r *run) begin(report ginkgo.Report) {
	r.nonce, r.specs = newNonce(), report.PreRunStats.SpecsThatWillRun
	r.dir = filepath.Join(r.out, reports.Folder(r.target.Name, r.specs < report.PreRunStats.TotalSpecs))
	for _, folder := range []string{programsFolder, wireFolder} { // of the run before
		if err := os.RemoveAll(filepath.Join(r.dir, folder)); err != nil {
			refuse(err)
		}
	}
	journal, err := reports.CreateJournal(r.dir, r.describe())
	if err != nil {
		refuse(err)
	}
	if err := journal.Close(); err != nil {
		refuse(err)
	}
	if r.target.Capture {
		if err := os.MkdirAll(filepath.Join(r.dir, wireFolder), 0o755); err != nil {
			refuse(err)
		}
	}
	r.bequeath()
}

func (r *run) first() []byte {
	text, err := json.Marshal(shared{Dir: r.dir, Nonce: r.nonce, Specs: r.specs})
	if err != nil {
		panic(err) // strings and a number always marshal
	}
	return text
}

// each opens the target, in every process of the run.
func (r *run) each(ctx ginkgo.SpecContext, text []byte) {
	var s shared
	gomega.Expect(json.Unmarshal(text, &s)).To(gomega.Succeed())
	r.dir, r.nonce = s.Dir, s.Nonce
	r.progress = newProgress(os.Stdout, r.target.Live(), s.Specs)
	journal, err := reports.AppendJournal(r.dir)
	if err != nil {
		r.cannotBegin(err)
	}
	r.journal = journal
	ginkgo.DeferCleanup(r.journal.Close)
	bounded, cancel := context.WithTimeout(ctx, opening)
	defer cancel()
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) error { return r.close(ctx) })
	if err := r.open(bounded); err != nil {
		r.cannotBegin(err)
	}
	if err := r.journal.EnvironmentRead(r.env); err != nil {
		r.cannotBegin(err)
	}
}

// cannotBegin fails the suite before its first spec; the report says why.
func (r *run) cannotBegin(err error) {
	r.failed = err.Error()
	ginkgo.Fail(r.failed, 2)
}

// arrange gives the spec a world that no other spec has touched, once it is known that the stack can be asked.
func (r *run) arrange(ctx ginkgo.SpecContext) {
	if !now.applies() {
		return
	}
	ginkgo.DeferCleanup(now.close)
	backend, err := r.lab.Fresh(ctx, now.result.Seed)
	if err != nil {
		now.lost(fmt.Errorf("no fresh world: %w", err))
	}
	if slices.Contains(now.law.Needs, spec.TwoHosts) {
		go wake(context.WithoutCancel(ctx), r.target.SpecDeadline, backend.Hosts()[1:])
	}
	now.world = rig.Begin(backend, r.env, now.record, now.result.Seed, r.callDeadline())
	now.backend = backend
}

// wake makes hosts that sleep until they are used wake beside the spec's first steps: ctx outlives the arranging. What
// goes wrong shows at their first use.
func wake(ctx context.Context, within time.Duration, hosts []spec.Host) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for _, h := range hosts {
		_, _ = h.Ports(ctx)
	}
}

func (r *run) specBegins(report ginkgo.SpecReport) {
	if report.State.Is(types.SpecStateSkipped | types.SpecStatePending) {
		return // it never begins
	}
	now = r.judge(report)
	r.progress.begins(report, now.result.ID)
	if err := r.journal.SpecBegins(now.result); err != nil {
		r.failed = err.Error()
	}
}

func (r *run) specEnds(report ginkgo.SpecReport) {
	if now == nil || report.State.Is(types.SpecStatePending) {
		return
	}
	now.ends(report)
	if err := r.journal.SpecEnds(now.result); err != nil {
		r.failed = err.Error()
	}
	r.progress.ends(now.result)
	now = nil
}

// end writes the reports and the summary, in the first process only, when all others have ended.
func (r *run) end(report ginkgo.Report) {
	r.progress.done()
	if r.failed == "" {
		r.failed = suiteFailure(report)
	}
	if err := r.finish(r.unrun(report)); err != nil {
		refuse(err)
	}
	r.disinherit()
	if err := r.summarize(os.Stdout); err != nil {
		refuse(err)
	}
}

// suiteFailure is why Ginkgo cannot vouch for the run as a whole: an interrupt, a time-out, a process that died.
func suiteFailure(report ginkgo.Report) string {
	if len(report.SpecialSuiteFailureReasons) > 0 {
		return "the run was cut short: " + report.SpecialSuiteFailureReasons[0]
	}
	for _, s := range report.SpecReports {
		if !s.LeafNodeType.Is(types.NodeTypeIt) && s.Failed() {
			return s.LeafNodeType.String() + " failed: " + s.FailureMessage()
		}
	}
	return ""
}

// unrun are the specs that left no row in the journal: a filter left them out, or a pending mark, which is no reason.
func (r *run) unrun(report ginkgo.Report) []reports.SpecResult {
	var left []reports.SpecResult
	for _, s := range report.SpecReports {
		if s.LeafNodeType.Is(types.NodeTypeIt) && s.State.Is(types.SpecStateSkipped|types.SpecStatePending) &&
			s.NumAttempts == 0 {
			result := r.judge(s).result
			result.Verdict = verdict.NotRun
			if s.State.Is(types.SpecStatePending) {
				result.Verdict = verdict.Error
				result.Failure = &reports.Failure{
					Message:  "the spec is pending: every spec runs, and a requirement that none can judge says why_not",
					Location: fromModule(s.LeafNodeLocation.String()),
				}
			}
			left = append(left, result)
		}
	}
	return left
}

// seedOf is a spec's seed: of the run's seed and the spec's name alone, so that neither order, nor filter, nor the
// number of processes changes what a spec does.
func seedOf(run int64, text string) int64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s", run, text)
	return int64(h.Sum64() >> 1)
}

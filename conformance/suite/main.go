package suite

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/reports"
	"joinmcast/spec/verdict"
)

func init() {
	current.flags.register(flag.CommandLine)
}

// Main is the whole of the suite's TestMain: it gives the exit status, 0 for a green run, 1 for one that is not
// conformant, 2 for one that failed itself. Specs are what testing.M's Run runs.
func Main(specs func() int) int {
	if inherit() {
		return verdict.ExitGreen
	}
	r := current
	r.began = time.Now()
	flag.CommandLine.Usage = func() {
		_, _ = fmt.Fprintln(os.Stderr, "joinmcast: README.md lists the flags; with ginkgo the suite's own follow \"--\"")
	}
	flag.Parse()
	if flag.NArg() > 0 {
		refuse(fmt.Errorf("%q is no flag; want flags such as -target=sim", flag.Arg(0)))
	}
	if err := r.prepare(); err != nil {
		refuse(err)
	}
	status := specs()
	if r.report == nil {
		return worst(status, first())
	}
	return worst(status, verdict.ExitCode(r.report.Summary.Status, r.target.AllowPartial))
}

// first tells what an absent report means: in the first process of a run it is a failure of the run.
func first() int {
	if suiteConfig, _ := ginkgo.GinkgoConfiguration(); suiteConfig.ParallelProcess > 1 {
		return verdict.ExitGreen
	}
	return verdict.ExitRunFailed
}

// worst prefers what the report says to Ginkgo's 1.
func worst(ginkgo, own int) int {
	if own != verdict.ExitGreen {
		return own
	}
	return ginkgo
}

// refuse ends a run that cannot begin, or whose reports cannot be written.
func refuse(err error) {
	_, _ = fmt.Fprintf(os.Stderr, "joinmcast: %s\n", err)
	os.Exit(verdict.ExitRunFailed)
}

// summarize writes the report for a person.
func (r *run) summarize(out *os.File) error {
	options := reports.TerminalOptions(out)
	options.Slowest = r.target.Live()
	if _, err := io.WriteString(out, "\n"); err != nil {
		return err
	}
	return reports.Summary(out, r.report, options)
}

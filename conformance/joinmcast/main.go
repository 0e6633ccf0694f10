// Command joinmcast reads the law and compares reports: what `make list`, `make explain`, `make diff`, `make matrix`
// and `make soak` run.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"joinmcast/reports"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

const usage = `usage: joinmcast list               every requirement, a line each
       joinmcast explain JM-EVT-03  one requirement, its specs and its known issues
       joinmcast new JM-LV-34       begin a requirement: its entry in the law, and a spec that fails until it is written
       joinmcast spec FILE          the whole law as Markdown
       joinmcast diff [-format text|markdown|html] [-o FILE] A B
                                    what changed from one report.json to another
       joinmcast baseline REPORT... keep reports of whole runs as baselines, without what differs in every run
       joinmcast page [FLAG]... REPORT
                                    index.html beside a report.json; page -h lists the flags
       joinmcast soak [FLAG]... TARGET...
                                    where runs with different seeds disagree; soak -h lists the flags
       joinmcast walk [FLAG]...     where random walks tell two targets apart; walk -h lists the flags
       joinmcast mutants [FLAG]... [MUTANT]...
                                    which requirements catch wrong stacks; mutants -h lists the flags
       joinmcast matrix [FLAG]...   many kernels and rdma-cores in one table; matrix -h lists the flags
       joinmcast bench [-into FILE] OUTPUT
                                    which benchmarks are over their bounds, and a table of them into a file
       joinmcast survivors FILE OUT PACKAGE...
                                    which mutants in gremlins' output under OUT survive, and are not explained in FILE
       joinmcast count A...         how many specs of these report.json passed and failed`

func main() {
	if err := perform(os.Args[1:]); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "joinmcast: %s\n", err)
		red := []error{
			errDisagree, errDiffer, errOver, errSurvives, errUnexplained, errWorse, errNotConformant,
		}
		if slices.ContainsFunc(red, func(is error) bool { return errors.Is(err, is) }) {
			os.Exit(verdict.ExitNotConformant)
		}
		os.Exit(verdict.ExitRunFailed)
	}
}

func perform(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "list":
		law, err := catalogue.Load()
		if err != nil {
			return err
		}
		return law.List(os.Stdout)
	case len(args) == 2 && args[0] == "explain":
		return explain(os.Stdout, args[1])
	case len(args) == 2 && args[0] == "spec":
		law, err := catalogue.Load()
		if err != nil {
			return err
		}
		return writeSpec(law, args[1])
	case len(args) == 2 && args[0] == "new":
		return newCommand(".", args[1])
	case len(args) >= 1 && args[0] == "soak":
		return soak(args[1:])
	case len(args) >= 1 && args[0] == "walk":
		return walkCommand(args[1:])
	case len(args) >= 1 && args[0] == "mutants":
		return mutantsCommand(args[1:])
	case len(args) >= 1 && args[0] == "matrix":
		return matrixCommand(args[1:])
	case len(args) >= 1 && args[0] == "bench":
		return benchCommand(args[1:])
	case len(args) >= 1 && args[0] == "diff":
		return diffCommand(args[1:])
	case len(args) >= 1 && args[0] == "baseline":
		return baselineCommand(args[1:])
	case len(args) >= 1 && args[0] == "page":
		return pageCommand(args[1:])
	case len(args) >= 4 && args[0] == "survivors":
		return survivorsCommand(args[1], args[2], args[3:])
	case len(args) >= 2 && args[0] == "count":
		return count(args[1:])
	}
	return fmt.Errorf("the arguments are no command\n%s", usage)
}

// writeSpec writes the law as Markdown.
func writeSpec(law *catalogue.Catalogue, path string) error {
	var page bytes.Buffer
	if err := law.Markdown(&page); err != nil {
		return err
	}
	return os.WriteFile(path, page.Bytes(), 0o644)
}

// count sums up the specs of reports; a known issue's spec ended as it is expected to.
func count(paths []string) error {
	passed, failed, skipped := 0, 0, 0
	for _, path := range paths {
		r, err := reports.Read(path)
		if err != nil {
			return err
		}
		for _, q := range r.Requirements {
			for _, s := range q.Specs {
				switch {
				case s.Verdict == verdict.Pass, s.Verdict == verdict.Known:
					passed++
				case s.Verdict.Red():
					failed++
				default:
					skipped++
				}
			}
		}
	}
	_, err := fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return err
}

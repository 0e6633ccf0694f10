// Command joinmcast reads the law and compares reports: what `make list`, `make explain` and `make diff` run.
package main

import (
	"fmt"
	"os"

	"joinmcast/reports"
	"joinmcast/spec/catalogue"
)

const usage = `usage: joinmcast list               every requirement, a line each
       joinmcast explain JM-EVT-03  one requirement
       joinmcast diff A B           where two report.json disagree`

func main() {
	if err := perform(os.Args[1:]); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "joinmcast: %s\n", err)
		os.Exit(2)
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
		law, err := catalogue.Load()
		if err != nil {
			return err
		}
		return law.Explain(os.Stdout, args[1])
	case len(args) == 3 && args[0] == "diff":
		return diff(args[1], args[2])
	}
	return fmt.Errorf("the arguments are no command\n%s", usage)
}

func diff(pathA, pathB string) error {
	a, err := reports.Read(pathA)
	if err != nil {
		return err
	}
	b, err := reports.Read(pathB)
	if err != nil {
		return err
	}
	return reports.WriteDiff(os.Stdout, a, b)
}

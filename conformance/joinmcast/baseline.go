package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"joinmcast/reports"
	"joinmcast/spec/verdict"
)

// baselineCommand keeps reports as baselines, each under its target's name.
func baselineCommand(args []string) error {
	flags := flag.NewFlagSet("baseline", flag.ContinueOnError)
	into := flags.String("into", filepath.Join("reports", "baselines"), "`folder` of the baselines")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("say which report is to be the baseline: joinmcast baseline REPORT.json")
	}
	for _, path := range flags.Args() {
		r, err := reports.Read(path)
		if err != nil {
			return err
		}
		if s := r.Summary.Status; s == verdict.Selection || s == verdict.NotQualified {
			return fmt.Errorf("%s is %s; a baseline is of a whole run", path, s)
		}
		text, err := r.Baseline().JSON()
		if err != nil {
			return err
		}
		name := filepath.Join(*into, r.Target+".json")
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
		fmt.Println(name)
	}
	return nil
}

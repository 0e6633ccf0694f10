package main

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"joinmcast/reports"
	"joinmcast/reports/index"
)

// pageCommand writes the page of a run beside its report.
func pageCommand(args []string) error {
	flags := flag.NewFlagSet("page", flag.ContinueOnError)
	baseline := flags.String("baseline", "", "another run's `report` to compare with")
	trace := flags.String("trace", "", "`ids` of green requirements whose calls are shown too, with commas between")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("a page is of one report: joinmcast page reports/out/sim/report.json")
	}
	path := flags.Arg(0)
	r, err := reports.Read(path)
	if err != nil {
		return err
	}
	run := index.Run{Report: r, Dir: filepath.Dir(path), Now: time.Now()}
	if *baseline != "" {
		if run.Baseline, err = reports.Read(*baseline); err != nil {
			return err
		}
	}
	if *trace != "" {
		run.Traces = strings.Split(*trace, ",")
	}
	if err := run.WriteFile(); err != nil {
		return err
	}
	_, err = fmt.Println(filepath.Join(run.Dir, index.File))
	return err
}

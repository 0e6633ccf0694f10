package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"joinmcast/reports/bench"
)

// errOver is a benchmark over its bound; the table says which.
var errOver = errors.New("over a bound")

// benchCommand prints the table of what go test -bench printed, and puts it into a file if asked.
func benchCommand(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	into := flags.String("into", "", "a `file` whose table, between two marks, is to be this one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("say which file has the output of go test -bench")
	}
	output, err := os.Open(flags.Arg(0))
	if err != nil {
		return err
	}
	defer func() { _ = output.Close() }()
	rows, err := bench.Judge(output, flags.Arg(0))
	if err != nil {
		return err
	}
	table := bench.Markdown(rows)
	fmt.Print(table)
	if *into != "" {
		if err := replaceTable(*into, "make bench", table); err != nil {
			return err
		}
	}
	if !bench.AllOK(rows) {
		return errOver
	}
	return nil
}

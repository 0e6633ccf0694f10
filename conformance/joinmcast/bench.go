package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"joinmcast/reports/bench"
)

// errOver is a benchmark over its bound; the table says which.
var errOver = errors.New("over a bound")

// Marks of the table in a file that has it.
const (
	tableBegins = "<!-- make bench -->\n"
	tableEnds   = "<!-- end -->\n"
)

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
		if err := replaceTable(*into, table); err != nil {
			return err
		}
	}
	if !bench.AllOK(rows) {
		return errOver
	}
	return nil
}

func replaceTable(path, table string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		return fmt.Errorf("%s has no table; it goes between the lines %q and %q", path,
			strings.TrimSpace(tableBegins), strings.TrimSpace(tableEnds))
	}
	return os.WriteFile(path, []byte(before+tableBegins+table+tableEnds+after), 0o644)
}

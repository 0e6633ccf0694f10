package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"joinmcast/reports"
	"joinmcast/reports/diff"
	"joinmcast/spec/catalogue"
)

// errWorse is a diff that is not green; its last line says why.
var errWorse = errors.New("the second report is not as good as the first")

// formats are the forms that a diff is written in.
var formats = map[string]func(*diff.Diff, io.Writer) error{
	"text":     (*diff.Diff).WriteText,
	"markdown": (*diff.Diff).WriteMarkdown,
	"html":     (*diff.Diff).WriteHTML,
}

// diffCommand writes what changed between two reports.
func diffCommand(args []string) error {
	flags := flag.NewFlagSet("diff", flag.ContinueOnError)
	format := flags.String("format", "text", "`form`: text, markdown or html")
	path := flags.String("o", "", "write to a `file`; empty: standard output")
	if err := flags.Parse(args); err != nil {
		return err
	}
	write, ok := formats[*format]
	switch {
	case !ok:
		return fmt.Errorf("-format is %q; want text, markdown or html", *format)
	case flags.NArg() != 2:
		return errors.New("a diff is of two reports: joinmcast diff A/report.json B/report.json")
	}
	law, err := catalogue.Load()
	if err != nil {
		return err
	}
	a, err := reports.Read(flags.Arg(0))
	if err != nil {
		return err
	}
	b, err := reports.Read(flags.Arg(1))
	if err != nil {
		return err
	}
	d := diff.Compare(a, b, law.Find)
	var text bytes.Buffer
	if err := write(d, &text); err != nil {
		return err
	}
	if err := writeTo(*path, text.Bytes()); err != nil {
		return err
	}
	switch {
	case !d.Comparable():
		return errors.New("the two reports cannot be compared")
	case !d.Green():
		return errWorse
	}
	return nil
}

// writeTo writes a file, or standard output where there is no path.
func writeTo(path string, text []byte) error {
	if path == "" {
		_, err := os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

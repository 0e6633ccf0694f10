package main

import (
	"fmt"
	"os"
	"strings"
)

// replaceTable replaces the table that a command writes into a file: what lies between the comment that names the
// command and the one that ends it.
func replaceTable(path, command, table string) error {
	begin, end := "<!-- "+command+" -->", "<!-- end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(text), begin+"\n")
	_, after, ends := strings.Cut(rest, end+"\n")
	if !begins || !ends {
		return fmt.Errorf("%s has no table of %s; it goes between the lines %q and %q", path, command, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+table+end+"\n"+after), 0o644)
}

package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// Events of a journal.
const (
	RunBegin    = "run-begin"   // Row.Run
	Environment = "environment" // Row.Environment, as soon as it is read
	SpecBegin   = "spec-begin"  // Row.Spec with ID, Text, Seed and Rerun
	SpecEnd     = "spec-end"    // Row.Spec, whole
	RunEnd      = "run-end"
)

// Row is one line of a journal.
type Row struct {
	Event       string            `json:"event"`
	Process     int               `json:"process"` // the pid that wrote it
	Run         *Run              `json:"run,omitempty"`
	Environment *spec.Environment `json:"environment,omitempty"`
	Spec        *SpecResult       `json:"spec,omitempty"`
}

// Journal is a file of rows, one JSON object a line. Several processes may append to the same one, each through a
// Journal of its own. What was appended survives the death of the process that did.
type Journal struct{ file *os.File }

// CreateJournal begins an empty journal in dir, which it makes if need be, with a run-begin row.
func CreateJournal(dir string, run Run) (*Journal, error) {
	path := filepath.Join(dir, JournalFile)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, notWritten(path, err)
	}
	return openJournal(path, os.O_TRUNC, &run)
}

// AppendJournal opens the journal in dir for another process of the same run.
func AppendJournal(dir string) (*Journal, error) {
	return openJournal(filepath.Join(dir, JournalFile), 0, nil)
}

func openJournal(path string, mode int, run *Run) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|mode, 0o644)
	if err != nil {
		return nil, notWritten(path, err)
	}
	j := &Journal{file: f}
	if run == nil {
		return j, nil
	}
	if err := j.append(Row{Event: RunBegin, Run: run}); err != nil {
		_ = f.Close() // nothing was written that could be lost
		return nil, err
	}
	return j, nil
}

// EnvironmentRead records what the stack says of itself.
func (j *Journal) EnvironmentRead(env spec.Environment) error {
	return j.append(Row{Event: Environment, Environment: &env})
}

// SpecBegins records that a spec is about to run; of s only ID, Text, Seed and Rerun matter.
func (j *Journal) SpecBegins(s SpecResult) error { return j.append(Row{Event: SpecBegin, Spec: &s}) }

// SpecEnds records a spec's outcome.
func (j *Journal) SpecEnds(s SpecResult) error { return j.append(Row{Event: SpecEnd, Spec: &s}) }

// RunEnds records that all specs are done.
func (j *Journal) RunEnds() error { return j.append(Row{Event: RunEnd}) }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// append writes the row with a single write to a file opened O_APPEND, so rows of several processes do not mix.
func (j *Journal) append(row Row) error {
	row.Process = os.Getpid()
	line, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("a %s row cannot be put into JSON: %w", row.Event, err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return notWritten(j.file.Name(), err)
	}
	return nil
}

// ReadJournal reads the rows of a journal file. A last line without its end is what a dying process leaves: it is left
// out, and torn says so. Any other line that is no row is an error with its number.
func ReadJournal(path string) (rows []Row, torn bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, false, fmt.Errorf("the journal cannot be read: %w", err)
	}
	return ParseJournal(path, text)
}

// ParseJournal reads the text of a journal; name is for errors.
func ParseJournal(name string, text []byte) (rows []Row, torn bool, err error) {
	lines := bytes.Split(text, []byte("\n"))
	last := len(lines) - 1
	torn = len(lines[last]) > 0
	for i, line := range lines[:last] {
		var row Row
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, false, fmt.Errorf("%s:%d: no row of a journal: %w", name, i+1, err)
		}
		rows = append(rows, row)
	}
	return rows, torn, nil
}

// FromJournal builds the report of a run that left nothing but its journal. It is NOT-QUALIFIED, and its reason names
// the spec that was running; all that was done before keeps its verdict, a spec that began and did not end is ERROR,
// and the rest is NOTRUN. It needs a run-begin row.
func FromJournal(rows []Row, torn bool) (*Report, error) {
	var run *Run
	ended := false
	for _, row := range rows {
		switch {
		case row.Event == RunBegin && row.Run != nil:
			run = row.Run
		case row.Event == Environment && row.Environment != nil && run != nil:
			run.Environment = *row.Environment
		case row.Event == RunEnd:
			ended = true
		}
	}
	if run == nil {
		return nil, fmt.Errorf("the journal has no %s row, so nothing says what was run", RunBegin)
	}
	done, running := Outcomes(rows)
	run.Reason = died(running, ended)
	if torn {
		run.Warnings = append(slices.Clone(run.Warnings), "the journal's last line is torn and was left out")
	}
	return Build(*run, append(done, running...)), nil
}

// Outcomes are what became of a journal's specs: those that ended, and those that began and did not, which are ERROR.
func Outcomes(rows []Row) (done, running []SpecResult) {
	for _, row := range rows {
		switch {
		case row.Event == SpecBegin && row.Spec != nil:
			running = append(running, *row.Spec)
		case row.Event == SpecEnd && row.Spec != nil:
			done = append(done, *row.Spec)
			running = slices.DeleteFunc(running, func(s SpecResult) bool {
				return s.ID == row.Spec.ID && s.Text == row.Spec.Text
			})
		}
	}
	for i := range running {
		running[i].Verdict = verdict.Error
		running[i].Failure = &Failure{Message: "the run ended while this spec was running"}
	}
	return done, running
}

func died(running []SpecResult, ended bool) string {
	switch {
	case len(running) > 0:
		reason := "the run died while a spec was running:"
		for i, s := range running {
			if i > 0 {
				reason += ","
			}
			reason += fmt.Sprintf(" %s %q", s.ID, s.Text)
		}
		return reason
	case ended:
		return "the run ended and left no report; this one is made from its journal"
	}
	return "the run died between two specs"
}

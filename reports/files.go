package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Names of the files of a run.
const (
	JSONFile     = "report.json"
	JUnitFile    = "junit.xml"
	MarkdownFile = "report.md"
	JournalFile  = "journal.jsonl"
)

// Write writes the report into dir in all its forms: report.json, junit.xml and report.md.
func (r *Report) Write(dir string) error {
	return errors.Join(r.WriteJSON(dir), r.WriteJUnit(dir), r.WriteMarkdown(dir))
}

// WriteJSON writes report.json into dir, which it makes if need be. Readers see the old file or the whole new one.
func (r *Report) WriteJSON(dir string) error {
	text, err := r.JSON()
	if err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, JSONFile), text)
}

// JSON is the report as it stands in report.json.
func (r *Report) JSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("the report cannot be put into JSON: %w", err)
	}
	return text.Bytes(), nil
}

// Read reads a report.json that WriteJSON wrote; it refuses one that breaks the schema.
func Read(path string) (*Report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the report cannot be read: %w", err)
	}
	r, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Parse reads the text of a report.json.
func Parse(text []byte) (*Report, error) {
	if err := Validate(text); err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// WriteFile writes a file whole or not at all: the text goes into a file of another name on the same disk first, so
// that a full disk or a dying process leaves no half report behind.
func WriteFile(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return notWritten(path, err)
	}
	temporary, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return notWritten(path, err)
	}
	err = errors.Join(fill(temporary, text), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // the first error is the one to tell
		return notWritten(path, err)
	}
	return syncDir(path, dir)
}

// disk is what fill needs of an *os.File.
type disk interface {
	io.Writer
	Chmod(mode os.FileMode) error
	Sync() error
}

func fill(f disk, text []byte) error {
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	return f.Sync()
}

// syncDir makes the new name itself outlive a power cut.
func syncDir(path, dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return notWritten(path, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return notWritten(path, err)
	}
	return nil
}

// notWritten is one sentence with the path and the system's own reason, without the temporary file's name.
func notWritten(path string, err error) error {
	var p *os.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("%s was not written: %w", path, err)
}

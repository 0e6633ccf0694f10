// Package yamldoc reads the YAML that people write, strictly: one document a file, no field that nobody reads, and
// complaints of one line that begin with the file and the line.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ErrEmpty tells a text without a document: nothing, or comments alone.
var ErrEmpty = errors.New("it is empty")

// Decode reads text into a pointer. Name is the file's, want says what would be right, as in "a list of walks". The
// error joins all that is wrong, a line each; of an empty text it is ErrEmpty.
func Decode(name, want string, text []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w; want %s", name, ErrEmpty, want)
	} else if err != nil {
		return located(name, want, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: a second YAML document; want one, %s", name, want)
	}
	return nil
}

var (
	lineNumber = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)
	goType     = regexp.MustCompile(` in type \S+$`)
)

// located puts the file's name in front of each of the decoder's complaints, in the form file:line.
func located(name, want string, err error) error {
	complaints := []string{err.Error()}
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		complaints = typed.Errors
	}
	var errs []error
	for _, c := range complaints {
		line := ""
		if m := lineNumber.FindStringSubmatch(c); m != nil {
			line, c = m[1]+":", c[len(m[0]):]
		}
		c = goType.ReplaceAllString(OneLine(c), "")
		errs = append(errs, fmt.Errorf("%s:%s %s; want %s", name, line, c, want))
	}
	return errors.Join(errs...)
}

// OneLine is a text that quotes somebody's file, fit for one line of a message.
func OneLine(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
}

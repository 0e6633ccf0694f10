// Package walk compares two stacks by random sequences of calls. A walk is drawn on one stack, usually a simulated one,
// played again on another, and both tell the same: answers, events, what an id shows, memberships, filters, resources.
//
// A walk is data. Its steps are calls of package call whose handles and addresses are symbols, so that it can be saved,
// shrunk and played on any backend.
package walk

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"joinmcast/spec/yamldoc"
)

// Walk is a sequence of steps; Seed fixes its groups and the world it is drawn in.
type Walk struct {
	Seed  uint64 `yaml:"seed"`
	About string `yaml:"about,omitempty"` // what a saved walk shows
	Steps []Step `yaml:"steps"`
}

// Step is one call, or something done to a host. Strings in Args that are symbols stand for handles and addresses.
type Step struct {
	By    string         `yaml:"by"` // a process: of host 0 as in "p1", of host 1 as in "q1"; or a host, as in "host0"
	Call  string         `yaml:"call"`
	Args  map[string]any `yaml:"args,omitempty,flow"`
	Gives string         `yaml:"gives,omitempty"` // the symbol of the handle in the answer

	// Answers are what the stack that a saved walk was drawn on told; of a race several are right.
	Answers []string `yaml:"answers,omitempty"`
	// Race marks calls whose order is nobody's: every answer that some seed of a simulated world gives is right.
	Race bool `yaml:"race,omitempty"`
}

// Things done to a host, which are no calls of a process.
const (
	Configure = "configure" // a spec.Change
	Undo      = "undo"      // of a change
	Observe   = "observe"   // what has come to a host, or gone, since the walk began
	Kill      = "kill"      // ends a process
)

// String is a step as people read it.
func (s Step) String() string {
	text := s.By + " " + s.Call
	if len(s.Args) > 0 {
		text += " " + plain(s.Args)
	}
	if s.Gives != "" {
		text += " -> " + s.Gives
	}
	return text
}

// Read reads a saved walk.
func Read(path string) (Walk, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Walk{}, fmt.Errorf("the walk cannot be read: %w", err)
	}
	return Parse(path, text)
}

// Parse reads the text of a saved walk; name is for errors.
func Parse(name string, text []byte) (Walk, error) {
	var w Walk
	const want = "a walk with seed and steps, each with by, call and, if need be, args"
	if err := yamldoc.Decode(name, want, text, &w); err != nil {
		return Walk{}, err
	}
	if len(w.Steps) == 0 {
		return Walk{}, fmt.Errorf("%s has no steps", name)
	}
	return w, nil
}

// Text is the walk as it is saved.
func (w Walk) Text() []byte {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(w); err != nil {
		panic(err) // it is plain data
	}
	return text.Bytes()
}

// Recorded is the walk with what a stack told of it, as it is saved.
func (w Walk) Recorded(told []Told) Walk {
	w.Steps = slices.Clone(w.Steps)
	for i := range min(len(told), len(w.Steps)) {
		w.Steps[i].Answers = []string{told[i].String()}
	}
	return w
}

// races tells whether some step of the walk is a race.
func (w Walk) races() bool {
	for _, s := range w.Steps {
		if s.Race {
			return true
		}
	}
	return false
}

// Package survivors judges a mutation test: which changes of the code no test notices, and which of them have an
// explanation. It reads what gremlins writes, and a file of explanations in YAML.
package survivors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"joinmcast/spec/yamldoc"
)

// Mutant is a change of one operator.
type Mutant struct {
	File string `yaml:"file"` // from the module's folder
	Kind string `yaml:"kind"` // as gremlins calls it, as in "CONDITIONALS_BOUNDARY"
	Code string `yaml:"code"` // the line with a Mark before what was changed; it stays where line numbers do not
}

// Untried is a mutant that gremlins did not try: coverage has no block for the condition of a case, nor for what
// follows a function in the head of an if.
type Untried struct {
	Mutant
	Offset int // of the operator in its file, in bytes
}

// Mark stands before what was changed.
const Mark = "»"

// Explanation is a survivor with the reason why no test can or should notice it.
type Explanation struct {
	Mutant `yaml:",inline"`
	Why    string `yaml:"why"`
}

// String is the mutant as an entry of a file of explanations, up to its reason.
func (m Mutant) String() string {
	code := strings.ReplaceAll(m.Code, "'", "''")
	return fmt.Sprintf("- file: %s\n  kind: %s\n  code: '%s'\n  why:", m.File, m.Kind, code)
}

// output is what of gremlins' file is read.
type output struct {
	Files []struct {
		Name      string `json:"file_name"`
		Mutations []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
			Line   int    `json:"line"`
			Column int    `json:"column"`
		} `json:"mutations"`
	} `json:"files"`
}

// Outcome is what gremlins wrote about a folder of the module.
type Outcome struct {
	Mutants  int // in all
	Survived []Mutant
	Untried  []Untried
}

// Read reads what gremlins wrote. The module's code is read for the lines. A mutant that made the tests run for ever
// was noticed.
func Read(module fs.FS, folder, name string, text []byte) (Outcome, error) {
	var out output
	if err := json.Unmarshal(text, &out); err != nil {
		return Outcome{}, fmt.Errorf("%s is not what gremlins writes: %w", name, err)
	}
	var o Outcome
	for _, f := range out.Files {
		file := path.Join(folder, f.Name)
		code, err := fs.ReadFile(module, file)
		if err != nil {
			return Outcome{}, fmt.Errorf("%s: %w", name, err)
		}
		lines := strings.SplitAfter(string(code), "\n")
		for _, m := range f.Mutations {
			if m.Line < 1 || m.Line > len(lines) || m.Column < 1 || m.Column > len(lines[m.Line-1]) {
				return Outcome{}, fmt.Errorf("%s: %s has no place %d:%d; it has changed since", name, file, m.Line, m.Column)
			}
			line, at := lines[m.Line-1], m.Column-1
			mutant := Mutant{file, m.Type, strings.TrimSpace(line[:at] + Mark + line[at:])}
			o.Mutants++
			switch m.Status {
			case "KILLED", "TIMED OUT":
			case "LIVED":
				o.Survived = append(o.Survived, mutant)
			case "NOT COVERED":
				o.Untried = append(o.Untried, Untried{mutant, len(strings.Join(lines[:m.Line-1], "")) + at})
			default:
				return Outcome{}, fmt.Errorf("%s: a mutant of %s:%d is %s, want KILLED, TIMED OUT, LIVED or NOT COVERED",
					name, file, m.Line, m.Status)
			}
		}
	}
	if o.Mutants == 0 {
		return Outcome{}, fmt.Errorf("%s has no mutant, so nothing was tested", name)
	}
	return o, nil
}

// changes are what each kind puts in an operator's place.
var changes = map[string]map[string]string{
	"CONDITIONALS_NEGATION": {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="},
	"CONDITIONALS_BOUNDARY": {"<=": "<", ">=": ">", "<": "<=", ">": ">="},
	"INVERT_LOGICAL":        {"&&": "||", "||": "&&"},
	"ARITHMETIC_BASE":       {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"},
	"INVERT_NEGATIVES":      {"-": "+"},
}

// Apply makes the change in the text of its file.
func (u Untried) Apply(code []byte) ([]byte, error) {
	for length := 2; length > 0; length-- {
		end := u.Offset + length
		if end > len(code) {
			continue
		}
		if with, ok := changes[u.Kind][string(code[u.Offset:end])]; ok {
			return slices.Concat(code[:u.Offset], []byte(with), code[end:]), nil
		}
	}
	return nil, fmt.Errorf("%s: %s is no change that is known of %q", u.File, u.Kind, u.Code)
}

// ParseExplanations reads a file of explanations, of which there may be none; name is for errors.
func ParseExplanations(name string, text []byte) ([]Explanation, error) {
	var all []Explanation
	err := yamldoc.Decode(name, "a list of survivors with file, kind, code and why", text, &all)
	if err != nil && !errors.Is(err, yamldoc.ErrEmpty) {
		return nil, err
	}
	for i, e := range all {
		if e.File == "" || e.Kind == "" || !strings.Contains(e.Code, Mark) || e.Why == "" {
			return nil, fmt.Errorf("%s: survivor %d lacks file, kind, code with a %s, or why", name, i+1, Mark)
		}
	}
	return all, nil
}

// Of are the explanations of survivors in folders of the module; the others speak of packages that were not tried.
func Of(explained []Explanation, folders []string) []Explanation {
	var of []Explanation
	for _, e := range explained {
		if slices.Contains(folders, path.Dir(e.File)) {
			of = append(of, e)
		}
	}
	return of
}

// Judge gives the survivors without an explanation, and the explanations of what no longer survives.
func Judge(survivors []Mutant, explained []Explanation) (unexplained []Mutant, stale []Explanation) {
	survives, told := map[Mutant]bool{}, map[Mutant]bool{}
	for _, m := range survivors {
		survives[m] = true
	}
	for _, e := range explained {
		told[e.Mutant] = true
		if !survives[e.Mutant] {
			stale = append(stale, e)
		}
	}
	for _, m := range survivors {
		if !told[m] {
			unexplained = append(unexplained, m)
		}
	}
	return unexplained, stale
}

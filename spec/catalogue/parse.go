package catalogue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"joinmcast/spec"
)

// order is the order of the chapters; a chapter not named here follows, by file name.
var order = []string{
	"ENV", "BIND", "PS", "ARG", "EX", "RET", "EVT", "ATT", "LV", "DST", "MIG", "SYN", "VRB", "LIM", "DAT", "MAP", "CLEAN",
}

// Parse reads a law from the *.yaml files at the top of fsys. The error joins everything that is wrong, one sentence
// each with file and line.
func Parse(fsys fs.FS) (*Catalogue, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	if len(names) == 0 {
		return nil, errors.New("catalogue: there is no *.yaml file, want one a chapter")
	}
	sum := sha256.New()
	used := uses{}
	var chapters []Chapter
	var problems []error
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("catalogue: %w", err)
		}
		digest(sum, name)
		digest(sum, string(text))
		r := &reader{file: name, used: used}
		chapters = append(chapters, r.chapter(text))
		problems = append(problems, r.problems...)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	slices.SortStableFunc(chapters, func(a, b Chapter) int { return place(a.Code) - place(b.Code) })
	return &Catalogue{chapters: chapters, version: hex.EncodeToString(sum.Sum(nil))[:12]}, nil
}

// digest adds a text and its length, so that no two lists of texts give the same sum.
func digest(sum hash.Hash, text string) {
	_ = binary.Write(sum, binary.BigEndian, int64(len(text)))
	_, _ = io.WriteString(sum, text)
}

func place(code string) int {
	if i := slices.Index(order, code); i >= 0 {
		return i
	}
	return len(order)
}

// uses says where in the law a chapter's code or a requirement's id was first used, as "file:line".
type uses map[string]string

// reader reads one file and collects what is wrong with it.
type reader struct {
	file     string
	used     uses
	problems []error
}

func (r *reader) refuse(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s: %s", r.at(n), fmt.Sprintf(format, args...)))
}

func (r *reader) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", r.file, n.Line) }

// once refuses a name that the law already uses.
func (r *reader) once(n *yaml.Node, what, name string) {
	if first, ok := r.used[name]; ok {
		r.refuse(n, "%s %s is used twice, first in %s; an id is never reused", what, name, first)
		return
	}
	r.used[name] = r.at(n)
}

func (r *reader) chapter(text []byte) Chapter {
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&doc); err != nil {
		r.problems = append(r.problems, fmt.Errorf("%s: want a chapter in YAML, got %w", r.file, err))
		return Chapter{}
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		r.refuse(&doc, "want one YAML document in the file, got more")
	}
	top := doc.Content[0]
	fields := r.fields(top, "the file", []string{"chapter", "title", "requirements"})
	c := Chapter{Code: r.chapterCode(fields["chapter"]), Title: r.text(fields["title"])}
	for _, name := range []string{"chapter", "title", "requirements"} {
		if fields[name] == nil {
			r.refuse(top, "the file has no %s", name)
		}
	}
	entries := r.items(fields["requirements"])
	if fields["requirements"] != nil && len(entries) == 0 {
		r.refuse(fields["requirements"], "chapter %s has no requirements", c.Code)
	}
	for _, entry := range entries {
		c.Requirements = append(c.Requirements, r.requirement(entry, c.Code))
	}
	return c
}

var requirementFields = []string{
	"id", "level", "says", "source", "relied_on", "layer", "on", "needs", "detector", "varies", "seen", "observe",
	"why_not", "judged",
}

func (r *reader) requirement(n *yaml.Node, chapter string) Requirement {
	if n.Kind != yaml.MappingNode {
		r.refuse(n, "%q is no requirement, want fields with values", n.Value)
		return Requirement{}
	}
	fields := r.fields(n, "the requirement", requirementFields)
	q := Requirement{
		ID:       r.text(fields["id"]),
		Level:    spec.Level(r.text(fields["level"])),
		Says:     r.text(fields["says"]),
		Source:   r.texts(fields["source"]),
		ReliedOn: r.texts(fields["relied_on"]),
		Layer:    spec.Layer(r.text(fields["layer"])),
		On:       as[spec.Transport](r.texts(fields["on"])),
		Needs:    as[spec.Capability](r.texts(fields["needs"])),
		Detector: r.text(fields["detector"]),
		Varies:   r.texts(fields["varies"]),
		Seen:     map[spec.Transport]string{},
		Observe:  r.texts(fields["observe"]),
		WhyNot:   r.text(fields["why_not"]),
		Judged:   r.text(fields["judged"]),
		Chapter:  chapter,
		File:     r.file,
		Line:     n.Line,
	}
	for transport, where := range r.fields(fields["seen"], "seen", nil) {
		q.Seen[spec.Transport(transport)] = r.text(where)
	}
	r.check(n, fields, q)
	return q
}

// fields is a mapping's values by key; known lists the keys it may have, nil means any. A nil node has none.
func (r *reader) fields(n *yaml.Node, what string, known []string) map[string]*yaml.Node {
	values := map[string]*yaml.Node{}
	if n == nil {
		return values
	}
	if n.Kind != yaml.MappingNode {
		r.refuse(n, "%s is no mapping, want fields with values", what)
		return values
	}
	for pair := range slices.Chunk(n.Content, 2) {
		key, value := pair[0], pair[1]
		switch {
		case known != nil && !slices.Contains(known, key.Value):
			r.refuse(key, "%s has the unknown field %q, want one of %s", what, key.Value, strings.Join(known, ", "))
		case values[key.Value] != nil:
			r.refuse(key, "%s has the field %q twice", what, key.Value)
		default:
			values[key.Value] = value
		}
	}
	return values
}

// text is a scalar's text; "" of a nil node.
func (r *reader) text(n *yaml.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str":
		r.refuse(n, "%q is no text, want text, if need be in quotes", n.Value)
		return ""
	case strings.TrimSpace(n.Value) == "":
		r.refuse(n, "the text is empty, leave the field out or fill it")
		return ""
	}
	return n.Value
}

// items is a list's nodes; none of a nil node.
func (r *reader) items(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.refuse(n, "%q is no list, want [a, b] or lines that begin with a dash", n.Value)
		return nil
	}
	return n.Content
}

func (r *reader) texts(n *yaml.Node) []string {
	var texts []string
	for _, item := range r.items(n) {
		text := r.text(item)
		if text != "" && slices.Contains(texts, text) {
			r.refuse(item, "%q stands twice in its list", text)
		}
		texts = append(texts, text)
	}
	return texts
}

func as[T ~string](texts []string) []T {
	var values []T
	for _, text := range texts {
		values = append(values, T(text))
	}
	return values
}

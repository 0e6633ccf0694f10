// Package catalogue is the law: the requirements that joinmcast judges, one YAML file a chapter.
//
// An id is opaque, never renumbered and never reused. The files are embedded, so a binary judges by the law it was
// built with; Version tells which that is.
package catalogue

import (
	"embed"
	"slices"
	"strings"

	"joinmcast/spec"
)

//go:embed *.yaml
var files embed.FS

// AfterEverySpec is the one value of the field judged: the requirement has no spec of its own, and the suite judges it
// after every spec, with the spec as evidence.
const AfterEverySpec = "after-every-spec"

// Requirement is one sentence of the law.
type Requirement struct {
	ID       string                    // as in "JM-ATT-01"
	Level    spec.Level                // how binding it is
	Says     string                    // one sentence, in the present tense
	Source   []string                  // page and section, or function with the versions it holds for
	ReliedOn []string                  // who relies on it, and how; never empty at level IS
	Layer    spec.Layer                // who mends it
	On       []spec.Transport          // the transports it speaks of
	Needs    []spec.Capability         // what its spec cannot do without
	Detector string                    // of the kernel, without which nothing can be seen, as in "KASAN"; empty: none
	Varies   []string                  // by what the answer varies, as in "kernel: before 6.3 the join returns 0"
	Seen     map[spec.Transport]string // for every transport in On: measured on what, or "read only"
	Observe  []string                  // the fields its spec records; empty only where WhyNot is set
	WhyNot   string                    // why it has no spec; empty where it has one
	Judged   string                    // AfterEverySpec, or empty: judged by the specs that carry its id
	Chapter  string                    // code of its chapter
	File     string                    // it stands in, in this package's folder
	Line     int
}

// JudgedBySuite tells whether the suite itself judges the requirement after every spec.
func (r Requirement) JudgedBySuite() bool { return r.Judged == AfterEverySpec }

// ByRun begins an item of the field varies: two runs on one stack may observe different answers.
const ByRun = "run:"

// VariesByRun tells whether two runs on one stack may observe different answers.
func (r Requirement) VariesByRun() bool {
	return slices.ContainsFunc(r.Varies, func(v string) bool { return strings.HasPrefix(v, ByRun) })
}

// Chapter is one file of the law.
type Chapter struct {
	Code         string // as in "ATT"
	Title        string
	Requirements []Requirement // in the order of the file
}

// Catalogue is the whole law.
type Catalogue struct {
	chapters []Chapter
	version  string
}

// Load reads the law that is built into the program.
func Load() (*Catalogue, error) { return Parse(files) }

// Chapters lists the chapters in catalogue order: the life of a membership, from the bind to what is left behind.
func (c *Catalogue) Chapters() []Chapter { return c.chapters }

// All lists the requirements in catalogue order.
func (c *Catalogue) All() []Requirement {
	var all []Requirement
	for _, chapter := range c.chapters {
		all = append(all, chapter.Requirements...)
	}
	return all
}

// Find is the requirement of that id.
func (c *Catalogue) Find(id string) (Requirement, bool) {
	for _, r := range c.All() {
		if r.ID == id {
			return r, true
		}
	}
	return Requirement{}, false
}

// Version identifies the law's text: the first 12 hexadecimal digits of the SHA-256 over names and contents of its
// files.
func (c *Catalogue) Version() string { return c.version }

package walk

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/catalogue"
)

// Coverage is what walks have reached.
type Coverage struct {
	Walks   int
	steps   int // that were drawn
	masked  int // that a known difference explains
	blocked int // steps that ended so
	calls   map[string]int
	errnos  map[string]int

	explained map[string]int // steps, by what explains them: all known differences of the stacks compared
}

// NewCoverage is that of no walk.
func NewCoverage() *Coverage {
	return &Coverage{calls: map[string]int{}, errnos: map[string]int{}, explained: map[string]int{}}
}

// leastShare is the share of the steps that every call must have, and mostMasked what known differences may hide. Of
// fewer walks than sharesFrom, chance gives one call or another a little less.
const (
	leastShare = 0.02
	mostMasked = 0.03
	sharesFrom = 2000
)

var errnoName = regexp.MustCompile(`\bE[A-Z]{2,}\b`)

// Add counts a walk. The calls are those of its drawn steps; an errno counts wherever it was told.
func (c *Coverage) Add(o Outcome) {
	c.Walks++
	c.masked += len(o.Masked)
	for _, k := range o.Known {
		c.explained[k.What] += 0
	}
	for _, what := range o.Masked {
		c.explained[what]++
	}
	for i, told := range o.Told {
		if i < Length {
			c.steps++
			c.calls[o.Walk.Steps[i].Call]++
		}
		if told.Answer == blocked {
			c.blocked++
		}
		for _, name := range errnoName.FindAllString(told.String(), -1) {
			c.errnos[name]++
		}
	}
}

// Share is a call's share of the steps.
func (c *Coverage) Share(call string) float64 {
	return float64(c.calls[call]) / float64(max(c.steps, 1))
}

// MaskedShare is the share of the steps that a known difference explains.
func (c *Coverage) MaskedShare() float64 { return float64(c.masked) / float64(max(c.steps, 1)) }

// Short says what the walks have not reached that they must: errnos of the law and, from 2,000 walks on, calls.
func (c *Coverage) Short(law *catalogue.Catalogue) []string {
	var short []string
	for _, name := range call.Methods() {
		if s := c.Share(name); s < leastShare && c.Walks >= sharesFrom {
			short = append(short, fmt.Sprintf("%s has %.2f %% of the steps, want %.0f %%", name, 100*s, 100*leastShare))
		}
	}
	for _, e := range Errnos(law) {
		if c.errnos[e.Name] == 0 && !e.Alternative() {
			short = append(short, fmt.Sprintf("%s was never told; %s", e.Name, e.promised()))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(c.explained)) {
		if c.explained[what] == 0 {
			short = append(short, fmt.Sprintf("a known difference was never met, and may be stale: %s", what))
		}
	}
	if s := c.MaskedShare(); s > mostMasked {
		short = append(short, fmt.Sprintf("known differences explain %.1f %% of the steps, want at most %.0f %%", 100*s,
			100*mostMasked))
	}
	return short
}

// Errno is one that sentences of the law name.
type Errno struct {
	Name string
	// By are the requirements that name it, and Must those of them that are neither MAY nor HAZARD: of what these allow,
	// a stack does one thing, and need never do the others.
	By, Must []string
}

// Alternative tells an errno that stands only among several right answers.
func (e Errno) Alternative() bool { return len(e.Must) == 0 }

func (e Errno) promised() string {
	if e.Alternative() {
		return strings.Join(e.By, ", ") + " may have another answer"
	}
	return strings.Join(e.Must, ", ") + " speaks of it"
}

// Errnos are those that the sentences of the law name for a RoCEv2 stack, sorted by name.
func Errnos(law *catalogue.Catalogue) []Errno {
	named := map[string]Errno{}
	for _, q := range law.All() {
		if !slices.Contains(q.On, spec.RoCEv2) {
			continue
		}
		for _, name := range errnoName.FindAllString(q.Says, -1) {
			if name == "ENOTSUP" {
				name = spec.ENOTSUP.Name()
			}
			if !isErrno(name) {
				continue
			}
			e := named[name]
			e.Name, e.By = name, append(e.By, q.ID)
			if q.Level != spec.May && q.Level != spec.Hazard {
				e.Must = append(e.Must, q.ID)
			}
			named[name] = e
		}
	}
	var all []Errno
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, named[name])
	}
	return all
}

// isErrno tells the names of package spec.
func isErrno(name string) bool {
	for e := spec.Errno(1); e < 1024; e++ {
		if e.Name() == name {
			return true
		}
	}
	return false
}

// Write prints a line for each call, and what was reached besides; and what was not, but need not be.
func (c *Coverage) Write(w io.Writer, law *catalogue.Catalogue) error {
	var text strings.Builder
	for _, name := range call.Methods() {
		fmt.Fprintf(&text, "  %-28s %5.1f %%", name, 100*c.Share(name))
		if c.Share(name) < leastShare {
			fmt.Fprintf(&text, ", less than %.0f %%", 100*leastShare)
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "  %d walks, %d steps, %d blocked, %.1f %% masked; errnos: %s\n", c.Walks, c.steps, c.blocked,
		100*c.MaskedShare(), strings.Join(slices.Sorted(maps.Keys(c.errnos)), " "))
	for _, e := range Errnos(law) {
		if c.errnos[e.Name] == 0 && e.Alternative() {
			fmt.Fprintf(&text, "  %s was not told; %s\n", e.Name, e.promised())
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

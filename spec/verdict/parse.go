package verdict

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/yamldoc"
)

// File is a named piece of YAML.
type File struct {
	Name string
	Data []byte
}

// entry is a known issue as it is written.
type entry struct {
	ID          string     `yaml:"id"`
	Requirement string     `yaml:"requirement"`
	During      string     `yaml:"during"`
	Layer       spec.Layer `yaml:"layer"`
	When        struct {
		Target   string `yaml:"target"`
		Driver   string `yaml:"driver"`
		Kernel   string `yaml:"kernel"`
		RDMACore string `yaml:"rdma_core"`
		RoCEMode string `yaml:"roce_mode"`
		Quirk    string `yaml:"quirk"`
	} `yaml:"when"`
	Symptom struct {
		Verdict  Verdict           `yaml:"verdict"`
		Observed map[string]string `yaml:"observed"`
	} `yaml:"symptom"`
	Reference string `yaml:"reference"`
	Owner     string `yaml:"owner"`
	Added     string `yaml:"added"`
	Expires   string `yaml:"expires"`
}

// Find is how the law is asked for a requirement: catalogue.Catalogue's Find.
type Find func(id string) (catalogue.Requirement, bool)

// ParseIssues reads lists of known issues. It refuses, each with the file and the line: a field it does not know, a
// requirement that the law does not have or that does not observe what the symptom names, an id used twice, a missing
// reference, owner or date, a range that is none, and an issue so broad that it would hide another one: with no "when",
// or a FAIL with nothing observed.
func ParseIssues(find Find, files ...File) (Issues, error) {
	var issues Issues
	var errs []error
	for _, f := range files {
		entries, lines, err := f.entries()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for i, e := range entries {
			k, err := e.issue(find)
			k.File, k.Line = f.Name, lines[i]
			if j := slices.IndexFunc(issues, func(o KnownIssue) bool { return o.ID == k.ID }); err == nil && j >= 0 {
				err = fmt.Errorf("id %s is used before, in %s:%d; give this entry its own", k.ID, issues[j].File, issues[j].Line)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: %w", f.Name, lines[i], err))
				continue
			}
			issues = append(issues, k)
		}
	}
	return issues, errors.Join(errs...)
}

const want = "a list of known issues with id, requirement, layer, when, symptom, reference, owner, added, expires " +
	"and, if need be, during"

// entries decodes the file and gives the line on which each entry begins.
func (f File) entries() ([]entry, []int, error) {
	var entries []entry
	if err := yamldoc.Decode(f.Name, want, f.Data, &entries); errors.Is(err, yamldoc.ErrEmpty) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	var nodes []yaml.Node
	if err := yaml.Unmarshal(f.Data, &nodes); err != nil {
		return nil, nil, err // it was a list a moment ago
	}
	var lines []int
	for _, n := range nodes {
		lines = append(lines, n.Line)
	}
	return entries, lines, nil
}

func (e entry) issue(find Find) (KnownIssue, error) {
	k := KnownIssue{
		ID: e.ID, Requirement: e.Requirement, During: e.During, Layer: e.Layer, Reference: e.Reference, Owner: e.Owner,
		When:    When{Target: e.When.Target, Driver: e.When.Driver, RoCEMode: e.When.RoCEMode, Quirk: e.When.Quirk},
		Symptom: Symptom{Verdict: e.Symptom.Verdict, Observed: e.Symptom.Observed},
	}
	fail := func(format string, args ...any) (KnownIssue, error) {
		return k, fmt.Errorf("known issue %s: "+format, append([]any{e.name()}, args...)...)
	}
	for _, field := range []struct{ name, value string }{
		{"id", e.ID},
		{"requirement", e.Requirement},
		{"reference", e.Reference},
		{"owner", e.Owner},
		{"added", e.Added},
		{"expires", e.Expires},
	} {
		if strings.TrimSpace(field.value) == "" {
			return fail("%s is missing; every known issue has one", field.name)
		}
	}
	if err := e.lawful(find); err != nil {
		return fail("%w", err)
	}
	if !slices.Contains(spec.Layers(), e.Layer) {
		return fail("layer %q is none; want one of %v", e.Layer, spec.Layers())
	}
	var err error
	if k.Added, err = time.Parse(time.DateOnly, e.Added); err != nil {
		return fail("added is %q; want a date such as 2026-01-31", e.Added)
	}
	if k.Expires, err = time.Parse(time.DateOnly, e.Expires); err != nil {
		return fail("expires is %q; want a date such as 2026-01-31", e.Expires)
	}
	if k.Expires.Before(k.Added) {
		return fail("it expires on %s, before %s, when it was added", e.Expires, e.Added)
	}
	if k.When, err = e.ranges(k.When); err != nil {
		return fail("%w", err)
	}
	if k.When == (When{}) {
		return fail("too broad: when is empty; name the target, driver, kernel, rdma_core, roce_mode or quirk that has it")
	}
	switch v := e.Symptom.Verdict; v {
	case Hang, Crash:
	case Fail:
		if len(e.Symptom.Observed) == 0 {
			return fail("too broad: its symptom observes nothing; name at least one observed field and its value")
		}
	default:
		return fail("symptom verdict %q cannot be known; want FAIL, HANG or CRASH", v)
	}
	return k, nil
}

func (e entry) name() string {
	if e.ID == "" {
		return "without id"
	}
	return e.ID
}

// lawful refuses what the law has no place for.
func (e entry) lawful(find Find) error {
	q, ok := find(e.Requirement)
	if !ok {
		return fmt.Errorf("requirement %s is not in the catalogue; name one that is", e.Requirement)
	}
	for _, field := range slices.Sorted(maps.Keys(e.Symptom.Observed)) {
		if !slices.Contains(q.Observe, field) {
			return fmt.Errorf("%s does not observe %s; want one of %s", q.ID, field, strings.Join(q.Observe, ", "))
		}
	}
	if e.During == "" {
		return nil
	}
	if !q.JudgedBySuite() {
		return fmt.Errorf("during is for what specs leave behind, and %s is judged by its own specs; leave it out", q.ID)
	}
	switch during, ok := find(e.During); {
	case !ok:
		return fmt.Errorf("during %s is not in the catalogue; name the requirement whose specs leave it behind", e.During)
	case during.JudgedBySuite() || during.WhyNot != "":
		return fmt.Errorf("during %s has no specs that could leave anything; name the requirement whose specs do", e.During)
	}
	return nil
}

func (e entry) ranges(w When) (When, error) {
	if _, err := path.Match(w.Target, ""); err != nil {
		return w, fmt.Errorf(`target %q is no pattern; one looks like "rxe-*"`, w.Target)
	}
	var err error
	if e.When.Kernel != "" {
		if w.Kernel, err = ParseRange(e.When.Kernel); err != nil {
			return w, fmt.Errorf("kernel: %w", err)
		}
	}
	if e.When.RDMACore != "" {
		if w.RDMACore, err = ParseRange(e.When.RDMACore); err != nil {
			return w, fmt.Errorf("rdma_core: %w", err)
		}
	}
	return w, nil
}

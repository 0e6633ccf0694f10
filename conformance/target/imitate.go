package target

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"joinmcast/fixtures"
	"joinmcast/sim"
	"joinmcast/sim/quirk"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// Profiles of the simulated stack.
const (
	Upstream = "upstream" // what a kernel and an rdma-core do, their defects included
	Promise  = "promise"  // the same without the defects
)

// defaultSuite is the Debian suite whose kernel and rdma-core the simulated stack imitates when nothing else is said.
const defaultSuite = "bookworm"

// release is the kernel and the rdma-core that a Debian suite had when they were measured.
type release struct{ suite, kernel, rdmaCore string }

var releases = []release{
	{"bullseye", "5.10.262", "33.2"},
	{"bookworm", "6.1.192", "44.0"},
	{"trixie", "6.12.118", "56.1"},
	{"sid", "7.2.13", "65.0"},
}

var version = regexp.MustCompile(`^\d+\.\d+(\.\d+)?(-rc\d+)?$`)

// versionOf is what a suite has of something, or the version itself.
func versionOf(what, name string, of func(release) string) (string, error) {
	if version.MatchString(name) {
		return name, nil
	}
	var suites []string
	for _, r := range releases {
		if r.suite == name {
			return of(r), nil
		}
		suites = append(suites, r.suite)
	}
	return "", fmt.Errorf("%s is %q; a simulated stack imitates that of %s, or a version such as %s", what, name,
		strings.Join(suites, ", "), of(releases[0]))
}

// imitates are the kernel and the rdma-core that the simulated stack imitates; none is the promise.
func (t *Target) imitates() (kernel, rdmaCore string, err error) {
	if t.Profile == Promise {
		return "", "", nil
	}
	if kernel, err = versionOf("kernel", t.Kernel, func(r release) string { return r.kernel }); err != nil {
		return "", "", err
	}
	rdmaCore, err = versionOf("rdma_core", t.RDMACore, func(r release) string { return r.rdmaCore })
	return kernel, rdmaCore, err
}

// Imitable tells whether a simulated stack can imitate such a kernel and rdma-core: of a Debian suite or a version, but
// not of a path.
func Imitable(kernel, rdmaCore string) bool {
	_, _, err := (&Target{Kernel: kernel, RDMACore: rdmaCore}).imitates()
	return err == nil
}

// checkProfile fills in what upstream's profile imitates, and refuses what is no profile.
func (t *Target) checkProfile() error {
	if t.Profile == "" {
		t.Profile = Upstream
	}
	switch {
	case t.Profile == Promise && (t.Kernel != "" || t.RDMACore != ""):
		return fmt.Errorf("kernel and rdma_core do not go with profile %s, which imitates none", Promise)
	case t.Profile == Promise:
		return nil
	case t.Profile != Upstream:
		return fmt.Errorf("no profile is named %q; known: %s, %s", t.Profile, Promise, Upstream)
	}
	for _, field := range []*string{&t.Kernel, &t.RDMACore} {
		if *field == "" {
			*field = defaultSuite
		}
	}
	_, _, err := t.imitates()
	return err
}

// openSim opens the simulated stack: of upstream's profile with the quirks that are the known issues of what it
// imitates.
func (t *Target) openSim(ctx context.Context, nonce string) (*sim.Lab, error) {
	kernel, rdmaCore, err := t.imitates()
	if err != nil {
		return nil, err
	}
	o := sim.Options{
		Kind: t.Kind, Beside: t.Beside, Mode: t.RoCEMode, Topology: t.Topology, Kernel: kernel, RDMACore: rdmaCore,
		Nonce: nonce, Capture: t.Capture,
	}
	if t.Profile == Upstream {
		if o.Defects, err = t.defects(ctx, o); err != nil {
			return nil, err
		}
	}
	o.Quirks, o.Faults = t.Quirks, t.Faults
	return sim.NewLab(o)
}

// defects are the quirks of upstream's that a stack has, by the known issues that speak of it.
func (t *Target) defects(ctx context.Context, o sim.Options) ([]string, error) {
	lab, err := sim.NewLab(o)
	if err != nil {
		return nil, err
	}
	world, err := lab.Fresh(ctx, 0)
	if err != nil {
		return nil, err
	}
	env, err := world.Environment(ctx)
	if err != nil {
		return nil, err
	}
	issues, err := knownIssues()
	if err != nil {
		return nil, err
	}
	issues = issues.Applying(verdict.FactsOf(t.Name, env))
	return quirk.Upstream(func(id string) bool {
		return slices.ContainsFunc(issues, func(k verdict.KnownIssue) bool { return k.ID == id })
	}), world.Close(ctx)
}

// knownIssues are the suite's own.
func knownIssues() (verdict.Issues, error) {
	law, err := catalogue.Load()
	if err != nil {
		return nil, err
	}
	files, err := fixtures.KnownIssues()
	if err != nil {
		return nil, err
	}
	return verdict.ParseIssues(law.Find, files...)
}

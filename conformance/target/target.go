// Package target says what a run judges and opens it. It is the one place of the suite that knows the stacks.
package target

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"joinmcast/fixtures"
	"joinmcast/sim"
	"joinmcast/sim/quirk"
	"joinmcast/spec"
	"joinmcast/spec/yamldoc"
)

// Stack is a kind of stack a target file can name.
type Stack string

// Stacks.
const (
	Sim    Stack = "sim"
	Permit Stack = "permit" // permits everything and does nothing
	Refuse Stack = "refuse" // refuses everything
	RXE    Stack = "rxe"    // Soft-RoCE on real kernels, in guests
	HW     Stack = "hw"     // RDMA devices of this machine
)

// Worlds say what world of guests a spec gets.
type Worlds string

// Kinds of worlds.
const (
	Fresh     Worlds = "fresh"     // a pair of guests that nobody has used
	Unspoiled Worlds = "unspoiled" // or a pair that the specs before have left as it was, for all that can be seen
)

// Target is a target file with what flags changed of it.
type Target struct {
	Name         string          `yaml:"-"` // of the folder the reports go to
	Stack        Stack           `yaml:"stack"`
	Kind         string          `yaml:"kind"`          // of a simulated stack's RDMA devices; empty: rxe
	Beside       []string        `yaml:"beside"`        // kinds of further devices of each host
	RoCEMode     spec.RoCEMode   `yaml:"roce_mode"`     // of its ports; empty: the kind's default
	Transport    spec.Transport  `yaml:"transport"`     // that stacks permit and refuse say to be of; empty: rocev2
	Profile      string          `yaml:"profile"`       // of the simulated stack; empty: upstream
	Quirks       []string        `yaml:"quirks"`        // of the simulated stack, beside its profile's
	Faults       []sim.HostFault `yaml:"faults"`        // of the simulated stack's hosts, in every world
	Topology     sim.Topology    `yaml:",inline"`       // of the simulated stack
	Kernel       string          `yaml:"kernel"`        // a Debian suite; of guests, or a path; of sim, or a version
	RDMACore     string          `yaml:"rdma_core"`     // a Debian suite; of guests, or a path; of sim, or a version
	Worlds       Worlds          `yaml:"worlds"`        // of guests; empty: fresh
	HeldBeside   []string        `yaml:"-"`             // further rdma-cores that guests hold, as rdma_core names them
	Device       string          `yaml:"device"`        // of this machine, as in mlx5_0; empty: the first
	Programs     string          `yaml:"-"`             // folder of the host program and the agent
	Capture      bool            `yaml:"-"`             // worlds are spec.Wiretaps
	AllowPartial bool            `yaml:"allow_partial"` // a run that had to skip a MUST is green
	CallDeadline time.Duration   `yaml:"call_deadline"`
	SpecDeadline time.Duration   `yaml:"spec_deadline"`
}

// Overrides are the flags that change a target; empty ones change nothing.
type Overrides struct {
	Quirks   []string
	Kernel   string
	RDMACore string
	Worlds   string
	Beside   []string // rdma-cores that guests hold too
	Device   string
	Programs string
	Capture  bool
}

// Live tells whether the target is a real stack, whose environment must give this run's nonce back.
func (t *Target) Live() bool { return t.Stack == RXE || t.Stack == HW }

// Shared tells whether all specs share one world that is not ours.
func (t *Target) Shared() bool { return t.Stack == HW }

// Load reads a target by its name or by the path of its file.
func Load(nameOrPath string, o Overrides) (*Target, error) {
	text, err := read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Parse(nameOrPath, text, o)
}

// Parse reads the text of a target file.
func Parse(nameOrPath string, text []byte, o Overrides) (*Target, error) {
	t := &Target{Name: strings.TrimSuffix(filepath.Base(nameOrPath), ".yaml")}
	const want = "a target with stack, call_deadline, spec_deadline and what README and fixtures/targets show"
	if err := yamldoc.Decode(nameOrPath, want, text, t); err != nil {
		return nil, err
	}
	if err := t.override(o); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("target %s: %w", nameOrPath, err)
	}
	if t.Stack == RXE || t.Stack == Sim && (o.Kernel != "" || o.RDMACore != "") {
		t.Name += "-" + filepath.Base(t.Kernel) + "-" + filepath.Base(t.RDMACore)
	}
	return t, nil
}

func read(nameOrPath string) ([]byte, error) {
	if !strings.ContainsAny(nameOrPath, `/\.`) {
		text, err := fixtures.Files.ReadFile(path.Join("targets", nameOrPath+".yaml"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no target %q; there are %s, or give the path of a file", nameOrPath,
				strings.Join(names(), ", "))
		}
		return text, err
	}
	text, err := os.ReadFile(nameOrPath)
	if err != nil {
		return nil, fmt.Errorf("the target file cannot be read: %w", err)
	}
	return text, nil
}

// names are those of the embedded targets.
func names() []string {
	files, err := fs.Glob(fixtures.Files, "targets/*.yaml")
	if err != nil {
		return nil // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

func (t *Target) override(o Overrides) error {
	for _, flag := range []struct {
		name, value string
		field       *string
		stacks      []Stack
	}{
		{"-kernel", o.Kernel, &t.Kernel, []Stack{RXE, Sim}},
		{"-rdma-core", o.RDMACore, &t.RDMACore, []Stack{RXE, Sim}},
		{"-device", o.Device, &t.Device, []Stack{HW}},
	} {
		switch {
		case flag.value == "":
		case !slices.Contains(flag.stacks, t.Stack):
			return fmt.Errorf("%s does not go with target %s, whose stack is %s; it is for stack %s", flag.name, t.Name,
				t.Stack, listed(flag.stacks))
		default:
			*flag.field = flag.value
		}
	}
	if len(o.Quirks) > 0 && t.Stack != Sim {
		return fmt.Errorf("-quirk does not go with target %s, whose stack is %s; only a simulated stack has quirks",
			t.Name, t.Stack)
	}
	if o.Capture && t.Stack != Sim && t.Stack != RXE {
		return fmt.Errorf("-pcap does not go with target %s, whose stack is %s; only the wire of stacks sim and rxe can be "+
			"captured", t.Name, t.Stack)
	}
	t.Quirks = append(t.Quirks, o.Quirks...)
	if (o.Worlds != "" || len(o.Beside) > 0) && t.Stack != RXE {
		return fmt.Errorf("-worlds and -rdma-cores do not go with target %s, whose stack is %s; only stack rxe has guests",
			t.Name, t.Stack)
	}
	t.Worlds = cmp.Or(Worlds(o.Worlds), t.Worlds)
	t.HeldBeside = o.Beside
	t.Programs, t.Capture = o.Programs, o.Capture
	return nil
}

func (t *Target) check() error {
	switch {
	case !slices.Contains([]Stack{Sim, Permit, Refuse, RXE, HW}, t.Stack):
		return fmt.Errorf("stack is %q, want sim, rxe, hw, permit or refuse", t.Stack)
	case t.CallDeadline <= 0:
		return errors.New("call_deadline is missing, want a duration such as 2s")
	case t.SpecDeadline < t.CallDeadline:
		return fmt.Errorf("spec_deadline is %s, want more than call_deadline, %s", t.SpecDeadline, t.CallDeadline)
	case (t.Kind != "" || t.RoCEMode != "" || len(t.Beside) > 0) && t.Stack != Sim:
		return fmt.Errorf("kind, beside and roce_mode do not go with stack %s; only a simulated stack is given its devices",
			t.Stack)
	case t.Transport != "" && t.Stack != Permit && t.Stack != Refuse:
		return fmt.Errorf("transport does not go with stack %s; only permit and refuse say to be of one", t.Stack)
	case t.Profile != "" && t.Stack != Sim:
		return fmt.Errorf("profile does not go with stack %s; only a simulated stack has one", t.Stack)
	case len(t.Faults) > 0 && t.Stack != Sim:
		return fmt.Errorf("faults do not go with stack %s; only on a simulated stack do things go wrong on command", t.Stack)
	case !reflect.ValueOf(t.Topology).IsZero() && t.Stack != Sim:
		return fmt.Errorf("hosts, vlans and switch do not go with stack %s; only a simulated stack has them", t.Stack)
	case t.Worlds != "" && t.Stack != RXE:
		return fmt.Errorf("worlds do not go with stack %s; only stack rxe has guests", t.Stack)
	case !slices.Contains([]Worlds{"", Fresh, Unspoiled}, t.Worlds):
		return fmt.Errorf("worlds is %q, want %s or %s", t.Worlds, Fresh, Unspoiled)
	case t.Worlds == Unspoiled && t.Capture:
		return errors.New("the wire of unspoiled worlds cannot be captured, as specs share it; want worlds: fresh")
	case t.Stack == RXE && (t.Kernel == "" || t.RDMACore == ""):
		return errors.New("stack rxe wants kernel and rdma_core, each a Debian suite or a path")
	}
	if err := t.Topology.Check(); err != nil {
		return err
	}
	for i, f := range t.Faults {
		if err := f.Check(); err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
	}
	for _, name := range t.Quirks {
		if err := quirk.Check(strings.TrimPrefix(name, quirk.Without)); err != nil {
			return err
		}
	}
	if t.Stack == Sim {
		if _, err := sim.NewLab(sim.Options{Kind: t.Kind, Beside: t.Beside, Mode: t.RoCEMode}); err != nil {
			return err
		}
		return t.checkProfile()
	}
	return nil
}

// listed are stacks as a sentence names them.
func listed(stacks []Stack) string {
	var names []string
	for _, s := range stacks {
		names = append(names, string(s))
	}
	return strings.Join(names, " or ")
}

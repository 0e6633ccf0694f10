package suite

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"joinmcast/conformance/target"
)

// flags are the suite's own; with ginkgo they follow "--".
type flags struct {
	target      string
	quirks      string
	kernel      string
	rdmaCore    string
	worlds      string
	rdmaCores   string
	device      string
	programs    string
	knownIssues string
	baseline    string
	out         string
	pcap        bool
	reproduce   bool
}

func (f *flags) register(set *flag.FlagSet) {
	set.StringVar(&f.target, "target", "sim", "what to judge: a target's `name`, or the path of its file")
	set.StringVar(&f.quirks, "quirk", "", "`names` of the simulated stack's deviations: put in, or with - before it out")
	set.StringVar(&f.kernel, "kernel", "", "a Debian suite; of guests also the `path` of a build tree, of sim a version")
	set.StringVar(&f.rdmaCore, "rdma-core", "", "a Debian suite; of guests also the `path` of a build, of sim a version")
	set.StringVar(&f.worlds, "worlds", "", "fresh: a `kind` of guests for each spec that nobody has used; or unspoiled")
	set.StringVar(&f.rdmaCores, "rdma-cores", "", "further `names` of rdma-cores that guests hold, with commas between")
	set.StringVar(&f.device, "device", "", "RDMA `device` of this machine, as in mlx5_0")
	set.StringVar(&f.programs, "programs", "", "`folder` of the host program and the agent (default: bin)")
	set.StringVar(&f.knownIssues, "known-issues", "", "more `files` of known issues, with commas between")
	set.StringVar(&f.baseline, "baseline", "", "the `report.json` of another run: the page says what changed since")
	set.BoolVar(&f.pcap, "pcap", false, "capture each spec's wire, as a pcapng file in the folder wire of the reports")
	set.BoolVar(&f.reproduce, "reproduce", false, "write the C program of every spec, not only of those that fail")
	set.StringVar(&f.out, "out", "", "`folder` under which each target has its folder of reports (default: reports/out)")
}

// command is what repeats the run.
func (f *flags) command(seed int64, filter string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "go tool ginkgo --seed=%d", seed)
	if filter != "" {
		fmt.Fprintf(&b, " --label-filter='%s'", filter)
	}
	fmt.Fprintf(&b, " ./conformance -- -target=%s", f.target)
	for _, own := range []struct{ name, value string }{
		{"quirk", f.quirks},
		{"kernel", f.kernel},
		{"rdma-core", f.rdmaCore},
		{"worlds", f.worlds},
		{"device", f.device},
		{"programs", f.programs},
		{"known-issues", f.knownIssues},
	} {
		if own.value != "" {
			fmt.Fprintf(&b, " -%s=%s", own.name, own.value)
		}
	}
	if f.pcap {
		b.WriteString(" -pcap")
	}
	if f.reproduce {
		b.WriteString(" -reproduce")
	}
	return b.String()
}

func (f *flags) overrides() target.Overrides {
	programs := f.programs
	if programs == "" {
		programs = filepath.Join(moduleRoot(), "bin")
	}
	return target.Overrides{
		Quirks: list(f.quirks), Kernel: f.kernel, RDMACore: f.rdmaCore, Worlds: f.worlds, Beside: list(f.rdmaCores),
		Device: f.device, Programs: programs,
		Capture: f.pcap,
	}
}

func list(commas string) []string {
	if commas == "" {
		return nil
	}
	return strings.Split(commas, ",")
}

// outFolder is the folder of all reports, made if need be and found writable.
func (f *flags) outFolder() (string, error) {
	dir := f.out
	if dir == "" {
		dir = filepath.Join(moduleRoot(), "reports", "out")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("the reports cannot be written: %w; give another folder with -out", err)
	}
	probe, err := os.CreateTemp(dir, ".writable-")
	if err != nil {
		return "", fmt.Errorf("the reports cannot be written: %w; give another folder with -out", err)
	}
	return dir, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// moduleRoot is the checkout the suite runs in, or the working folder of a binary that was carried elsewhere.
func moduleRoot() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for up := dir; ; up = filepath.Dir(up) {
		if text, err := os.ReadFile(filepath.Join(up, "go.mod")); err == nil {
			if strings.HasPrefix(string(text), "module joinmcast\n") {
				return up
			}
		}
		if up == filepath.Dir(up) {
			return dir
		}
	}
}

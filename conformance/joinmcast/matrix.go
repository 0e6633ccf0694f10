package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"joinmcast/conformance/target"
	"joinmcast/reports"
	"joinmcast/reports/matrix"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// Ends of a matrix that is not green; its conclusion says more.
var (
	errNotConformant = errors.New("a cell is not conformant, or a build is worse than its release")
	errNotQualified  = errors.New("a cell is not qualified")
)

// crossing runs the suite on every kernel with every rdma-core.
type crossing struct {
	suite, out, programs string
	base, worlds         string
	filter, into         string
	kernels, rdmaCores   []string
	quick                bool
	sideBySide           int

	cells []*matrix.Cell

	mu   sync.Mutex
	done int
}

// matrixCommand judges many kernels and rdma-cores and puts the reports into one table.
func matrixCommand(args []string) error {
	x, err := parseMatrix(args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	law, err := catalogue.Load()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := x.run(ctx); err != nil {
		return err
	}
	table, err := matrix.Build(x.cells, law.Find)
	if err != nil {
		return err
	}
	dir := filepath.Join(x.out, "matrix")
	if err := writeTable(dir, table); err != nil {
		return err
	}
	if x.into != "" {
		if err := replaceTable(x.into, "make matrix", table.Overview()); err != nil {
			return err
		}
	}
	fmt.Printf("%s\n%d cells in %s, %.0f CPU-seconds; the table is %s\n", table.Conclusion(), len(x.cells),
		time.Since(began).Round(time.Second), cpuOfChildren().Seconds(), filepath.Join(dir, "index.html"))
	switch table.Status() {
	case verdict.ExitNotConformant:
		return errNotConformant
	case verdict.ExitRunFailed:
		return errNotQualified
	}
	return nil
}

func parseMatrix(args []string) (*crossing, error) {
	const suites = "bullseye bookworm trixie sid"
	x := &crossing{}
	set := flag.NewFlagSet("matrix", flag.ContinueOnError)
	kernels := set.String("kernels", suites, "Debian `suites` or paths, the oldest first")
	rdmaCores := set.String("rdma-cores", suites, "Debian `suites` or paths; a path is compared with a release")
	set.StringVar(&x.base, "base", "", "the rdma-core to compare paths with; empty: of each the nearest version")
	set.BoolVar(&x.quick, "quick", false, "each kernel with its own rdma-core, and one kernel with all")
	set.StringVar(&x.worlds, "worlds", string(target.Unspoiled), "`kind` of worlds that specs get: unspoiled or fresh")
	set.StringVar(&x.filter, "label-filter", "", "`labels` of the specs to run, as Ginkgo's filter takes them; empty: all")
	set.StringVar(&x.into, "into", "", "a `file` whose overview, between two marks, is to be this one")
	set.StringVar(&x.suite, "suite", filepath.Join("bin", "conformance.test"), "the suite's `binary`")
	set.StringVar(&x.out, "out", filepath.Join("reports", "out"), "`folder` of the reports")
	set.StringVar(&x.programs, "programs", "bin", "`folder` of the host program and the agent")
	set.IntVar(&x.sideBySide, "side-by-side", runtime.NumCPU(), "how many `cells` run at a time")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	x.kernels, x.rdmaCores = strings.Fields(*kernels), strings.Fields(*rdmaCores)
	switch {
	case set.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag; matrix -h lists the flags", set.Arg(0))
	case len(x.kernels) == 0 || len(x.rdmaCores) == 0:
		return nil, errors.New("a matrix wants a kernel or more, and an rdma-core or more")
	case x.base != "" && !slices.Contains(x.rdmaCores, x.base):
		return nil, fmt.Errorf("-base is %q, want one of the rdma-cores: %s", x.base, strings.Join(x.rdmaCores, ", "))
	case x.sideBySide < 1:
		return nil, fmt.Errorf("-side-by-side is %d, want 1 or more", x.sideBySide)
	}
	return x, x.addCells()
}

// addCells lists the cells, those of each kernel together.
func (x *crossing) addCells() error {
	for _, k := range x.kernels {
		for _, r := range x.rdmaCores {
			if x.quick && !x.isQuick(k, r) {
				continue
			}
			t, err := target.Load("rxe", target.Overrides{Kernel: k, RDMACore: r})
			if err != nil {
				return err
			}
			for _, c := range x.cells {
				if c.Target == t.Name {
					return fmt.Errorf("kernel %s with rdma-core %s and kernel %s with rdma-core %s would both be %s; want paths that "+
						"end in different names", c.Kernel, c.RDMACore, k, r, t.Name)
				}
			}
			own := strings.Contains(r, "/")
			c := &matrix.Cell{Target: t.Name, Kernel: k, RDMACore: r, Own: own}
			if own {
				c.Base = x.base
			}
			x.cells = append(x.cells, c)
		}
	}
	return nil
}

// isQuick tells the cells that a quick matrix has: the diagonal, one kernel's row, and what is no suite.
func (x *crossing) isQuick(kernel, rdmaCore string) bool {
	row := x.kernels[0]
	if slices.Contains(x.kernels, "bookworm") {
		row = "bookworm"
	}
	return kernel == row || kernel == rdmaCore
}

// run runs the cells, some of them side by side.
func (x *crossing) run(ctx context.Context) error {
	held := x.held(ctx)
	next := make(chan *matrix.Cell)
	failures := make(chan error, x.sideBySide)
	var workers sync.WaitGroup
	for range x.sideBySide {
		workers.Go(func() {
			for c := range next {
				if err := x.cell(ctx, c, held); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	for _, c := range x.cells {
		select {
		case next <- c:
			continue
		case err := <-failures:
			failures <- err
		}
		break
	}
	close(next)
	workers.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

// held are the rdma-cores that guests can hold, all of them in one boot. Each other has cells of its own, whose runs
// will say what is the matter with it.
func (x *crossing) held(ctx context.Context) []string {
	var good []string
	for _, r := range x.rdmaCores {
		t, err := target.Load("rxe", target.Overrides{RDMACore: r, Programs: x.programs})
		if err == nil {
			err = t.FetchRDMACore(ctx)
		}
		if err == nil {
			good = append(good, r)
		}
	}
	return good
}

// cell runs the suite on one cell. Only an interrupt is an error: what else goes wrong is the cell's.
func (x *crossing) cell(ctx context.Context, c *matrix.Cell, held []string) error {
	args := []string{
		"-ginkgo.seed=1", "-ginkgo.label-filter=" + x.filter,
		"-target=rxe", "-kernel=" + c.Kernel, "-rdma-core=" + c.RDMACore, "-worlds=" + x.worlds, "-programs=" + x.programs,
	}
	if slices.Contains(held, c.RDMACore) {
		args = append(args, "-rdma-cores="+strings.Join(held, ","))
	}
	folder := reports.Folder(c.Target, x.filter != "")
	path := filepath.Join(x.out, folder, reports.JSONFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // a report of another run is not this one's
		return err
	}
	began := time.Now()
	r, err := runSuite(ctx, x.suite, x.out, folder, args)
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		c.Reason = lastLine(err.Error()) // what the suite itself said comes last
	}
	c.Report = r
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done++
	line := fmt.Sprintf("%d of %d, %s: %s", x.done, len(x.cells), c.Target, c.Status())
	if c.Qualified() {
		line += ", " + c.Counts()
	} else {
		line += ": " + c.Why()
	}
	fmt.Printf("%s, %.0f s\n", line, time.Since(began).Seconds())
	return nil
}

// lastLine is the end of a text.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// writeTable writes the table in all its forms, and what each build of one's own changes as a page.
func writeTable(dir string, t *matrix.Table) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	forms := map[string]func(io.Writer) error{
		"index.html": t.WriteHTML, "matrix.md": t.WriteMarkdown, "matrix.json": t.WriteJSON,
	}
	for _, own := range t.Owns {
		forms[own.Cell.Target+".html"] = own.Diff.WriteHTML
	}
	for name, write := range forms {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// cpuOfChildren is the time that all processes this one has waited for have computed, their own children included.
func cpuOfChildren() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Package matrix puts the reports of many kernels and rdma-cores beside each other: on which requirements they differ,
// with which version each difference began, and what a build of one's own changes.
package matrix

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"joinmcast/reports"
	"joinmcast/reports/diff"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// Cell is one kernel with one rdma-core.
type Cell struct {
	Target   string // of its folder of reports
	Kernel   string // as it was asked for: a Debian suite or a path
	RDMACore string
	Own      bool            // rdma-core is a path: it is compared with a release instead of being one
	Base     string          // of its own: the RDMACore of the release to compare with; empty: the nearest version
	Report   *reports.Report // nil when there is none
	Reason   string          // why there is none
}

// Qualified tells whether the cell says something about its stack.
func (c *Cell) Qualified() bool {
	return c.Report != nil && c.Report.Summary.Status != verdict.NotQualified
}

// Status is the report's, NOT-QUALIFIED without one.
func (c *Cell) Status() verdict.Status {
	if c.Report == nil {
		return verdict.NotQualified
	}
	return c.Report.Summary.Status
}

// Why is why the cell is not qualified, in one sentence.
func (c *Cell) Why() string {
	if c.Report == nil {
		return c.Reason
	}
	return c.Report.Summary.Reason
}

// KernelVersion is the kernel's version as its release tells it, or what was asked for.
func (c *Cell) KernelVersion() string {
	if !c.Qualified() {
		return c.Kernel
	}
	return cmp.Or(version(verdict.FactsOf(c.Target, c.Report.Environment).Kernel), c.Kernel)
}

// RDMACoreVersion is rdma-core's version; of a build of one's own, the name of its folder.
func (c *Cell) RDMACoreVersion() string {
	if c.Own || !c.Qualified() {
		return shortName(c.RDMACore)
	}
	return cmp.Or(c.ownVersion(), c.RDMACore)
}

// ownVersion is the number with which the version of the cell's rdma-core begins.
func (c *Cell) ownVersion() string {
	return version(verdict.FactsOf(c.Target, c.Report.Environment).RDMACore)
}

var leadingVersion = regexp.MustCompile(`^\d+(\.\d+)*`)

func version(text string) string { return leadingVersion.FindString(text) }

func shortName(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Count is how many requirements of the cell ended so.
func (c *Cell) Count(v verdict.Verdict) int {
	if c.Report == nil {
		return 0
	}
	return c.Report.Summary.Counts[v]
}

// Table is all cells, grouped by kernel, and on what they differ.
type Table struct {
	Cells []*Cell
	Rows  []Row
	Alike int   // requirements on which all qualified cells agree
	Owns  []Own // what the builds of one's own change
}

// Own is a build of one's own beside the release it is compared with.
type Own struct {
	Cell, Base *Cell
	Diff       *diff.Diff
}

// Row is one requirement on which cells differ.
type Row struct {
	ID      string
	Level   spec.Level
	Layer   spec.Layer
	Chapter string
	Says    string
	Class   diff.Class // the gravest of Began
	Began   []Begin
	Values  []Value // one a cell
}

// Begin is a difference with the version it began with.
type Begin struct {
	Class diff.Class
	With  string // as in "kernel 6.12.118"
	Where string // as in "rdma-core 33.2, 44.0", where not on all cells; else empty
}

func (b Begin) String() string {
	text := fmt.Sprintf("%s with %s", b.Class, b.With)
	if b.Where != "" {
		text += " on " + b.Where
	}
	return text
}

// Value is what a cell has of a requirement: its verdict and those observed fields on which cells differ, by name.
type Value struct {
	Verdict  verdict.Verdict `json:"verdict,omitempty"`
	Observed []string        `json:"observed,omitempty"` // as in "errno: EINVAL"
}

// Build makes the table of cells, which are in the order of their kernels, and of a kernel in the order of their
// rdma-cores. A build of one's own whose Base no cell has is an error.
func Build(cells []*Cell, law diff.Find) (*Table, error) {
	t := &Table{Cells: cells}
	found := steps(cells, law)
	for _, c := range cells {
		if !c.Own || !c.Qualified() {
			continue
		}
		base, err := baseOf(c, cells)
		if err != nil {
			return nil, err
		}
		if base == nil {
			continue
		}
		own := Own{Cell: c, Base: base, Diff: diff.Compare(base.Report, c.Report, law)}
		t.Owns = append(t.Owns, own)
		for _, change := range own.Diff.Changes {
			found = append(found, step{axis: ownAxis, to: c, beside: c.KernelVersion(), change: change})
		}
	}
	t.addRows(found)
	return t, nil
}

// baseOf is the release that a build of one's own is compared with: on the same kernel, the one named, or the newest
// that is not newer; nil when that kernel has none that is qualified.
func baseOf(own *Cell, cells []*Cell) (*Cell, error) {
	var base *Cell
	named := false
	for _, c := range cells {
		if c.Own || c.Kernel != own.Kernel {
			continue
		}
		named = named || c.RDMACore == own.Base
		switch {
		case !c.Qualified():
		case own.Base != "" && c.RDMACore != own.Base:
		case base == nil, nearer(own.ownVersion(), c.ownVersion(), base.ownVersion()):
			base = c
		}
	}
	if own.Base != "" && !named {
		return nil, fmt.Errorf("there is no cell of rdma-core %q on kernel %s to compare %s with", own.Base, own.Kernel,
			own.RDMACore)
	}
	return base, nil
}

// nearer tells whether version a is nearer to wanted than b: not newer than wanted, and of two such the newer one; else
// the older one.
func nearer(wanted, a, b string) bool {
	fitsA, fitsB := compareVersions(a, wanted) <= 0, compareVersions(b, wanted) <= 0
	switch {
	case fitsA != fitsB:
		return fitsA
	case fitsA:
		return compareVersions(a, b) > 0
	}
	return compareVersions(a, b) < 0
}

func compareVersions(a, b string) int {
	return slices.Compare(numbers(a), numbers(b))
}

func numbers(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		n := 0
		_, _ = fmt.Sscan(part, &n) // what is no number sorts first
		all = append(all, n)
	}
	return all
}

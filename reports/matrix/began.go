package matrix

import (
	"slices"
	"strings"

	"joinmcast/reports"
	"joinmcast/reports/diff"
)

// axis is what two neighbouring cells differ in.
type axis string

const (
	kernelAxis   axis = "kernel"
	rdmaCoreAxis axis = "rdma-core"
	ownAxis      axis = "build" // of one's own
)

// step is a change from one cell to its neighbour.
type step struct {
	axis   axis
	to     *Cell
	beside string // the version that both have of the other axis
	change diff.Change
}

// with names the version that the change came with.
func (s step) with() string {
	if s.axis == kernelAxis {
		return "kernel " + s.to.KernelVersion()
	}
	return string(s.axis) + " " + s.to.RDMACoreVersion()
}

// other names the other axis.
func (s step) other() axis {
	if s.axis == kernelAxis {
		return rdmaCoreAxis
	}
	return kernelAxis
}

// steps are the changes between neighbours: from each kernel to the next with the same rdma-core, and from each
// rdma-core to the next on the same kernel. A cell that is not qualified is stepped over.
func steps(cells []*Cell, law diff.Find) []step {
	var found []step
	walk := func(a axis, same, beside func(*Cell) string) {
		last := map[string]*Cell{}
		for _, c := range cells {
			if c.Own || !c.Qualified() {
				continue
			}
			if from := last[same(c)]; from != nil {
				for _, change := range diff.Compare(from.Report, c.Report, law).Changes {
					found = append(found, step{axis: a, to: c, beside: beside(c), change: change})
				}
			}
			last[same(c)] = c
		}
	}
	kernel, rdmaCore := func(c *Cell) string { return c.Kernel }, func(c *Cell) string { return c.RDMACore }
	walk(kernelAxis, rdmaCore, (*Cell).RDMACoreVersion)
	walk(rdmaCoreAxis, kernel, (*Cell).KernelVersion)
	return found
}

// addRows makes a row of every requirement that a step changes, the gravest class first, then in the order of the law.
func (t *Table) addRows(found []step) {
	byID := map[string][]step{}
	for _, s := range found {
		byID[s.change.ID] = append(byID[s.change.ID], s)
	}
	for _, id := range t.requirements() {
		if len(byID[id]) == 0 {
			t.Alike++
			continue
		}
		t.Rows = append(t.Rows, t.row(byID[id]))
	}
	slices.SortStableFunc(t.Rows, func(a, b Row) int { return grave(a.Class) - grave(b.Class) })
}

// grave is a class's place among all, the gravest first.
func grave(c diff.Class) int { return slices.Index(diff.Classes(), c) }

// requirements are the ids of all cells' requirements, in the order of the first cell that has each.
func (t *Table) requirements() []string {
	var ids []string
	known := map[string]bool{}
	for _, c := range t.Cells {
		if !c.Qualified() {
			continue
		}
		for _, f := range c.Report.Requirements {
			if !known[f.ID] {
				known[f.ID] = true
				ids = append(ids, f.ID)
			}
		}
	}
	return ids
}

func (t *Table) row(found []step) Row {
	one := found[0].change
	r := Row{ID: one.ID, Level: one.Level, Layer: one.Layer, Chapter: one.Chapter, Says: one.Says, Class: one.Class}
	fields := map[string]bool{}
	for _, s := range found {
		if grave(s.change.Class) < grave(r.Class) {
			r.Class = s.change.Class
		}
		for _, f := range s.change.Observed {
			fields[f.Name] = true
		}
	}
	r.Began = t.begins(found)
	for _, c := range t.Cells {
		r.Values = append(r.Values, valueOf(c, one.ID, fields))
	}
	return r
}

// begins sums steps up: those of one class to one version are one beginning, whatever they are beside.
func (t *Table) begins(found []step) []Begin {
	var all []Begin
	beside := map[Begin][]string{}
	axes := map[Begin]step{}
	for _, s := range found {
		b := Begin{Class: s.change.Class, With: s.with()}
		if _, known := axes[b]; !known {
			all = append(all, b)
			axes[b] = s
		}
		beside[b] = append(beside[b], s.beside)
	}
	for i, b := range all {
		if s := axes[b]; len(beside[b]) < t.chances(s) {
			all[i].Where = string(s.other()) + " " + strings.Join(beside[b], ", ")
		}
	}
	return all
}

// chances is how many cells of the version that a step came with have a neighbour to differ from.
func (t *Table) chances(s step) int {
	n := 0
	for i, c := range t.Cells {
		if !c.Qualified() || c.Own != (s.axis == ownAxis) {
			continue
		}
		switch s.axis {
		case kernelAxis:
			if c.Kernel == s.to.Kernel && slices.ContainsFunc(t.Cells[:i], func(o *Cell) bool {
				return o.Qualified() && o.Kernel != c.Kernel && o.RDMACore == c.RDMACore
			}) {
				n++
			}
		case rdmaCoreAxis:
			if c.RDMACore == s.to.RDMACore && slices.ContainsFunc(t.Cells[:i], func(o *Cell) bool {
				return o.Qualified() && !o.Own && o.Kernel == c.Kernel
			}) {
				n++
			}
		case ownAxis:
			if c.RDMACore == s.to.RDMACore {
				n++
			}
		}
	}
	return n
}

// valueOf is what a cell has of a requirement, as far as the fields go.
func valueOf(c *Cell, id string, fields map[string]bool) Value {
	if !c.Qualified() {
		return Value{}
	}
	i := slices.IndexFunc(c.Report.Requirements, func(f reports.RequirementFinding) bool { return f.ID == id })
	if i < 0 {
		return Value{}
	}
	f := c.Report.Requirements[i]
	v := Value{Verdict: f.Verdict}
	for name, value := range f.Observed {
		if fields[name] {
			v.Observed = append(v.Observed, name+": "+value)
		}
	}
	slices.Sort(v.Observed)
	return v
}

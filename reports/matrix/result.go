package matrix

import (
	"fmt"
	"slices"
	"strings"

	"joinmcast/spec/verdict"
)

// Status is the exit status of a matrix: verdict.ExitNotConformant when a cell of a release is not conformant, or a
// build of one's own is worse than its release; else verdict.ExitRunFailed when a cell is not qualified.
func (t *Table) Status() int {
	status := verdict.ExitGreen
	for _, c := range t.Cells {
		switch {
		case !c.Qualified():
			status = max(status, verdict.ExitRunFailed)
		case c.Own:
		case verdict.ExitCode(c.Status(), false) != verdict.ExitGreen:
			return verdict.ExitNotConformant
		}
	}
	if slices.ContainsFunc(t.Owns, func(o Own) bool { return !o.Diff.Green() }) {
		return verdict.ExitNotConformant
	}
	return status
}

// Conclusion is the table in one line.
func (t *Table) Conclusion() string {
	green := 0
	var unqualified []string
	for _, c := range t.Cells {
		switch {
		case !c.Qualified():
			unqualified = append(unqualified, c.Target)
		case verdict.ExitCode(c.Status(), false) == verdict.ExitGreen:
			green++
		}
	}
	word := "GREEN"
	if t.Status() != verdict.ExitGreen {
		word = "NOT GREEN"
	}
	text := fmt.Sprintf("%s: %d of %d cells conformant; cells differ on %d requirements and agree on %d", word, green,
		len(t.Cells), len(t.Rows), t.Alike)
	if len(unqualified) > 0 {
		text += "; not qualified: " + strings.Join(unqualified, ", ")
	}
	return text
}

// counts is a cell's verdicts in a few words, as in "187 PASS, 19 KNOWN".
func (c *Cell) counts() string {
	if !c.Qualified() {
		return string(verdict.NotQualified)
	}
	var parts []string
	for _, v := range []verdict.Verdict{
		verdict.Pass, verdict.Known, verdict.Fail, verdict.Fixed, verdict.Hang, verdict.Crash, verdict.Error, verdict.Skip,
		verdict.NA,
	} {
		if n := c.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// differing is on how many requirements two cells differ.
func (t *Table) differing(a, b *Cell) int {
	i, j := slices.Index(t.Cells, a), slices.Index(t.Cells, b)
	n := 0
	for _, r := range t.Rows {
		if r.Values[i].String() != r.Values[j].String() {
			n++
		}
	}
	return n
}

// String is a value in one line, "" where there is none.
func (v Value) String() string {
	return strings.Join(append([]string{string(v.Verdict)}, v.Observed...), "; ")
}

package matrix

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"joinmcast/reports/md"
)

// WriteMarkdown writes the table for a pull request: the conclusion, what builds of one's own change, the differences
// with the versions they began with, and each cell collapsed.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var text strings.Builder
	word, rest, _ := strings.Cut(t.Conclusion(), ": ")
	fmt.Fprintf(&text, "**%s**: %s\n", word, md.Escape(rest))
	for _, own := range t.Owns {
		fmt.Fprintf(&text, "\n%s beside %s:\n\n", md.Escape(own.Cell.Target), md.Escape(own.Base.Target))
		if err := own.Diff.WriteMarkdown(&text); err != nil {
			return err
		}
	}
	rows := [][]string{}
	for _, r := range t.Rows {
		rows = append(rows, append([]string{
			fmt.Sprintf("%s\n%s, %s", r.ID, r.Level, r.Layer), strings.Join(r.began(), "\n"),
		}, r.byCell()...))
	}
	text.WriteString(md.Table(append([]string{"requirement", "began"}, t.heads("\n")...), rows))
	fmt.Fprintf(&text, "\nOn %d requirements all cells agree.\n", t.Alike)
	cells := [][]string{}
	for _, c := range t.Cells {
		cells = append(cells, []string{c.Target, string(c.Status()), c.counts(), c.Why()})
	}
	text.WriteString(md.Details(fmt.Sprintf("%d cells", len(cells)), md.Table([]string{"cell", "status", "", ""}, cells)))
	_, err := io.WriteString(w, text.String())
	return err
}

// heads names the columns of the cells.
func (t *Table) heads(between string) []string {
	var heads []string
	for _, c := range t.Cells {
		heads = append(heads, "kernel "+c.KernelVersion()+between+"rdma-core "+c.RDMACoreVersion())
	}
	return heads
}

func (r Row) began() []string {
	var lines []string
	for _, b := range r.Began {
		lines = append(lines, b.String())
	}
	return lines
}

func (r Row) byCell() []string {
	var cells []string
	for _, v := range r.Values {
		cells = append(cells, strings.Join(append([]string{string(v.Verdict)}, v.Observed...), "\n"))
	}
	return cells
}

// Overview is the table in short, as Markdown: a row a kernel and a column a rdma-core, of releases only. A cell says
// how its requirements ended, and on how many of them it differs from the one to its left.
func (t *Table) Overview() string {
	var kernels, rdmaCores []string
	names := map[string]string{}
	at := map[string]*Cell{}
	for _, c := range t.Cells {
		if c.Own {
			continue
		}
		if !slices.Contains(kernels, c.Kernel) {
			kernels = append(kernels, c.Kernel)
		}
		if !slices.Contains(rdmaCores, c.RDMACore) {
			rdmaCores = append(rdmaCores, c.RDMACore)
		}
		at[c.Kernel+" "+c.RDMACore] = c
		if c.Qualified() {
			names[c.Kernel], names[c.RDMACore+" library"] = c.KernelVersion(), c.RDMACoreVersion()
		}
	}
	head := []string{""}
	for _, r := range rdmaCores {
		head = append(head, "rdma-core "+orElse(names[r+" library"], r))
	}
	var rows [][]string
	for _, k := range kernels {
		row := []string{"kernel " + orElse(names[k], k)}
		var left *Cell
		for _, r := range rdmaCores {
			c := at[k+" "+r]
			if c == nil {
				row = append(row, "not run")
				continue
			}
			text := c.counts()
			if c.Qualified() {
				if left != nil {
					text += fmt.Sprintf("\n%d differ", t.differing(left, c))
				}
				left = c
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return strings.TrimPrefix(md.Table(head, rows), "\n")
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

package matrix_test

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"gotest.tools/v3/golden"

	"joinmcast/reports/matrix"
)

// example is a table with a difference of a kernel, a cell that died, and a build of one's own that is worse.
func example(t *testing.T) *matrix.Table {
	t.Helper()
	return build(t,
		cell("bookworm", "bookworm"), cell("bookworm", "trixie"), cell("bookworm", "/src/build", answersEFAULT),
		cell("trixie", "bookworm", fails(1)), dead("trixie", "trixie"))
}

func TestTheTableAsMarkdown(t *testing.T) {
	var text bytes.Buffer
	NewWithT(t).Expect(example(t).WriteMarkdown(&text)).To(Succeed())
	golden.Assert(t, text.String(), "matrix.md")
}

func TestTheTableAsJSON(t *testing.T) {
	var text bytes.Buffer
	NewWithT(t).Expect(example(t).WriteJSON(&text)).To(Succeed())
	golden.Assert(t, text.String(), "matrix.json")
}

func TestTheOverviewCountsWhatDiffersFromTheLeft(t *testing.T) {
	golden.Assert(t, build(t,
		cell("bookworm", "bookworm"), cell("bookworm", "trixie"),
		cell("trixie", "bookworm", fails(1)), cell("trixie", "trixie", fails(0)),
		cell("sid", "bookworm"), dead("sid", "trixie")).Overview(), "overview.md")
}

func TestThePageHasARowADifferenceAndAColumnACell(t *testing.T) {
	g := NewWithT(t)
	var text bytes.Buffer
	g.Expect(example(t).WriteHTML(&text)).To(Succeed())
	page := text.String()
	g.Expect(strings.Count(page, "data-item=")).To(Equal(2))
	for _, want := range []string{
		`colspan="3">kernel 6.1.192<`, `colspan="2">kernel 6.12.118<`, "with kernel 6.12.118", "with build build",
		`<td colspan="2">`,
		"suite buster has no package librdmacm1", `href="../rxe-bookworm-trixie/index.html"`,
		`href="rxe-bookworm-build.html"`,
	} {
		g.Expect(page).To(ContainSubstring(want))
	}
}

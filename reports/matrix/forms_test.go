package matrix_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports/matrix"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file under testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join("testdata", name)
	if *update {
		g.Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(Equal(string(want)), "%s differs; -update writes it anew", path)
}

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
	golden(t, "matrix.md", text.String())
}

func TestTheTableAsJSON(t *testing.T) {
	var text bytes.Buffer
	NewWithT(t).Expect(example(t).WriteJSON(&text)).To(Succeed())
	golden(t, "matrix.json", text.String())
}

func TestTheOverviewCountsWhatDiffersFromTheLeft(t *testing.T) {
	golden(t, "overview.md", build(t,
		cell("bookworm", "bookworm"), cell("bookworm", "trixie"),
		cell("trixie", "bookworm", fails(1)), cell("trixie", "trixie", fails(0)),
		cell("sid", "bookworm"), dead("sid", "trixie")).Overview())
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

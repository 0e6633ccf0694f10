package matrix_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports/diff"
	"joinmcast/reports/matrix"
	"joinmcast/spec/verdict"
)

func build(t *testing.T, cells ...*matrix.Cell) *matrix.Table {
	t.Helper()
	table, err := matrix.Build(cells, lawful)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return table
}

func TestCellsThatAgreeGiveNoRow(t *testing.T) {
	g := NewWithT(t)
	table := build(t, cell("bookworm", "bookworm"), cell("bookworm", "trixie"), cell("trixie", "bookworm"))
	g.Expect(table.Rows).To(BeEmpty())
	g.Expect(table.Alike).To(Equal(2))
	g.Expect(table.Status()).To(Equal(verdict.ExitGreen))
}

func TestADifferenceBeginsWithTheKernelThatShowsItOnEveryRDMACore(t *testing.T) {
	g := NewWithT(t)
	table := build(t,
		cell("bookworm", "bookworm"), cell("bookworm", "trixie"),
		cell("trixie", "bookworm", fails(1)), cell("trixie", "trixie", fails(1)),
		cell("sid", "bookworm", fails(1)), cell("sid", "trixie", fails(1)))
	g.Expect(table.Rows).To(HaveLen(1))
	g.Expect(table.Rows[0].ID).To(Equal("JM-EVT-01"))
	g.Expect(table.Rows[0].Class).To(Equal(diff.Regressed))
	g.Expect(table.Rows[0].Began).To(Equal([]matrix.Begin{{Class: diff.Regressed, With: "kernel 6.12.118"}}))
	g.Expect(table.Alike).To(Equal(1))
}

func TestADifferenceBeginsWithTheRDMACoreThatShowsItOnEveryKernel(t *testing.T) {
	table := build(t,
		cell("bookworm", "bookworm"), cell("bookworm", "trixie", answersEFAULT),
		cell("trixie", "bookworm"), cell("trixie", "trixie", answersEFAULT))
	NewWithT(t).Expect(table.Rows[0].Began).To(Equal([]matrix.Begin{{Class: diff.Changed, With: "rdma-core 56.1"}}))
}

func TestADifferenceOfOnePairNamesBoth(t *testing.T) {
	table := build(t,
		cell("bookworm", "bookworm"), cell("bookworm", "trixie"),
		cell("trixie", "bookworm"), cell("trixie", "trixie", fails(0)))
	NewWithT(t).Expect(table.Rows[0].Began).To(ConsistOf(
		matrix.Begin{Class: diff.Regressed, With: "kernel 6.12.118", Where: "rdma-core 56.1"},
		matrix.Begin{Class: diff.Regressed, With: "rdma-core 56.1", Where: "kernel 6.12.118"}))
}

func TestARowShowsTheFieldsThatDifferAndNoOther(t *testing.T) {
	table := build(t, cell("bookworm", "bookworm"), cell("trixie", "bookworm", answersEFAULT))
	NewWithT(t).Expect(table.Rows[0].Values).To(Equal([]matrix.Value{
		{Verdict: verdict.Pass, Observed: []string{"errno: EINVAL"}},
		{Verdict: verdict.Pass, Observed: []string{"errno: EFAULT"}},
	}))
}

func TestTheGravestDifferencesComeFirst(t *testing.T) {
	table := build(t, cell("bookworm", "bookworm"), cell("trixie", "bookworm", answersEFAULT, fails(1)))
	g := NewWithT(t)
	g.Expect(table.Rows[0].ID).To(Equal("JM-EVT-01"))
	g.Expect(table.Rows[1].ID).To(Equal("JM-ARG-01"))
}

func TestACellThatIsNotQualifiedIsSteppedOver(t *testing.T) {
	g := NewWithT(t)
	table := build(t, cell("bookworm", "bookworm"), dead("trixie", "bookworm"), cell("sid", "bookworm", fails(0)))
	g.Expect(table.Rows[0].Began).To(Equal([]matrix.Begin{{Class: diff.Regressed, With: "kernel 7.2.13"}}))
	g.Expect(table.Rows[0].Values[1]).To(Equal(matrix.Value{}))
	g.Expect(table.Conclusion()).To(HaveSuffix("not qualified: rxe-trixie-bookworm"))
}

func TestTheStatusTellsWhatIsRedFromWhatDidNotRun(t *testing.T) {
	g := NewWithT(t)
	g.Expect(build(t, cell("bookworm", "bookworm"), dead("trixie", "bookworm")).Status()).
		To(Equal(verdict.ExitRunFailed))
	g.Expect(build(t, dead("bookworm", "bookworm"), cell("trixie", "bookworm", fails(0))).Status()).
		To(Equal(verdict.ExitNotConformant))
}

func TestABuildIsComparedWithTheNearestReleaseThatIsNotNewer(t *testing.T) {
	g := NewWithT(t)
	table := build(t, cell("bookworm", "bookworm"), cell("bookworm", "trixie"),
		cell("bookworm", "/src/build"), cell("bookworm", "/src/newer"))
	g.Expect(table.Owns).To(HaveLen(2))
	g.Expect(table.Owns[0].Base.RDMACore).To(Equal("bookworm"))
	g.Expect(table.Owns[1].Base.RDMACore).To(Equal("trixie"))
	g.Expect(table.Rows).To(BeEmpty())
}

func TestABuildThatIsWorseThanItsReleaseIsNamedAndRed(t *testing.T) {
	g := NewWithT(t)
	table := build(t, cell("bookworm", "bookworm"), cell("bookworm", "/src/build", answersEFAULT))
	g.Expect(table.Rows[0].Began).To(Equal([]matrix.Begin{{Class: diff.Changed, With: "build build"}}))
	g.Expect(table.Owns[0].Diff.Green()).To(BeFalse())
	g.Expect(table.Status()).To(Equal(verdict.ExitNotConformant))
}

func TestABuildIsComparedWithTheReleaseThatIsNamed(t *testing.T) {
	own := cell("bookworm", "/src/build")
	own.Base = "trixie"
	table := build(t, cell("bookworm", "bookworm"), cell("bookworm", "trixie"), own)
	NewWithT(t).Expect(table.Owns[0].Base.RDMACore).To(Equal("trixie"))
}

func TestAReleaseThatNoCellHasIsRefused(t *testing.T) {
	own := cell("bookworm", "/src/build")
	own.Base = "sid"
	_, err := matrix.Build([]*matrix.Cell{cell("bookworm", "bookworm"), own}, lawful)
	NewWithT(t).Expect(err).To(MatchError(
		`there is no cell of rdma-core "sid" on kernel bookworm to compare /src/build with`))
}

package bench_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports/bench"
)

// output is what go test prints, with some figures in the places of %s.
const output = `goos: linux
BenchmarkCycle/n=1000-2   100  7 ns/op  70 inevitable-ns  9.0 x-inevitable  0.5 allocs/cycle
BenchmarkCycle/n=1000-2   100  7 ns/op  70 inevitable-ns  5.0 x-inevitable  0.5 allocs/cycle
BenchmarkCycle/n=1000-2   100  7 ns/op  70 inevitable-ns  6.0 x-inevitable  0.5 allocs/cycle
BenchmarkCycle/n=1000000-2  100  7 ns/op  300 inevitable-ns  9.0 x-inevitable  0.5 allocs/cycle  400 B/membership
BenchmarkDatagram/QPs=10000-2  100  7 ns/op  1.25 x-inevitable
BenchmarkHosts-2  100  7 ns/op  1.1 x-linear
PASS
`

func TestTheMedianOfTheCountsIsJudged(t *testing.T) {
	g := NewWithT(t)
	rows, err := bench.Judge(strings.NewReader(output), "output")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(rows).To(ContainElement(SatisfyAll(
		HaveField("What", "a cycle, in inevitable work, 1,000 live"),
		HaveField("Measured", "6.0"), HaveField("OK", true),
	)))
}

func TestWhatIsOverItsBoundIsSaid(t *testing.T) {
	g := NewWithT(t)
	rows, err := bench.Judge(strings.NewReader(output), "output")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(bench.AllOK(rows)).To(BeFalse())
	g.Expect(bench.Markdown(rows)).To(SatisfyAll(
		ContainSubstring("| the same, 1,000,000 live | at most 8.0 | 9.0 | over |\n"),
		ContainSubstring("| the latter by the former | at most 1.30 | 1.50 | over |\n"),
		ContainSubstring("30 to 200 ns | 70 ns | ok |\n"),
	))
}

func TestAFigureThatIsMissingIsNamed(t *testing.T) {
	g := NewWithT(t)
	cut := strings.Replace(output, "Datagram", "Letter", 1)
	_, err := bench.Judge(strings.NewReader(cut), "output")
	g.Expect(err).To(MatchError(ContainSubstring("x-inevitable of benchmark Datagram/QPs=10000")))
}

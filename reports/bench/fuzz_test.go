package bench_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports/bench"
)

func FuzzJudge(f *testing.F) {
	f.Add(output)
	f.Add(strings.Replace(output, "6.0 x", "NaN x", 1))
	f.Add("BenchmarkHosts-2 1 1.1 x-linear\n")
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		rows, err := bench.Judge(strings.NewReader(text), "output")
		if err != nil {
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
			return
		}
		g.Expect(rows).To(HaveLen(8))
		g.Expect(bench.Judge(strings.NewReader(text), "output")).To(Equal(rows))
		g.Expect(strings.Count(bench.Markdown(rows), "\n")).To(Equal(len(rows) + 2))
		for _, r := range rows {
			g.Expect(!r.OK || !strings.Contains(r.Measured, "NaN")).To(BeTrue(), "%+v", r)
		}
	})
}

package reports_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/spec/verdict"
)

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/report.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		r, err := reports.Parse([]byte(text))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				g.Expect(line).To(HavePrefix("not a "))
			}
			return
		}
		again, err := json.Marshal(r)
		g.Expect(err).NotTo(HaveOccurred())
		read, err := reports.Parse(again)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(json.Marshal(read)).To(Equal(again))
		g.Expect(reports.Summary(io.Discard, r, reports.SummaryOptions{Slowest: true})).To(Succeed())
	})
}

func FuzzParseJournal(f *testing.F) {
	dir := f.TempDir()
	j, err := reports.CreateJournal(dir, liveRun())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range append(green(), failed()) {
		if j.SpecBegins(s) != nil || j.SpecEnds(s) != nil {
			f.Fatal("the journal cannot be written")
		}
	}
	if j.EnvironmentRead(simRun().Environment) != nil || j.SpecBegins(failed()) != nil || j.Close() != nil {
		f.Fatal("the journal cannot be written")
	}
	text, err := os.ReadFile(filepath.Join(dir, reports.JournalFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(`{"event":"run-begin","process":1,"run":{"target":"sim","stack":"simulated"}}` + "\n" + `{"event":"spec`)
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		rows, torn, err := reports.ParseJournal("x.jsonl", []byte(text))
		if err != nil {
			g.Expect(err.Error()).To(And(HavePrefix("x.jsonl:"), Not(ContainSubstring("\n"))))
			return
		}
		var again []byte
		for _, row := range rows {
			line, err := json.Marshal(row)
			g.Expect(err).NotTo(HaveOccurred())
			again = append(again, append(line, '\n')...)
		}
		read, whole, err := reports.ParseJournal("x.jsonl", again)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(whole).To(BeFalse())
		g.Expect(json.Marshal(read)).To(MatchJSON(must(json.Marshal(rows))))
		r, err := reports.FromJournal(rows, torn)
		if err != nil {
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
			return
		}
		g.Expect(r.Summary.Status).To(Equal(verdict.NotQualified))
		g.Expect(reports.Summary(io.Discard, r, reports.SummaryOptions{})).To(Succeed())
	})
}

// must is a value of which no error can come.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

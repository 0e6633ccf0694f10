package catalogue_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"

	"joinmcast/spec/catalogue"
)

// writtenBack is a chapter as its file has it, made of nothing but what the law keeps. The law is of one chapter.
func writtenBack(c catalogue.Chapter) map[string]any {
	var requirements []map[string]any
	for _, q := range c.Requirements {
		entry := map[string]any{
			"id": q.ID, "level": q.Level, "says": q.Says, "source": q.Source, "layer": q.Layer, "on": q.On, "seen": q.Seen,
		}
		for name, list := range map[string][]string{"relied_on": q.ReliedOn, "varies": q.Varies, "observe": q.Observe} {
			if len(list) > 0 {
				entry[name] = list
			}
		}
		for name, text := range map[string]string{"detector": q.Detector, "why_not": q.WhyNot, "judged": q.Judged} {
			if text != "" {
				entry[name] = text
			}
		}
		if len(q.Needs) > 0 {
			entry["needs"] = q.Needs
		}
		requirements = append(requirements, entry)
	}
	return map[string]any{"chapter": c.Code, "title": c.Title, "requirements": requirements}
}

func parseChapter(text []byte) (*catalogue.Catalogue, error) {
	return catalogue.Parse(fstest.MapFS{"x.yaml": {Data: text}})
}

func FuzzParse(f *testing.F) {
	for _, file := range []string{"migrate.yaml", "clean.yaml", "mapping.yaml"} {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		law, err := parseChapter([]byte(text))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				g.Expect(line).To(HavePrefix("x.yaml:"))
			}
			return
		}
		g.Expect(law.Chapters()).To(HaveLen(1))
		entry := writtenBack(law.Chapters()[0])
		again, err := yaml.Marshal(entry)
		g.Expect(err).NotTo(HaveOccurred())
		read, err := parseChapter(again)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(writtenBack(read.Chapters()[0])).To(Equal(entry))
		g.Expect(law.List(io.Discard)).To(Succeed())
		g.Expect(law.Markdown(io.Discard)).To(Succeed())
		for _, q := range law.All() {
			g.Expect(law.Explain(io.Discard, q.ID)).To(Succeed())
		}
	})
}

package walk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/conformance/walk"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../../fixtures/walks/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no walk to begin with: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		w, err := walk.Parse("x.yaml", []byte(text))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				g.Expect(line).To(HavePrefix("x.yaml"))
			}
			return
		}
		again, err := walk.Parse("x.yaml", w.Text())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(again).To(Equal(w))
		for _, s := range w.Steps {
			g.Expect(s.String()).NotTo(ContainSubstring("\n"))
		}
	})
}

func FuzzParseKnown(f *testing.F) {
	f.Add(negative)
	f.Add(`[{what: w, why: y, when: {kernel: ">=6.1", rdma_core: "<40"}, step: {call: poll, a: ".*", b: "0"}}]`)
	f.Add("[]")
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		known, err := walk.ParseKnown("x.yaml", []byte(text))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				g.Expect(line).To(HavePrefix("x.yaml"))
			}
			return
		}
		for _, k := range known {
			g.Expect(k.What).NotTo(BeEmpty())
			g.Expect(k.Why).NotTo(BeEmpty())
			g.Expect(k.Call).NotTo(BeEmpty())
			g.Expect(k.A).NotTo(BeNil())
			g.Expect(k.B).NotTo(BeNil())
		}
	})
}

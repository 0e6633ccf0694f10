package verdict_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"

	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// writtenBack is a known issue as its file has it, made of nothing but what the issue keeps.
func writtenBack(k verdict.KnownIssue) map[string]any {
	return map[string]any{
		"id": k.ID, "requirement": k.Requirement, "during": k.During, "layer": k.Layer,
		"when": map[string]any{
			"target": k.When.Target, "driver": k.When.Driver, "kernel": k.When.Kernel.String(),
			"rdma_core": k.When.RDMACore.String(), "roce_mode": k.When.RoCEMode, "quirk": k.When.Quirk,
		},
		"symptom":   map[string]any{"verdict": k.Symptom.Verdict, "observed": k.Symptom.Observed},
		"reference": k.Reference, "owner": k.Owner,
		"added": k.Added.Format(time.DateOnly), "expires": k.Expires.Format(time.DateOnly),
	}
}

func FuzzParseIssues(f *testing.F) {
	f.Add(whole)
	f.Add(leak)
	f.Add(whole + leak)
	f.Add("[]")
	files, err := filepath.Glob("../../fixtures/known-issues/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no known issues to begin with: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	law, err := catalogue.Load()
	if err != nil {
		f.Fatal(err)
	}
	find := func(id string) (catalogue.Requirement, bool) {
		if q, ok := law.Find(id); ok {
			return q, true
		}
		return lawful(id)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		issues, err := verdict.ParseIssues(find, verdict.File{Name: "x.yaml", Data: []byte(text)})
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				g.Expect(line).To(HavePrefix("x.yaml:"))
			}
			return
		}
		entries := []map[string]any{}
		for _, k := range issues {
			entries = append(entries, writtenBack(k))
		}
		again, err := yaml.Marshal(entries)
		g.Expect(err).NotTo(HaveOccurred())
		read, err := verdict.ParseIssues(find, verdict.File{Name: "x.yaml", Data: again})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(read).To(HaveLen(len(issues)))
		for i, k := range read {
			g.Expect(writtenBack(k)).To(Equal(entries[i]))
			g.Expect(k.Applies(stack)).To(Equal(issues[i].Applies(stack)))
		}
	})
}

func FuzzContains(f *testing.F) {
	f.Add(">=5.10 <6.6", "6.1.0-57-amd64")
	f.Add("<60 || =61.x", "44.0-2")
	f.Add("~6", "6.19.0-rc3")
	f.Fuzz(func(t *testing.T, text, version string) {
		g := NewWithT(t)
		r, err := verdict.ParseRange(text)
		if err != nil {
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
			return
		}
		again, err := verdict.ParseRange(r.String())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(again.Contains(version)).To(Equal(r.Contains(version)))
	})
}

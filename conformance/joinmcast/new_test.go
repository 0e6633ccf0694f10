package main

import (
	"go/format"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec/catalogue"
)

// checkout is a folder with a copy of the law, and where the specs would be.
func checkout(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	root := t.TempDir()
	law := filepath.Join("spec", "catalogue")
	g.Expect(os.CopyFS(filepath.Join(root, law), os.DirFS(filepath.Join("..", "..", law)))).To(Succeed())
	g.Expect(os.Mkdir(filepath.Join(root, "conformance"), 0o755)).To(Succeed())
	return root
}

func TestNewBeginsARequirementInTheLawAndItsSpec(t *testing.T) {
	g := NewWithT(t)
	root := checkout(t)

	g.Expect(newCommand(root, "JM-LV-99")).To(Succeed())

	law, err := catalogue.Parse(os.DirFS(filepath.Join(root, "spec", "catalogue")))
	g.Expect(err).NotTo(HaveOccurred())
	q, ok := law.Find("JM-LV-99")
	g.Expect(ok).To(BeTrue())
	g.Expect(q.Unwritten()).NotTo(BeEmpty())
	code, err := os.ReadFile(filepath.Join(root, "conformance", "lv99.go"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(code)).To(ContainSubstring(`Label("JM-LV-99")`))
	g.Expect(format.Source(code)).To(Equal(code))
	page, err := os.ReadFile(filepath.Join(root, "spec", "SPEC.md"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(page)).To(ContainSubstring("JM-LV-99"))
}

func TestNewLeavesTheCheckoutAsItIsWhenItRefuses(t *testing.T) {
	g := NewWithT(t)
	root := checkout(t)
	path := filepath.Join(root, "spec", "catalogue", "leave.yaml")
	before, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())

	g.Expect(newCommand(root, "JM-LV-02")).To(MatchError(ContainSubstring("id JM-LV-02 is used, in leave.yaml:")))

	g.Expect(os.ReadFile(path)).To(Equal(before))
	g.Expect(os.ReadDir(filepath.Join(root, "conformance"))).To(BeEmpty())
}

package walk_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/conformance/walk"
)

// Every walk that once told the stacks apart is told by the simulated stack as a live one told it.
func TestSavedWalks(t *testing.T) {
	replaySaved(t, ground(t))
}

func replaySaved(t *testing.T, stack *walk.Ground) {
	t.Helper()
	paths, err := filepath.Glob("../../fixtures/walks/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no saved walks: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			g := NewWithT(t)
			w, err := walk.Read(path)
			g.Expect(err).NotTo(HaveOccurred())
			told, found, err := stack.Play(t.Context(), w, 1, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(BeEmpty())
			g.Expect(told).To(HaveLen(len(w.Steps)))
			for i, s := range w.Steps {
				g.Expect(s.Answers).To(ContainElement(told[i].String()), "step %d, %s", i+1, s)
			}
		})
	}
}

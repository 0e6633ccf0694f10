package quirk_test

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/quirk"
)

func TestNamesAreSortedAndUnique(t *testing.T) {
	g := NewWithT(t)
	last := ""
	for _, q := range quirk.All() {
		g.Expect(q.Name > last).To(BeTrue(), "%s after %s", q.Name, last)
		last = q.Name
	}
}

func TestTheDumbBackendsAreShort(t *testing.T) {
	g := NewWithT(t)
	source, err := os.ReadFile("dumb.go")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Count(string(source), "\n")).To(BeNumerically("<", 100))
}

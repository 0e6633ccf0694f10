package target_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/conformance/target"
)

func TestSuitesAndVersionsCanBeImitated(t *testing.T) {
	for _, c := range []struct {
		kernel, rdmaCore string
		want             bool
	}{
		{"trixie", "trixie", true},
		{"6.12.118", "56.1", true},
		{"7.0-rc3", "bookworm", true},
		{"/src/linux", "bookworm", false},
		{"bookworm", "../build", false},
		{"", "", false},
	} {
		t.Run(c.kernel+" "+c.rdmaCore, func(t *testing.T) {
			NewWithT(t).Expect(target.Imitable(c.kernel, c.rdmaCore)).To(Equal(c.want))
		})
	}
}

func TestAStackThatImitatesOthersByFlagIsNamedAfterThem(t *testing.T) {
	g := NewWithT(t)
	sim, err := target.Load("sim", target.Overrides{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sim.Name).To(Equal("sim"))
	sim, err = target.Load("sim", target.Overrides{Kernel: "6.12.118"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sim.Name).To(Equal("sim-6.12.118-bookworm"))
}

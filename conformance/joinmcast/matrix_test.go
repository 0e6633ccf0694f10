package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestAMatrixHasEveryKernelWithEveryRDMACore(t *testing.T) {
	g := NewWithT(t)
	x, err := parseMatrix(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(x.cells).To(HaveLen(16))
}

func TestAQuickMatrixHasTheDiagonalAndOneKernelsRow(t *testing.T) {
	g := NewWithT(t)
	x, err := parseMatrix([]string{"-quick"})
	g.Expect(err).NotTo(HaveOccurred())
	var targets []string
	for _, c := range x.cells {
		targets = append(targets, c.Target)
	}
	g.Expect(targets).To(Equal([]string{
		"rxe-bullseye-bullseye", "rxe-bookworm-bullseye", "rxe-bookworm-bookworm", "rxe-bookworm-trixie", "rxe-bookworm-sid",
		"rxe-trixie-trixie", "rxe-sid-sid",
	}))
}

func TestOnlyAPathIsComparedWithTheBase(t *testing.T) {
	g := NewWithT(t)
	x, err := parseMatrix([]string{"-kernels=sid", "-rdma-cores=sid ./build", "-base=sid"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(x.cells[0].Own).To(BeFalse())
	g.Expect(x.cells[0].Base).To(BeEmpty())
	g.Expect(x.cells[1].Own).To(BeTrue())
	g.Expect(x.cells[1].Base).To(Equal("sid"))
}

func TestABadMatrixIsRefusedInOneSentence(t *testing.T) {
	for name, bad := range map[string]struct {
		args []string
		want string
	}{
		"no kernel":              {[]string{"-kernels="}, "a matrix wants a kernel or more, and an rdma-core or more"},
		"no cell at a time":      {[]string{"-side-by-side=0"}, "-side-by-side is 0, want 1 or more"},
		"a word that is no flag": {[]string{"quick"}, `"quick" is no flag; matrix -h lists the flags`},
		"a base that is no column": {
			[]string{"-base=sarge"}, `-base is "sarge", want one of the rdma-cores: bullseye, bookworm, trixie, sid`,
		},
		"paths of one name": {
			[]string{"-kernels=sid", "-rdma-cores=/a/build /b/build"},
			"kernel sid with rdma-core /a/build and kernel sid with rdma-core /b/build would both be rxe-sid-build; want " +
				"paths that end in different names",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseMatrix(bad.args)
			NewWithT(t).Expect(err).To(MatchError(bad.want))
		})
	}
}

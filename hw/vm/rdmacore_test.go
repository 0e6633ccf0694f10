package vm

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// folder makes empty files.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		file := filepath.Join(dir, name)
		NewWithT(t).Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		NewWithT(t).Expect(os.WriteFile(file, nil, 0o644)).To(Succeed())
	}
	return dir
}

func TestASuiteIsItsOwnBase(t *testing.T) {
	must := NewWithT(t)
	base, l, err := findLibraries("trixie", nil)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(base).To(Equal("trixie"))
	must.Expect(l.all()).To(BeEmpty())
}

func TestAWholeRDMACoreNeedsNoBase(t *testing.T) {
	for what, files := range map[string][]string{
		"build tree": {"build/lib/librdmacm.so.1", "build/lib/libibverbs.so.1", "build/lib/librxe-rdmav34.so"},
		"build":      {"lib/librdmacm.so.1", "lib/libibverbs.so.1", "lib/librxe-rdmav65.so"},
		"prefix": {
			"lib/x86_64-linux-gnu/librdmacm.so.1", "lib/x86_64-linux-gnu/libibverbs.so.1",
			"lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so",
		},
		"lib64": {"lib64/librdmacm.so.1", "lib64/libibverbs.so.1", "lib64/libibverbs/librxe-rdmav34.so"},
	} {
		base, l, err := findLibraries(folder(t, files...), nil)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), what)
		NewWithT(t).Expect(base).To(BeEmpty(), what)
		NewWithT(t).Expect(l.all()).To(HaveLen(3), what)
	}
}

func TestALoneLibrdmacmIsPutOverTheDefaultSuite(t *testing.T) {
	must := NewWithT(t)
	base, l, err := findLibraries(folder(t, "librdmacm.so.1"), nil)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(base).To(Equal(defaultSuite))
	must.Expect(l.sonames).To(HaveKey("librdmacm.so.1"))
}

func TestOtherLibrariesArePreloaded(t *testing.T) {
	must := NewWithT(t)
	base, l, err := findLibraries(folder(t, "wrong.so"), []string{"/more.so"})
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(base).To(Equal(defaultSuite))
	must.Expect(l.preloadNames()).To(Equal([]string{"wrong.so", "more.so"}))
}

func TestAPathWithoutAnRDMACoreIsRefused(t *testing.T) {
	for want, dir := range map[string]string{
		"no librdmacm.so.1":     folder(t, "README"),
		"no provider for rxe":   folder(t, "lib/librdmacm.so.1", "lib/libibverbs.so.1"),
		"but no librdmacm.so.1": folder(t, "lib/libibverbs.so.1"),
		"no such folder":        filepath.Join(t.TempDir(), "absent"),
	} {
		_, _, err := findLibraries(dir, nil)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
	}
}

func TestANameThatIsNeitherSuiteNorPathIsRefused(t *testing.T) {
	_, _, err := findLibraries("Bookworm!", nil)
	NewWithT(t).Expect(err).To(MatchError(`RDMA_CORE="Bookworm!": want a Debian suite, as in bookworm, or a path`))
}

func TestTheVersionOfAPathIsInItsFilesName(t *testing.T) {
	must := NewWithT(t)
	dir := folder(t, "librdmacm.so.1.3.57.1")
	must.Expect(os.Symlink("librdmacm.so.1.3.57.1", filepath.Join(dir, "librdmacm.so.1"))).To(Succeed())
	must.Expect(rdmaCoreVersion(filepath.Join(dir, "librdmacm.so.1"))).To(Equal("57.1"))
}

func TestVersionsOfGlibcCompareByNumber(t *testing.T) {
	must := NewWithT(t)
	must.Expect(parseGlibc("2.36-9+deb12u14").newerThan(parseGlibc("2.4"))).To(BeTrue())
	must.Expect(parseGlibc("2.31-13").newerThan(parseGlibc("2.34"))).To(BeFalse())
}

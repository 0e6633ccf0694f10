package vm

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func noProgress(string) {}

func TestAFolderWithoutAKernelIsRefused(t *testing.T) {
	dir := t.TempDir()
	_, err := resolveKernel(t.Context(), t.TempDir(), dir, noProgress)
	NewWithT(t).Expect(err).To(MatchError(
		dir + " is neither a kernel build tree after make nor a folder with lib/modules/RELEASE"))
}

func TestAnUnbuiltTreeIsRefused(t *testing.T) {
	dir := folder(t, "include/config/kernel.release")
	_, err := resolveKernel(t.Context(), t.TempDir(), dir, noProgress)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("is a build tree that has no vmlinux, and has no bzImage")))
}

func TestAFolderWithTwoKernelsIsRefused(t *testing.T) {
	dir := folder(t, "lib/modules/6.1/modules.builtin", "lib/modules/6.2/modules.builtin")
	_, err := resolveKernel(t.Context(), t.TempDir(), dir, noProgress)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("holds 2 kernels")))
}

func TestABuildTreesModulesAreTaken(t *testing.T) {
	must := NewWithT(t)
	dir := folder(t, "include/config/kernel.release", "arch/x86/boot/bzImage", ".config")
	write := func(name, content string) {
		must.Expect(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)).To(Succeed())
	}
	write("include/config/kernel.release", "6.18.0-rc1\n")
	builtin := ""
	for _, name := range guestModules[:len(guestModules)-1] {
		builtin += "kernel/" + name + ".ko\n"
	}
	write("modules.builtin", builtin)
	write("rdma_rxe.ko", string(elfWithSection(".modinfo", "depends=\x00")))
	k, err := resolveKernel(t.Context(), t.TempDir(), dir, noProgress)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(k.release).To(Equal("6.18.0-rc1"))
	must.Expect(names(k.modules)).To(Equal([]string{"rdma_rxe"}))
	must.Expect(k.image).To(HaveSuffix("bzImage"))
}

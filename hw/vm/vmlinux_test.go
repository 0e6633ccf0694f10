package vm

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	. "github.com/onsi/gomega"
)

// bootable is an ELF file with Xen's entry note, as QEMU boots it.
func bootable() []byte {
	return elfWithNote("\x04\x00\x00\x00\x04\x00\x00\x00\x12\x00\x00\x00Xen\x00\x00\x00\x00\x01")
}

func extracted(t *testing.T, image []byte) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	vmlinuz, vmlinux := filepath.Join(dir, "vmlinuz"), filepath.Join(dir, "vmlinux")
	NewWithT(t).Expect(os.WriteFile(vmlinuz, image, 0o644)).To(Succeed())
	err := extractVmlinux(t.Context(), vmlinuz, vmlinux)
	kernel, _ := os.ReadFile(vmlinux)
	return kernel, err
}

func TestAKernelIsExtractedHoweverItIsCompressed(t *testing.T) {
	var gz, zst bytes.Buffer
	zw := gzip.NewWriter(&gz)
	_, _ = zw.Write(bootable())
	NewWithT(t).Expect(zw.Close()).To(Succeed())
	sw, err := zstd.NewWriter(&zst)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	_, _ = sw.Write(bootable())
	NewWithT(t).Expect(sw.Close()).To(Succeed())
	streams := map[string][]byte{"gzip": gz.Bytes(), "zstd": zst.Bytes()}
	if _, err := exec.LookPath("xz"); err == nil {
		cmd := exec.Command("xz", "--stdout")
		cmd.Stdin = bytes.NewReader(bootable())
		out, err := cmd.Output()
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		streams["xz"] = out
	}
	for name, stream := range streams {
		decoy := stream[:8] // looks like the stream's begin
		image := append(append(append([]byte("MZ setup code"), decoy...), stream...), "and what follows"...)
		kernel, err := extracted(t, image)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), name)
		NewWithT(t).Expect(kernel).To(Equal(bootable()), name)
	}
}

func TestAnUncompressedKernelIsTakenAsItIs(t *testing.T) {
	kernel, err := extracted(t, bootable())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(kernel).To(Equal(bootable()))
}

func TestAnImageWithoutABootableKernelIsTold(t *testing.T) {
	_, err := extracted(t, []byte("MZ nothing of use"))
	NewWithT(t).Expect(err).To(MatchError(errNoVmlinux))
}

func TestAnELFFileWithoutTheEntryNoteIsNotBootable(t *testing.T) {
	must := NewWithT(t)
	must.Expect(hasPVHNote(bootable())).To(BeTrue())
	must.Expect(hasPVHNote(elfWithNote("\x04\x00\x00\x00\x04\x00\x00\x00\x11\x00\x00\x00Xen\x00abcd"))).To(BeFalse())
	must.Expect(hasPVHNote(elfWithSection(".modinfo", "x=y\x00"))).To(BeFalse())
}

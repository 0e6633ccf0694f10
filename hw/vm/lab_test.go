package vm

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestAMissingEmulatorIsToldBeforeAnythingIsFetched(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Open(t.Context(), Config{Kernel: "bookworm", RDMACore: "bookworm", Cache: t.TempDir()})
	NewWithT(t).Expect(err).To(MatchError("qemu-system-x86_64 is not installed: run `make setup`"))
}

func TestADynamicHostProgramIsRefused(t *testing.T) {
	_, err := guestFiles("/bin/sh", kernel{}, nil)
	NewWithT(t).Expect(err).To(MatchError("host program /bin/sh is not static: build it with CGO_ENABLED=0"))
}

func TestAHostProgramThatIsNoneIsRefused(t *testing.T) {
	_, err := guestFiles("initramfs_test.go", kernel{}, nil)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("host program: initramfs_test.go: bad magic number")))
}

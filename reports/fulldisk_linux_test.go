package reports_test

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"joinmcast/reports"
)

// smallDisk is a folder on a disk of one page.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("joinmcast", dir, "tmpfs", 0, "size=4k"); err != nil {
		t.Skipf("needs the right to mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("the small disk stays mounted on %s: %v", dir, err)
		}
	})
	return dir
}

func TestAFullDiskLeavesTheOldReportAndNoHalfOne(t *testing.T) {
	g := NewWithT(t)
	dir := smallDisk(t)
	path := filepath.Join(dir, reports.JSONFile)
	g.Expect(os.WriteFile(path, []byte("old"), 0o600)).To(Succeed())
	err := reports.Build(simRun(), green()).WriteJSON(dir)
	g.Expect(err).To(MatchError(path + " was not written: no space left on device"))
	g.Expect(os.ReadFile(path)).To(Equal([]byte("old")))
	g.Expect(os.ReadDir(dir)).To(HaveLen(1))
}

package vm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestAPairsKeyDependsOnAllThatBoots(t *testing.T) {
	must := NewWithT(t)
	m := machine{image: "/here/vmlinux", initrd: "/here/initramfs", memory: 256}
	key := pairKey(m, []byte("kernel"), []byte("initrd"), "7.2")
	more := m
	more.memory = 512
	moved := m
	moved.image, moved.initrd = "/there/vmlinux", "/there/initramfs"
	must.Expect(pairKey(m, []byte("kerneL"), []byte("initrd"), "7.2")).NotTo(Equal(key))
	must.Expect(pairKey(m, []byte("kernel"), []byte("initrD"), "7.2")).NotTo(Equal(key))
	must.Expect(pairKey(m, []byte("kernel"), []byte("initrd"), "8.0")).NotTo(Equal(key))
	must.Expect(pairKey(more, []byte("kernel"), []byte("initrd"), "7.2")).NotTo(Equal(key))
	must.Expect(pairKey(moved, []byte("kernel"), []byte("initrd"), "7.2")).To(Equal(key))
}

// sealed is a folder as of a saved pair.
func sealed(t *testing.T) savedPair {
	t.Helper()
	dir := t.TempDir()
	for _, name := range savedNames() {
		NewWithT(t).Expect(os.WriteFile(filepath.Join(dir, name), []byte("state of "+name), 0o644)).To(Succeed())
	}
	NewWithT(t).Expect(writeManifest(dir)).To(Succeed())
	return savedPair{dir: dir}
}

func TestAWholeSavedPairIsGood(t *testing.T) {
	NewWithT(t).Expect(sealed(t).check()).To(Succeed())
}

func TestADamagedSavedPairIsFound(t *testing.T) {
	for what, damage := range map[string]func(path string) error{
		"truncated": func(path string) error { return os.Truncate(path, 5) },
		"rotten":    func(path string) error { return os.WriteFile(path, []byte("State of b.state"), 0o644) },
		"removed":   os.Remove,
	} {
		p := sealed(t)
		NewWithT(t).Expect(damage(p.stateFile(1))).To(Succeed())
		NewWithT(t).Expect(p.check()).To(MatchError(ContainSubstring("b.state")), what)
	}
}

func TestAnUnsealedFolderIsNotASavedPair(t *testing.T) {
	p := sealed(t)
	NewWithT(t).Expect(os.Remove(filepath.Join(p.dir, manifestName))).To(Succeed())
	NewWithT(t).Expect(p.check()).To(MatchError(os.ErrNotExist))
}

func TestAFolderOfTheCacheIsMadeOnce(t *testing.T) {
	must := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "deep", "folder")
	made := 0
	fill := func(dir string) error {
		made++
		return os.WriteFile(filepath.Join(dir, "file"), nil, 0o644)
	}
	must.Expect(cached(t.Context(), dir, whole, fill)).To(Succeed())
	must.Expect(cached(t.Context(), dir, whole, fill)).To(Succeed())
	must.Expect(made).To(Equal(1))
	must.Expect(filepath.Join(dir, "file")).To(BeAnExistingFile())
}

func TestADamagedFolderOfTheCacheIsMadeAgain(t *testing.T) {
	must := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "folder")
	must.Expect(os.MkdirAll(filepath.Join(dir, "old"), 0o755)).To(Succeed())
	must.Expect(cached(t.Context(), dir, func() bool { return false }, func(dir string) error {
		return os.Mkdir(filepath.Join(dir, "new"), 0o755)
	})).To(Succeed())
	must.Expect(filepath.Join(dir, "old")).NotTo(BeADirectory())
	must.Expect(filepath.Join(dir, "new")).To(BeADirectory())
}

func TestAFolderThatCannotBeFilledIsNotThere(t *testing.T) {
	must := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "folder")
	full := errors.New("disk full")
	must.Expect(cached(t.Context(), dir, whole, func(dir string) error {
		_ = os.WriteFile(filepath.Join(dir, "half"), nil, 0o644)
		return full
	})).To(MatchError(full))
	must.Expect(dir).NotTo(BeADirectory())
	must.Expect(dir + ".partial").NotTo(BeADirectory())
}

func TestALockIsWaitedForOnlyAsLongAsAllowed(t *testing.T) {
	must := NewWithT(t)
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), path)
	must.Expect(err).NotTo(HaveOccurred())
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = lock(gone, path)
	must.Expect(err).To(MatchError(context.Canceled))
	unlock()
	again, err := lock(t.Context(), path)
	must.Expect(err).NotTo(HaveOccurred())
	again()
}

func TestOnlyUnusedSavedPairsAreRemoved(t *testing.T) {
	must := NewWithT(t)
	cache := t.TempDir()
	for _, name := range []string{"used", "unused"} {
		must.Expect(os.Mkdir(filepath.Join(cache, name), 0o755)).To(Succeed())
		must.Expect(os.WriteFile(filepath.Join(cache, name, manifestName), nil, 0o644)).To(Succeed())
	}
	old := time.Now().Add(-2 * unusedAfter)
	for _, name := range []string{"used", "unused"} {
		must.Expect(os.Chtimes(filepath.Join(cache, name, manifestName), old, old)).To(Succeed())
	}
	must.Expect(savedPair{dir: filepath.Join(cache, "used")}.markUsed()).To(Succeed())
	must.Expect(removeUnused(cache)).To(Succeed())
	must.Expect(filepath.Join(cache, "used")).To(BeADirectory())
	must.Expect(filepath.Join(cache, "unused")).NotTo(BeADirectory())
}

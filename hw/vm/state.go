package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// savedPair is a booted pair of guests in the cache: its folder holds both guests' memories and states, and a manifest.
type savedPair struct {
	dir string
	machine
}

const manifestName = "manifest.json"

// manifest tells whether a saved pair is whole.
type manifest struct {
	Files map[string]fileSum `json:"files"`
}

// fileSum is a file's size in bytes and its CRC-32C: it finds a torn or rotten file, at the speed of reading it.
type fileSum struct {
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc32c"`
}

// memoryName and stateName are the files of a guest's memory and of all else it is.
func memoryName(i int) string { return guestNames[i] + ".memory" }
func stateName(i int) string  { return guestNames[i] + ".state" }

// savedNames are all files of a saved pair that the manifest tells of.
func savedNames() []string {
	return []string{memoryName(0), memoryName(1), stateName(0), stateName(1)}
}

// check reads a saved pair through.
func (p savedPair) check() error {
	text, err := os.ReadFile(filepath.Join(p.dir, manifestName))
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	for _, name := range savedNames() {
		sum, err := sumFile(filepath.Join(p.dir, name))
		if err != nil {
			return err
		}
		if sum != m.Files[name] {
			return fmt.Errorf("%s is damaged", name)
		}
	}
	return nil
}

// unusedAfter is how long a saved pair is kept that no lab opens: every build of the agent makes another.
const unusedAfter = 48 * time.Hour

// markUsed keeps a saved pair from removeUnused.
func (p savedPair) markUsed() error {
	now := time.Now()
	return os.Chtimes(filepath.Join(p.dir, manifestName), now, now)
}

// removeUnused removes the saved pairs that no lab has opened for long.
func removeUnused(pairs string) error {
	manifests, err := filepath.Glob(filepath.Join(pairs, "*", manifestName))
	if err != nil {
		return err
	}
	for _, m := range manifests {
		info, err := os.Stat(m)
		if err != nil || time.Since(info.ModTime()) < unusedAfter {
			continue // in use, or removed by another lab
		}
		if err := os.RemoveAll(filepath.Dir(m)); err != nil {
			return err
		}
	}
	return nil
}

func sumFile(path string) (fileSum, error) {
	f, err := os.Open(path)
	if err != nil {
		return fileSum{}, err
	}
	defer func() { _ = f.Close() }()
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	n, err := io.Copy(h, f)
	return fileSum{Size: n, CRC: h.Sum32()}, err
}

// writeManifest seals the folder of a saved pair.
func writeManifest(dir string) error {
	m := manifest{Files: map[string]fileSum{}}
	for _, name := range savedNames() {
		sum, err := sumFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		m.Files[name] = sum
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestName), text, 0o644)
}

// pairKey names all that a saved pair depends on: the bytes of kernel and initramfs, QEMU's version and its arguments.
func pairKey(m machine, image, initrd []byte, qemuVersion string) string {
	m.image, m.initrd = "", "" // where they lie does not matter
	parts := []string{hashOf(string(image)), hashOf(string(initrd)), qemuVersion}
	for i := range guestNames {
		parts = append(parts, strings.Join(slices.Concat(m.arguments(i), m.bootArguments(i)), "\x00"))
	}
	return hashOf(strings.Join(parts, "\x01"))[:24]
}

func qemuVersion(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, qemuBinary, "--version").Output()
	return string(out), named(err, "%s --version", qemuBinary)
}

// openPair finds the saved pair of a machine in the cache's folder of pairs, or boots it once and saves it.
func openPair(
	ctx context.Context, m machine, initrd []byte, pairs, runDir string, progress func(string),
) (savedPair, error) {
	version, err := qemuVersion(ctx)
	if err != nil {
		return savedPair{}, err
	}
	image, err := os.ReadFile(m.image)
	if err != nil {
		return savedPair{}, err
	}
	dir := filepath.Join(pairs, pairKey(m, image, initrd, version))
	p := savedPair{dir: dir, machine: m}
	good := func() bool {
		err := p.check()
		if err != nil {
			progress(fmt.Sprintf("the saved pair is no good (%v): booting another", err))
		}
		return err == nil
	}
	err = cached(ctx, dir, good, func(dir string) error {
		progress("booting a pair (once for this kernel and library)")
		if err := bootAndSave(ctx, m, dir, runDir, initrd); err != nil {
			return err
		}
		progress("saved the booted pair")
		return nil
	})
	if err != nil {
		return p, err
	}
	return p, errors.Join(p.markUsed(), removeUnused(pairs))
}

// bootAndSave boots a pair and saves it in dir.
func bootAndSave(ctx context.Context, m machine, dir, runDir string, initrd []byte) error {
	pairDir, err := os.MkdirTemp(runDir, "boot-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(pairDir) }()
	m.initrd = filepath.Join(pairDir, "initramfs")
	if err := os.WriteFile(m.initrd, initrd, 0o644); err != nil {
		return err
	}
	var guests [2]*guestProcess
	defer func() {
		for _, g := range guests {
			if g != nil {
				g.stop()
			}
		}
	}()
	err = onBoth(func(i int) error {
		ctx, cancel := context.WithTimeout(ctx, bootWithin)
		defer cancel()
		// QEMU does not make a file that a link stands for.
		err := os.WriteFile(filepath.Join(dir, memoryName(i)), nil, 0o644)
		if err != nil {
			return err
		}
		g, err := startGuest(ctx, m, i, pairDir, dir, false)
		if err != nil {
			return err
		}
		guests[i] = g
		if err := g.qmp.portOpened(ctx); err != nil {
			return g.explain("boot", err)
		}
		return nil
	}, func(i int) error {
		return guests[i].qmp.execute(ctx, "stop", nil)
	}, func(i int) error {
		ctx, cancel := context.WithTimeout(ctx, saveWithin)
		defer cancel()
		if err := guests[i].qmp.migrate(ctx, "migrate", "exec:cat > \"$"+saveVariable+"\""); err != nil {
			return guests[i].explain("save to "+dir, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return named(writeManifest(dir), "save the pair")
}

// onBoth runs each step for both guests side by side, one step after the other.
func onBoth(steps ...func(i int) error) error {
	for _, step := range steps {
		other := make(chan error, 1)
		go func() { other <- step(1) }()
		if err := errors.Join(step(0), <-other); err != nil {
			return err
		}
	}
	return nil
}

// stateFile is the file of a guest's state in the saved pair.
func (p savedPair) stateFile(i int) string { return filepath.Join(p.dir, stateName(i)) }

package vm

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// elfNeeds is what an ELF file needs to be run or loaded.
type elfNeeds struct {
	libraries   []string // sonames
	interpreter string   // the dynamic loader's path; empty for a library or a static program
	glibc       glibc    // the newest version of its symbols
}

// glibc is a version of the C library; the zero value needs none.
type glibc struct{ major, minor int }

func (a glibc) newerThan(b glibc) bool {
	return a.major > b.major || a.major == b.major && a.minor > b.minor
}

// parseGlibc reads the beginning of a version, as of 2.36-9+deb12u14.
func parseGlibc(version string) glibc {
	var v glibc
	_, _ = fmt.Sscanf(version, "%d.%d", &v.major, &v.minor)
	return v
}

func needsOf(path string) (elfNeeds, error) {
	f, err := elf.Open(path)
	if err != nil {
		return elfNeeds{}, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	if f.Machine != elf.EM_X86_64 {
		return elfNeeds{}, fmt.Errorf("%s is built for %s: want x86-64", path, f.Machine)
	}
	var n elfNeeds
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			text, err := io.ReadAll(p.Open())
			if err != nil {
				return n, fmt.Errorf("%s: %w", path, err)
			}
			n.interpreter = strings.TrimRight(string(text), "\x00")
		}
	}
	if n.libraries, err = f.ImportedLibraries(); err != nil {
		return n, fmt.Errorf("%s: %w", path, err)
	}
	symbols, err := f.ImportedSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return n, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range symbols {
		if version, ok := strings.CutPrefix(s.Version, "GLIBC_"); ok {
			if v := parseGlibc(version); v.newerThan(n.glibc) {
				n.glibc = v
			}
		}
	}
	return n, nil
}

// hostLibraryDirs are where a dynamic loader looks by default, on the distributions that build rdma-core.
var hostLibraryDirs = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
}

// hostLibrary finds this host's file of a soname.
func hostLibrary(soname string) (string, error) {
	for _, dir := range hostLibraryDirs {
		path := filepath.Join(dir, soname)
		if !exists(path) {
			continue
		}
		if _, err := needsOf(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("library %s is not on this host (looked in %s)", soname, strings.Join(hostLibraryDirs, ", "))
}

// rdmaCoreVersion reads rdma-core's version off a file of librdmacm, whose name ends in it.
func rdmaCoreVersion(librdmacm string) string {
	real, err := filepath.EvalSymlinks(librdmacm)
	version, ok := strings.CutPrefix(filepath.Base(real), "librdmacm.so.1.3.")
	if _, numberErr := strconv.ParseFloat(version, 64); err != nil || !ok || numberErr != nil {
		return "unknown"
	}
	return version
}

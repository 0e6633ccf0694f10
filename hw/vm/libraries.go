package vm

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// libraries are those under test that come from a path.
type libraries struct {
	dir      string
	sonames  map[string]string // librdmacm.so.1 and libibverbs.so.1 -> file, as far as the path has them
	provider string            // librxe-rdmavNN.so
	preload  []string
}

func (l libraries) all() []string {
	files := slices.Sorted(maps.Values(l.sonames))
	if l.provider != "" {
		files = append(files, l.provider)
	}
	return append(files, l.preload...)
}

func (l libraries) preloadNames() []string {
	names := make([]string, len(l.preload))
	for i, file := range l.preload {
		names[i] = filepath.Base(file)
	}
	return names
}

// findLibraries is what RDMA_CORE stands for: a suite, which is the base itself, or libraries of a path over the base
// suite; a path that brings all of rdma-core has no base.
func findLibraries(name string, preload []string) (base string, l libraries, err error) {
	l = libraries{dir: name, sonames: map[string]string{}, preload: preload}
	if !isPath(name) {
		return name, l, checkSuiteName("RDMA_CORE", name)
	}
	if !exists(name) {
		return "", l, fmt.Errorf("RDMA_CORE=%s: no such folder", name)
	}
	for _, dir := range []string{
		".", "lib", "lib64", "lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/lib", "build/lib",
	} {
		dir = filepath.Join(name, dir)
		for _, soname := range []string{"librdmacm.so.1", "libibverbs.so.1"} {
			if file := filepath.Join(dir, soname); l.sonames[soname] == "" && exists(file) {
				l.sonames[soname] = file
			}
		}
		for _, pattern := range []string{"librxe-rdmav*.so", "libibverbs/librxe-rdmav*.so"} {
			providers, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				return "", l, err
			}
			if l.provider == "" && len(providers) > 0 {
				l.provider = providers[0]
			}
		}
	}
	rdmacm, ibverbs := l.sonames["librdmacm.so.1"] != "", l.sonames["libibverbs.so.1"] != ""
	switch {
	case rdmacm && ibverbs && l.provider == "":
		return "", l, fmt.Errorf("RDMA_CORE=%s has no provider for rxe: want librxe-rdmav*.so beside libibverbs.so.1", name)
	case rdmacm && ibverbs:
		return "", l, nil
	case ibverbs:
		return "", l, fmt.Errorf("RDMA_CORE=%s has libibverbs.so.1 but no librdmacm.so.1: want both, or the latter alone",
			name)
	case rdmacm:
		l.provider = "" // the base brings the one that its libibverbs knows
		return defaultSuite, l, nil
	}
	found, err := filepath.Glob(filepath.Join(name, "*.so"))
	found = slices.DeleteFunc(found, func(f string) bool {
		return strings.HasPrefix(filepath.Base(f), "librdmacm") || strings.HasPrefix(filepath.Base(f), "libibverbs")
	})
	if len(found) == 0 {
		return "", l, errors.Join(err, fmt.Errorf("RDMA_CORE=%s has no librdmacm.so.1: want an rdma-core build tree "+
			"after its build, an installed prefix, or a folder of *.so files to preload", name))
	}
	l.preload = append(found, l.preload...)
	return defaultSuite, l, err
}

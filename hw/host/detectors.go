package main

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// detectorOptions are the build options of the kernel's own detectors, and their names.
var detectorOptions = map[string]string{
	"CONFIG_KASAN": "KASAN", "CONFIG_KCSAN": "KCSAN", "CONFIG_KFENCE": "KFENCE", "CONFIG_UBSAN": "UBSAN",
	"CONFIG_PROVE_LOCKING": "lockdep", "CONFIG_DEBUG_KMEMLEAK": "kmemleak", "CONFIG_DEBUG_LIST": "list debugging",
	"CONFIG_DEBUG_OBJECTS": "object debugging", "CONFIG_DEBUG_ATOMIC_SLEEP": "atomic sleep",
}

// detectorSymbols are symbols that only a kernel with the detector has.
var detectorSymbols = map[string]string{
	"kasan_report": "KASAN", "__kcsan_check_access": "KCSAN", "kfence_handle_page_fault": "KFENCE",
	"__ubsan_handle_out_of_bounds": "UBSAN", "lockdep_init_map_type": "lockdep", "kmemleak_alloc": "kmemleak",
	"debug_object_activate": "object debugging",
}

// detectors are the kernel's own, sorted: by its configuration where that can be read, else by its symbols.
func detectors() []string {
	found := []string{}
	if config, ok := kernelConfig(); ok {
		defer func() { _ = config.Close() }()
		found = matching(config, func(line string) string {
			option, value, _ := strings.Cut(line, "=")
			if value != "y" {
				return ""
			}
			return detectorOptions[option]
		})
	} else if symbols, err := os.Open("/proc/kallsyms"); err == nil {
		defer func() { _ = symbols.Close() }()
		found = matching(symbols, func(line string) string {
			fields := strings.Fields(line)
			if len(fields) < 3 {
				return ""
			}
			return detectorSymbols[fields[2]]
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func matching(r io.Reader, name func(line string) string) []string {
	found := []string{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if n := name(lines.Text()); n != "" {
			found = append(found, n)
		}
	}
	return found
}

// kernelConfig opens the running kernel's configuration.
func kernelConfig() (io.ReadCloser, bool) {
	if f, err := os.Open("/proc/config.gz"); err == nil {
		z, err := gzip.NewReader(f)
		if err == nil {
			return z, true
		}
		_ = f.Close()
	}
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return nil, false
	}
	f, err := os.Open("/boot/config-" + unix.ByteSliceToString(u.Release[:]))
	return f, err == nil
}

package vm

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// module is a kernel module that a guest loads.
type module struct {
	name string
	data []byte // the ELF file, decompressed
}

// moduleTree is what a kernel offers as modules.
type moduleTree struct {
	files   map[string]string // module name -> file
	builtin map[string]bool
}

// readModuleTree looks for modules below dir: a folder of lib/modules, or a build tree.
func readModuleTree(dir string) (moduleTree, error) {
	t := moduleTree{files: map[string]string{}, builtin: map[string]bool{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type().IsRegular() && isModule(path) {
			t.files[moduleName(path)] = path
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	list, err := os.ReadFile(filepath.Join(dir, "modules.builtin"))
	if err != nil {
		return t, fmt.Errorf("kernel modules: %w", err)
	}
	for line := range strings.Lines(string(list)) {
		t.builtin[moduleName(strings.TrimSpace(line))] = true
	}
	return t, nil
}

func isModule(path string) bool {
	for _, suffix := range []string{".ko", ".ko.xz", ".ko.zst", ".ko.gz"} {
		if strings.HasSuffix(path, suffix) {
			return true
		}
	}
	return false
}

// moduleName is the name a module goes by: its file's, with the dashes as underscores.
func moduleName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return strings.ReplaceAll(name, "-", "_")
}

// closure lists modules and all they depend on in an order in which they can be loaded. Those that are built in need no
// loading; of the rest, optional ones may be missing.
func (t moduleTree) closure(wanted, optional []string) ([]module, error) {
	var list []module
	state := map[string]int{} // 1: being visited, 2: done
	var visit func(name, neededBy string) error
	visit = func(name, neededBy string) error {
		name = moduleName(name)
		if t.builtin[name] || state[name] != 0 {
			return nil
		}
		path, ok := t.files[name]
		if !ok {
			return fmt.Errorf("kernel has no module %s (needed by %s), neither as a file nor built in", name, neededBy)
		}
		state[name] = 1
		data, err := readCompressed(path)
		if err != nil {
			return err
		}
		info, err := modinfo(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, dep := range dependencies(info) {
			if err := visit(dep, name); err != nil {
				return err
			}
		}
		for _, dep := range softDependencies(info) {
			if _, ok := t.files[moduleName(dep)]; !ok {
				continue // may be an alias, and is not needed by symbol
			}
			if err := visit(dep, name); err != nil {
				return err
			}
		}
		list = append(list, module{name: name, data: data})
		state[name] = 2
		return nil
	}
	for _, name := range optional {
		if _, ok := t.files[name]; ok {
			wanted = append([]string{name}, wanted...)
		}
	}
	for _, name := range wanted {
		if err := visit(name, "a guest"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// readCompressed reads a file that may be compressed as its suffix says.
func readCompressed(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r io.Reader
	switch filepath.Ext(path) {
	case ".xz":
		r, err = xz.NewReader(bytes.NewReader(data))
	case ".zst":
		var z *zstd.Decoder
		z, err = zstd.NewReader(bytes.NewReader(data))
		if err == nil {
			defer z.Close()
		}
		r = z
	case ".gz":
		r, err = gzip.NewReader(bytes.NewReader(data))
	default:
		return data, nil
	}
	if err == nil {
		data, err = io.ReadAll(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// modinfo reads a module's .modinfo section: key=value strings, each ended by a zero byte; keys may repeat.
func modinfo(data []byte) (map[string][]string, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	section := f.Section(".modinfo")
	if section == nil {
		return nil, fmt.Errorf("no section .modinfo: want a kernel module")
	}
	text, err := section.Data()
	if err != nil {
		return nil, err
	}
	return parseModinfo(string(text)), nil
}

func parseModinfo(text string) map[string][]string {
	info := map[string][]string{}
	for entry := range strings.SplitSeq(text, "\x00") {
		if key, value, ok := strings.Cut(entry, "="); ok {
			info[key] = append(info[key], value)
		}
	}
	return info
}

// dependencies are the modules whose symbols a module uses.
func dependencies(info map[string][]string) []string {
	var deps []string
	for _, list := range info["depends"] {
		deps = append(deps, strings.FieldsFunc(list, func(r rune) bool { return r == ',' })...)
	}
	return deps
}

// softDependencies are the modules that one asks to have loaded before it.
func softDependencies(info map[string][]string) []string {
	var deps []string
	for _, text := range info["softdep"] {
		before := false
		for word := range strings.FieldsSeq(text) {
			switch {
			case strings.HasSuffix(word, ":"):
				before = word == "pre:"
			case before:
				deps = append(deps, word)
			}
		}
	}
	return deps
}

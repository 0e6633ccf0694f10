package vm

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/u-root/u-root/pkg/cpio"
)

// entry is one name of an initramfs.
type entry struct {
	data []byte
	link string // target of a symbolic link; data is then nil
	mode uint64 // permissions of a file
}

// guestFiles are the contents of a guest's initramfs, by names without a leading slash.
func guestFiles(hostBinary string, k kernel, roots []root) (map[string]entry, error) {
	files := map[string]entry{}
	add := func(name, source string) error {
		data, err := os.ReadFile(source)
		files[name] = entry{data: data, mode: 0o755}
		return err
	}
	needs, err := needsOf(hostBinary)
	if err != nil {
		return nil, fmt.Errorf("host program: %w", err)
	}
	if needs.interpreter != "" {
		return nil, fmt.Errorf("host program %s is not static: build it with CGO_ENABLED=0", hostBinary)
	}
	if err := add("init", hostBinary); err != nil {
		return nil, fmt.Errorf("host program: %w", err)
	}
	if k.config != "" {
		if err := add("boot/config-"+k.release, k.config); err != nil {
			return nil, err
		}
	}
	var order strings.Builder
	for _, m := range k.modules {
		name := "lib/modules/" + m.name + ".ko"
		files[name] = entry{data: m.data, mode: 0o644}
		fmt.Fprintf(&order, "/%s %s\n", name, moduleParameters[m.name])
	}
	files["etc/joinmcast/modules"] = text(order.String())
	for i, r := range roots {
		dir := rootsFolder + "/" + rootName(i) + "/"
		if r.ahead {
			files["etc/joinmcast/ahead"] = text("")
		}
		files[dir+"ENV"] = text(strings.Join(r.env, "\n") + "\n")
		files[dir+"VERSION"] = text(r.version + "\n")
		for name, source := range r.files {
			if err := add(dir+name, source); err != nil {
				return nil, err
			}
		}
		for name, target := range r.links {
			files[dir+name] = entry{link: target}
		}
	}
	return files, nil
}

// rootsFolder holds the agents' roots, one an rdma-core.
const rootsFolder = "rdma-core"

// rootName is the folder of an agents' root in it.
func rootName(i int) string { return strconv.Itoa(i) }

func text(s string) entry { return entry{data: []byte(s), mode: 0o644} }

// guestFolders are where PID 1 mounts the kernel's file systems.
var guestFolders = []string{"dev", "proc", "sys"}

// initramfs packs files as an uncompressed cpio archive, which boots faster than a compressed one. The same files give
// the same bytes.
func initramfs(files map[string]entry) ([]byte, error) {
	folders := map[string]bool{}
	for _, dir := range guestFolders {
		folders[dir] = true
	}
	for name := range files {
		folders[path.Dir(name)] = true
	}
	for dir := range maps.Clone(folders) {
		for d := dir; d != "."; d = path.Dir(d) {
			folders[d] = true
		}
	}
	delete(folders, ".")
	var out bytes.Buffer
	w := cpio.Newc.Writer(&out)
	inode := uint64(0)
	write := func(r cpio.Record) error {
		inode++
		r.Ino, r.NLink = inode, 1
		return named(w.WriteRecord(r), "initramfs: %s", r.Name)
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) { // parents sort before what is in them
		if err := write(cpio.Directory(dir, 0o755)); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		record := cpio.Symlink(name, f.link)
		if f.link == "" {
			record = cpio.StaticRecord(f.data, cpio.Info{Name: name, Mode: cpio.S_IFREG | f.mode})
		}
		if err := write(record); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), cpio.WriteTrailer(w)
}

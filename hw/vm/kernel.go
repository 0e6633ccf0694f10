package vm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kernel is what a guest boots.
type kernel struct {
	release string
	image   string   // an ELF vmlinux, or a vmlinuz where that cannot be booted
	config  string   // the file of build options; empty when there is none
	modules []module // in the order of loading
	memory  int      // of a guest, in MiB
}

// Memory of a guest in MiB: a distribution's kernel needs little; one with detectors built in may need much more.
const (
	packagedMemory  = 256
	buildTreeMemory = 1024
)

// guestModules are the modules of a guest; what they depend on comes with them. The order is that of loading where
// dependencies leave it open: rdma_ucm refuses to load before ib_uverbs has made its class.
var guestModules = []string{
	"virtio_pci", "virtio_net", "virtio_console", "configfs",
	"ib_core", "ib_uverbs", "ib_cm", "iw_cm", "rdma_cm", "rdma_ucm", "rdma_rxe",
}

// optionalModules are loaded first, by kernels that have them: pvpanic_pci tells QEMU of a panic, crc32_generic serves
// rxe by an alias of the crypto API where rxe does not call the library itself, and the others are network devices that
// a spec can have made.
var optionalModules = []string{"crc32_generic", "pvpanic_pci", "dummy", "8021q"}

// moduleParameters are what modules are loaded with: dummy makes none of its devices by itself.
var moduleParameters = map[string]string{"dummy": "numdummies=0"}

// isPath tells a path from the name of a suite.
func isPath(name string) bool {
	return strings.ContainsRune(name, os.PathSeparator) || name == "." || name == ".."
}

// suiteName is how a suite's name looks.
func checkSuiteName(variable, name string) error {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("%s=%q: want a Debian suite, as in bookworm, or a path", variable, name)
	}
	return nil
}

func resolveKernel(ctx context.Context, cache, name string, progress func(string)) (kernel, error) {
	if isPath(name) {
		dir, err := filepath.Abs(name) // QEMU runs in a folder of its own
		if err != nil {
			return kernel{}, err
		}
		return kernelOfPath(ctx, cache, dir, progress)
	}
	if err := checkSuiteName("KERNEL", name); err != nil {
		return kernel{}, err
	}
	return kernelOfSuite(ctx, cache, name, progress)
}

// kernelOfSuite unpacks the newest kernel of a suite into the cache, reduced to what a guest needs.
func kernelOfSuite(ctx context.Context, cache, name string, progress func(string)) (kernel, error) {
	s, err := openSuite(ctx, cache, name, progress)
	if err != nil {
		return kernel{}, err
	}
	names, err := s.closure(ctx, "linux-image-amd64", kernelPackage)
	if err != nil {
		return kernel{}, err
	}
	rows := make([][]string, len(names))
	for i, n := range names {
		rows[i] = []string{n}
	}
	debs, err := s.fetch(ctx, rows...)
	if err != nil {
		return kernel{}, err
	}
	parts := hashOf(strings.Join(slices.Concat(guestModules, optionalModules), " "))[:8]
	dir := filepath.Join(cache, "kernels", name+"-"+debs[0].version+"-"+parts)
	err = cached(ctx, dir, whole, func(dir string) error {
		progress(fmt.Sprintf("unpacking the kernel %s of %s", debs[0].version, name))
		tree := filepath.Join(dir, "tree")
		for _, d := range debs {
			if err := unpack(ctx, d, tree, partOfKernel); err != nil {
				return err
			}
		}
		k, err := kernelOfPrefix(ctx, tree, filepath.Join(dir, "vmlinux"), progress)
		if err != nil {
			return err
		}
		return errors.Join(storeKernel(k, dir), os.RemoveAll(tree))
	})
	if err != nil {
		return kernel{}, fmt.Errorf("kernel of suite %s: %w", name, err)
	}
	return loadKernel(dir)
}

func partOfKernel(path string) bool {
	return strings.HasPrefix(path, "boot/vmlinuz-") || strings.HasPrefix(path, "boot/config-") ||
		strings.HasPrefix(path, "usr/lib/modules/")
}

// storeKernel and loadKernel keep a kernel as a folder.
func storeKernel(k kernel, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "modules"), 0o755); err != nil {
		return err
	}
	for i, m := range k.modules {
		file := filepath.Join(dir, "modules", fmt.Sprintf("%02d-%s.ko", i, m.name))
		if err := os.WriteFile(file, m.data, 0o644); err != nil {
			return err
		}
	}
	if filepath.Dir(k.image) != dir {
		if err := os.Rename(k.image, filepath.Join(dir, "vmlinux")); err != nil {
			return err
		}
	}
	if k.config != "" {
		if err := os.Rename(k.config, filepath.Join(dir, "config")); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "release"), []byte(k.release), 0o644)
}

func loadKernel(dir string) (kernel, error) {
	release, err := os.ReadFile(filepath.Join(dir, "release"))
	if err != nil {
		return kernel{}, err
	}
	k := kernel{release: string(release), image: filepath.Join(dir, "vmlinux"), memory: packagedMemory}
	if config := filepath.Join(dir, "config"); exists(config) {
		k.config = config
	}
	files, err := filepath.Glob(filepath.Join(dir, "modules", "*.ko"))
	if err != nil {
		return kernel{}, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return kernel{}, err
		}
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".ko"), "-")
		k.modules = append(k.modules, module{name: name, data: data})
	}
	return k, nil
}

// kernelOfPath takes a kernel from a build tree, or from a folder with an installed one.
func kernelOfPath(ctx context.Context, cache, dir string, progress func(string)) (kernel, error) {
	release, err := os.ReadFile(filepath.Join(dir, "include/config/kernel.release"))
	if err == nil {
		return kernelOfBuildTree(dir, strings.TrimSpace(string(release)), progress)
	}
	vmlinux := filepath.Join(cache, "kernels", "path-"+hashOf(dir)[:16])
	if err := os.MkdirAll(filepath.Dir(vmlinux), 0o755); err != nil {
		return kernel{}, err
	}
	return kernelOfPrefix(ctx, dir, vmlinux, progress)
}

func kernelOfBuildTree(dir, release string, progress func(string)) (kernel, error) {
	k := kernel{release: release, memory: buildTreeMemory}
	if config := filepath.Join(dir, ".config"); exists(config) {
		k.config = config
	}
	bzImage := filepath.Join(dir, "arch/x86/boot/bzImage")
	obstacle, err := noDirectBoot(filepath.Join(dir, "vmlinux"), k.config)
	switch {
	case err != nil:
		return k, fmt.Errorf("KERNEL=%s: %w", dir, err)
	case obstacle == "":
		k.image = filepath.Join(dir, "vmlinux")
	case exists(bzImage):
		progress(fmt.Sprintf("%s %s: booting bzImage, which takes longer", dir, obstacle))
		k.image = bzImage
	default:
		return k, fmt.Errorf("KERNEL=%s is a build tree that %s, and has no bzImage: want one after make", dir, obstacle)
	}
	tree, err := readModuleTree(dir)
	if err != nil {
		return k, fmt.Errorf("KERNEL=%s: %w: want a build tree after make", dir, err)
	}
	k.modules, err = tree.closure(guestModules, optionalModules)
	return k, named(err, "KERNEL=%s", dir)
}

// noDirectBoot is why QEMU cannot boot the ELF image of a build tree; empty when it can.
func noDirectBoot(vmlinux, config string) (obstacle string, err error) {
	image, err := os.ReadFile(vmlinux)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "has no vmlinux", nil
	case err != nil:
		return "", err
	case !hasPVHNote(image):
		return "is built without CONFIG_PVH", nil
	case config == "":
		return "", nil
	}
	settings, err := os.ReadFile(config)
	if bytes.Contains(settings, []byte("CONFIG_KASAN_GENERIC=y\n")) {
		// Linux 6.1's entry for PVH runs code that KASAN watches before there is a shadow to look into.
		return "is built with CONFIG_KASAN_GENERIC", nil
	}
	return "", err
}

// kernelOfPrefix takes the only kernel installed below dir; its ELF image is extracted to the file vmlinux.
func kernelOfPrefix(ctx context.Context, dir, vmlinux string, progress func(string)) (kernel, error) {
	modules, release, err := installedModules(dir)
	if err != nil {
		return kernel{}, err
	}
	k := kernel{release: release, memory: buildTreeMemory, image: vmlinux}
	images := []string{
		filepath.Join(dir, "boot/vmlinuz-"+release), filepath.Join(modules, "vmlinuz"),
		filepath.Join(dir, "vmlinuz-"+release),
		filepath.Join(dir, "boot/vmlinux-"+release), filepath.Join(dir, "vmlinux"),
	}
	i := slices.IndexFunc(images, exists)
	if i < 0 {
		return k, fmt.Errorf("%s has no image of kernel %s: want boot/vmlinuz-%s", dir, release, release)
	}
	err = extractVmlinux(ctx, images[i], vmlinux)
	if errors.Is(err, errNoVmlinux) {
		progress(fmt.Sprintf("%s: %v, booting it as it is, which takes longer", images[i], errNoVmlinux))
		k.image, err = images[i], nil
	}
	if err != nil {
		return k, err
	}
	for _, config := range []string{
		filepath.Join(dir, "boot/config-"+release), filepath.Join(modules, "config"), filepath.Join(dir, "config-"+release),
	} {
		if k.config == "" && exists(config) {
			k.config = config
		}
	}
	tree, err := readModuleTree(modules)
	if err != nil {
		return k, err
	}
	k.modules, err = tree.closure(guestModules, optionalModules)
	return k, named(err, "%s", dir)
}

// installedModules is the folder of the only kernel's modules below dir, and that kernel's release.
func installedModules(dir string) (path, release string, err error) {
	var found []string
	for _, pattern := range []string{"lib/modules/*", "usr/lib/modules/*"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return "", "", err
		}
		for _, p := range paths {
			if exists(filepath.Join(p, "modules.builtin")) {
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			break // the other may be a symbolic link to this one
		}
	}
	switch len(found) {
	case 0:
		return "", "", fmt.Errorf("%s is neither a kernel build tree after make nor a folder with lib/modules/RELEASE", dir)
	case 1:
		return found[0], filepath.Base(found[0]), nil
	}
	return "", "", fmt.Errorf("%s holds %d kernels (%s): want a folder with one", dir, len(found),
		strings.Join(found, ", "))
}

// named says what an error is of.
func named(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

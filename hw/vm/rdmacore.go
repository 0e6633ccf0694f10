package vm

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// root is the folder that agents run in: the libraries under test, what they need, and the agent. Names in it have no
// leading slash.
type root struct {
	files   map[string]string // name -> file on this host
	links   map[string]string // name -> target
	libdir  string            // where its dynamic loader looks
	version string            // of rdma-core
	env     []string          // of the agents
	ahead   bool              // one agent is started before the guest is saved
}

// debianLibdir is where Debian's dynamic loader looks.
const debianLibdir = "usr/lib/x86_64-linux-gnu"

// defaultSuite lends what a path does not bring along.
const defaultSuite = "bookworm"

// resolveRDMACore makes the agents' root for one rdma-core. A path that brings all of it takes all else from this host,
// with whose C library it was built.
func resolveRDMACore(ctx context.Context, c Config, name string) (root, error) {
	base, libraries, err := findLibraries(name, c.Preload)
	if err != nil {
		return root{}, err
	}
	r := root{
		files: map[string]string{}, links: map[string]string{}, libdir: debianLibdir, env: []string{"LC_ALL=C"},
		ahead: c.Ahead,
	}
	ours := []string{c.AgentBinary}
	if c.Mischief != "" {
		ours = append(ours, c.Mischief)
		r.files["mischief.so"] = c.Mischief
	}
	need, err := newestGlibc(append(ours, libraries.all()...))
	if err != nil {
		return root{}, err
	}
	if base != "" {
		err = r.addSuite(ctx, c.Cache, base, need, c.Progress)
	} else {
		err = r.addHostLibc()
	}
	if err != nil {
		return root{}, err
	}
	r.addLibraries(libraries)
	r.files["agent"] = c.AgentBinary
	maps.Copy(r.files, c.Files)
	return r, r.addMissing()
}

// newestGlibc is the newest version that any of the files needs.
func newestGlibc(files []string) (glibc, error) {
	var newest glibc
	for _, f := range files {
		n, err := needsOf(f)
		if err != nil {
			return newest, err
		}
		if n.glibc.newerThan(newest) {
			newest = n.glibc
		}
	}
	return newest, nil
}

// addSuite adds a suite's rdma-core, with its own C library or, where the agent needs a newer one, that of the first
// later suite that has it.
func (r *root) addSuite(ctx context.Context, cache, name string, need glibc, progress func(string)) error {
	s, err := openSuite(ctx, cache, name, progress)
	if err != nil {
		return err
	}
	debs, err := s.fetch(ctx, []string{"librdmacm1t64", "librdmacm1"}, []string{"libibverbs1"},
		[]string{"ibverbs-providers"}, []string{"libnl-3-200"}, []string{"libnl-route-3-200"})
	if err != nil {
		return err
	}
	libc, err := fetchLibc(ctx, cache, name, need, progress)
	if err != nil {
		return err
	}
	debs = append(debs, libc)
	r.version = debs[0].version
	dir := filepath.Join(cache, "rdma-core", fmt.Sprintf("%s-%s-libc-%s", name, r.version, libc.version))
	if err := cached(ctx, dir, whole, func(dir string) error {
		for _, d := range debs {
			if err := unpack(ctx, d, dir, partOfRDMACore); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return fmt.Errorf("rdma-core of suite %s: %w", name, err)
	}
	r.links["lib"], r.links["lib64"] = "usr/lib", "usr/lib64"
	return r.addFolder(dir)
}

// fetchLibc fetches the C library of a suite, or of the first later one that is new enough.
func fetchLibc(ctx context.Context, cache, name string, need glibc, progress func(string)) (deb, error) {
	var newest deb
	for _, from := range slices.Compact([]string{name, "bookworm", "trixie", "sid"}) {
		s, err := openSuite(ctx, cache, from, progress)
		if err != nil {
			return deb{}, err
		}
		candidate, err := s.candidate(ctx, []string{"libc6"})
		if err != nil {
			return deb{}, err
		}
		if newest = candidate; need.newerThan(parseGlibc(candidate.version)) {
			continue
		}
		debs, err := s.fetch(ctx, []string{"libc6"})
		if err != nil {
			return deb{}, err
		}
		return debs[0], nil
	}
	return deb{}, fmt.Errorf("the agent needs glibc %d.%d, and Debian's newest is %s: build it on an older system",
		need.major, need.minor, newest.version)
}

// partOfRDMACore are the files of the packages that an agent on rxe can come to map.
func partOfRDMACore(name string) bool {
	dir, file := path.Split(name)
	switch dir {
	case "etc/libibverbs.d/":
		return file == "rxe.driver"
	case "usr/lib64/":
		return true
	case debianLibdir + "/libibverbs/":
		return strings.HasPrefix(file, "librxe-rdmav")
	case debianLibdir + "/":
		for _, stem := range []string{
			"librdmacm.", "libibverbs.", "libnl-3.", "libnl-route-3.", "ld-", "libc.", "libc-", "libm.", "libm-", "libdl.",
			"libdl-", "libpthread.", "libpthread-", "librt.", "librt-",
		} {
			if strings.HasPrefix(file, stem) {
				return true
			}
		}
	}
	return false
}

// addFolder adds all files and links of a folder.
func (r *root) addFolder(dir string) error {
	return filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if d.Type() == os.ModeSymlink {
			r.links[name], err = os.Readlink(file)
			return err
		}
		r.files[name] = file
		return nil
	})
}

// addHostLibc puts the root's libraries where this host's dynamic loader looks.
func (r *root) addHostLibc() error {
	libc, err := hostLibrary("libc.so.6")
	if err != nil {
		return err
	}
	r.libdir = strings.TrimPrefix(filepath.Dir(libc), "/")
	return nil
}

// addLibraries adds the libraries under test, over what is there.
func (r *root) addLibraries(l libraries) {
	for soname, file := range l.sonames {
		name := path.Join(r.libdir, soname)
		delete(r.links, name)
		r.files[name] = file
	}
	if file, ok := l.sonames["librdmacm.so.1"]; ok {
		version := rdmaCoreVersion(file)
		if r.version != "" {
			version = r.version + " with librdmacm " + version
		}
		r.version = version + " of " + l.dir
	}
	if l.provider != "" {
		name := path.Join(r.libdir, "libibverbs", filepath.Base(l.provider))
		r.files[name] = l.provider
		// libibverbs looks for drivers in a folder fixed when it was built; a driver named by its path it takes from there.
		stem, _, _ := strings.Cut(name, "-rdmav")
		r.env = append(r.env, "RDMAV_DRIVERS=/"+stem, "IBV_DRIVERS=/"+stem)
	}
	var preloads []string
	for _, file := range l.preload {
		name := path.Join(r.libdir, "preload", filepath.Base(file))
		r.files[name] = file
		preloads = append(preloads, "/"+name)
	}
	if len(preloads) > 0 {
		r.env = append(r.env, "LD_PRELOAD="+strings.Join(preloads, ":"))
		r.version += " with " + strings.Join(l.preloadNames(), ", ") + " preloaded"
	}
}

// addMissing adds this host's file for every library that one of the root's files needs and none provides, and for a
// missing dynamic loader.
func (r *root) addMissing() error {
	pending := make([]string, 0, len(r.files))
	for _, file := range r.files {
		pending = append(pending, file)
	}
	for len(pending) > 0 {
		file := pending[0]
		pending = pending[1:]
		if strings.HasSuffix(file, ".driver") {
			continue
		}
		n, err := needsOf(file)
		if err != nil {
			return err
		}
		add := func(name, source string) {
			r.files[name] = source
			pending = append(pending, source)
		}
		if name := strings.TrimPrefix(n.interpreter, "/"); name != "" && !r.has(name) {
			add(name, n.interpreter)
		}
		for _, soname := range n.libraries {
			if r.has(path.Join(r.libdir, soname)) || r.hasLoader(soname) {
				continue
			}
			source, err := hostLibrary(soname)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			add(path.Join(r.libdir, soname), source)
		}
	}
	return nil
}

// has tells whether a name is in the root, also by way of its linked folders.
func (r *root) has(name string) bool {
	merged := mergedUsr(name)
	for _, n := range []string{name, merged} {
		if r.files[n] != "" || r.links[n] != "" {
			return true
		}
	}
	return false
}

// hasLoader tells whether a soname is that of the dynamic loader, which is known by its path.
func (r *root) hasLoader(soname string) bool {
	return strings.HasPrefix(soname, "ld-linux") && (r.has("lib64/"+soname) || r.has("lib/"+soname))
}

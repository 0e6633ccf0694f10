// Package vm turns a kernel's and an rdma-core's version into running guests: two hosts on one wire, with Soft-RoCE.
//
// A pair of guests is booted once for a kernel and an rdma-core, saved, and restored afresh in a fraction of a second
// for whoever needs one.
package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Config says what guests to make.
type Config struct {
	Kernel string // a Debian suite, or the path of a build tree or of a folder with an installed kernel
	// RDMACore is a Debian suite, or a path: of a build tree or an installed prefix with librdmacm.so.1, libibverbs.so.1
	// and librxe-rdmav*.so; of a folder with librdmacm.so.1 alone, which is put into bookworm's rdma-core; or of a folder
	// with other *.so files only, which are preloaded over it.
	RDMACore string
	// Beside are further rdma-cores that the guests hold, each named as RDMACore may be. Labs of one kernel whose
	// rdma-cores are altogether the same share one saved pair, whichever of them each is for.
	Beside []string

	HostBinary  string   // joinmcast-host, a static program
	AgentBinary string   // joinmcast-agent, or another program
	Ahead       bool     // save the guests with an agent that runs and waits for its first message; not with Beside
	Capture     bool     // keep what every pair's wire carries, for Pair.WriteWire
	Mischief    string   // joinmcast-mischief.so, which agents for mischief have preloaded; empty: there are none
	Preload     []string // shared objects that agents have preloaded
	// Files are put into the agents' root beside the agent: names there, without a leading slash -> files of this host.
	Files map[string]string

	Memory   int          // of a guest in MiB; 0: by the kind of kernel
	Cache    string       // folder; empty for that of the user
	Progress func(string) // told what takes time, a line each; may be nil
}

// Lab hands out pairs of guests.
type Lab struct {
	saved    savedPair
	release  string
	rdmaCore string
	root     string
	captures bool
	runDir   string
	unlock   func()

	life context.Context // ends with the lab
	end  context.CancelFunc

	mu     sync.Mutex
	living map[*Pair]bool
	closed bool
}

// Open resolves the versions, and boots and saves a pair unless the cache has it. The lab and its guests end with ctx,
// which therefore must outlive the call.
func Open(ctx context.Context, c Config) (*Lab, error) {
	if err := c.fill(); err != nil {
		return nil, err
	}
	m, initrd, l, err := resolve(ctx, c)
	if err != nil {
		return nil, err
	}
	if l.runDir, l.unlock, err = makeRunDir(ctx); err != nil {
		return nil, err
	}
	if l.saved, err = openPair(ctx, m, initrd, filepath.Join(c.Cache, "pairs"), l.runDir, c.Progress); err != nil {
		_ = os.RemoveAll(l.runDir)
		l.unlock()
		return nil, err
	}
	l.life, l.end = context.WithCancel(ctx)
	context.AfterFunc(l.life, l.closeAll)
	l.living = map[*Pair]bool{}
	return l, nil
}

// FetchRDMACore fetches what the configuration's RDMACore needs, beside nothing else of it, and says why guests cannot
// hold it.
func FetchRDMACore(ctx context.Context, c Config) error {
	if err := c.fill(); err != nil {
		return err
	}
	r, err := resolveRDMACore(ctx, c, c.RDMACore)
	if err != nil {
		return err
	}
	for name, file := range r.files {
		if _, err := os.Stat(file); err != nil {
			return named(err, "rdma-core %s: file %s", c.RDMACore, name)
		}
	}
	return nil
}

// fill gives fields that may be empty their values.
func (c *Config) fill() error {
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	if c.Cache == "" {
		dir, err := defaultCache()
		if err != nil {
			return fmt.Errorf("cache folder: %w", err)
		}
		c.Cache = dir
	}
	return nil
}

// resolve makes what the guests boot.
func resolve(ctx context.Context, c Config) (machine, []byte, *Lab, error) {
	fail := func(err error) (machine, []byte, *Lab, error) { return machine{}, nil, nil, err }
	if _, err := findQEMU(); err != nil {
		return fail(err) // before anything is fetched
	}
	k, err := resolveKernel(ctx, c.Cache, c.Kernel, c.Progress)
	if err != nil {
		return fail(err)
	}
	if c.Ahead && len(c.Beside) > 0 {
		return fail(errors.New("an agent cannot be started ahead in guests that hold several rdma-cores"))
	}
	names := slices.Compact(slices.Sorted(slices.Values(append([]string{c.RDMACore}, c.Beside...))))
	own := slices.Index(names, c.RDMACore)
	roots := make([]root, len(names))
	for i, name := range names {
		if roots[i], err = resolveRDMACore(ctx, c, name); err != nil {
			return fail(err)
		}
	}
	files, err := guestFiles(c.HostBinary, k, roots)
	if err != nil {
		return fail(err)
	}
	initrd, err := initramfs(files)
	if err != nil {
		return fail(err)
	}
	m := machine{image: k.image, memory: k.memory, accel: os.Getenv("JOINMCAST_ACCEL")}
	if c.Memory > 0 {
		m.memory = c.Memory
	}
	return m, initrd, &Lab{
		release: k.release, rdmaCore: roots[own].version, root: rootName(own), captures: c.Capture,
	}, nil
}

// Kernel is the release of the guests' kernel, as found.
func (l *Lab) Kernel() string { return l.release }

// RDMACore is the version of the guests' rdma-core, as found.
func (l *Lab) RDMACore() string { return l.rdmaCore }

// Root is the name by which the guests know the lab's rdma-core among those that they hold.
func (l *Lab) Root() string { return l.root }

// Fresh gives a pair that nobody has used, asleep. The caller closes it; the lab's end does so too.
func (l *Lab) Fresh() (*Pair, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed
	}
	var pair *Pair
	pair, err := l.saved.pair(l.runDir, l.captures, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.living, pair)
	})
	if err != nil {
		return nil, err
	}
	l.living[pair] = true
	return pair, nil
}

var errClosed = errors.New("the lab is closed")

// Close ends every guest and removes every file of the lab's but the cache.
func (l *Lab) Close() {
	l.end()
	l.closeAll()
	l.unlock()
}

func (l *Lab) closeAll() {
	l.mu.Lock()
	l.closed = true
	var living []*Pair
	for p := range l.living {
		living = append(living, p)
	}
	l.mu.Unlock()
	for _, p := range living {
		p.Close()
	}
	_ = os.RemoveAll(l.runDir)
}

// runDirPattern names the folders of running labs in the folder for temporary files.
const runDirPattern = "joinmcast-vm-*"

// makeRunDir makes this lab's folder, and removes those of labs that were killed: their locks are free.
func makeRunDir(ctx context.Context) (dir string, unlock func(), err error) {
	old, err := filepath.Glob(filepath.Join(os.TempDir(), runDirPattern))
	if err != nil {
		return "", nil, err
	}
	for _, dir := range old {
		removeIfDead(dir)
	}
	dir, err = os.MkdirTemp("", runDirPattern)
	if err != nil {
		return "", nil, err
	}
	unlock, err = lock(ctx, filepath.Join(dir, "lock"))
	return dir, unlock, err
}

func removeIfDead(dir string) {
	if info, err := os.Stat(dir); err != nil || time.Since(info.ModTime()) < time.Minute {
		return // perhaps not locked yet
	}
	done, cancel := context.WithCancel(context.Background())
	cancel() // one try, no wait
	unlock, err := lock(done, filepath.Join(dir, "lock"))
	if err != nil {
		return
	}
	defer unlock()
	_ = os.RemoveAll(dir)
}

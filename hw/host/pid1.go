package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// What hw/vm puts into a guest.
const (
	guestRoots   = "/rdma-core"             // folder of the agents' roots, one an rdma-core: its libraries and the agent
	guestAgent   = "/agent"                 // in a root
	guestPreload = "/mischief.so"           // in a root, what agents for mischief have preloaded
	guestVersion = "VERSION"                // in a root, of its rdma-core
	guestEnv     = "ENV"                    // in a root, its agents' environment, one NAME=value a line
	guestModules = "/etc/joinmcast/modules" // modules in the order of loading: path and parameters
	guestAhead   = "/etc/joinmcast/ahead"   // there when an agent is to be started before the guest is saved
	guestPort    = "joinmcast"              // name of the virtio port
	guestNetdev  = "eth0"                   // on the wire
	guestDevice  = "rxe0"                   // the RDMA device made over it
	addrParam    = "joinmcast.addr="        // on the kernel's command line, an address with its prefix length
	nameParam    = "joinmcast.name="        // on the kernel's command line, the guest's host name
)

// bePID1 makes a booted kernel a host, serves one session and powers off. It never returns.
func bePID1() {
	err := func() error {
		if err := prepareGuest(context.Background()); err != nil {
			return err
		}
		roots, err := findRoots()
		if err != nil {
			return err
		}
		first := roots[slices.Min(slices.Collect(maps.Keys(roots)))]
		h, err := newHost(settings{
			device: guestDevice, program: first.program, ours: true, version: first.version, others: roots,
		})
		if err != nil {
			return err
		}
		if h.fresh, err = h.look(context.Background()); err != nil {
			return err
		}
		if h.ground, err = survey(); err != nil {
			return err
		}
		if exists(guestAhead) {
			if err := h.agents.startAhead(context.Background()); err != nil {
				return err
			}
		}
		port, err := openPort(context.Background(), guestPort)
		if err != nil {
			return err
		}
		return h.serve(port)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "joinmcast-host:", err)
	}
	_ = powerOff()
	select {} // the kernel is about to stop this thread too
}

func powerOff() error { return unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF) }

func prepareGuest(ctx context.Context) error {
	params, err := mountAll()
	if err != nil {
		return err
	}
	if name := params[nameParam]; name != "" {
		if err := unix.Sethostname([]byte(name)); err != nil {
			return err
		}
	}
	if err := loadModules(guestModules); err != nil {
		return err
	}
	_ = unix.Mount("configfs", "/sys/kernel/config", "configfs", 0, "") // once the module is there; or mounted above
	addr, err := netip.ParsePrefix(params[addrParam])
	if err != nil {
		return fmt.Errorf("kernel parameter %s%s: want an address with its prefix length", addrParam, params[addrParam])
	}
	if err := bringUpNetwork(ctx, addr); err != nil {
		return err
	}
	if err := netlink.RdmaLinkAdd(guestDevice, "rxe", guestNetdev); err != nil {
		return fmt.Errorf("rdma link add %s type rxe netdev %s: %w", guestDevice, guestNetdev, err)
	}
	// A guest must not be saved in the midst of that.
	if err := await(ctx, "a GID of every address of "+guestNetdev, func() bool {
		return hasAddresses(guestNetdev, guestDevice)
	}); err != nil {
		return err
	}
	return await(ctx, "/dev/infiniband/rdma_cm and uverbs0", func() bool {
		return exists("/dev/infiniband/rdma_cm") && exists("/dev/infiniband/uverbs0")
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// mountAll mounts the kernel's file systems, and binds those an agent needs into its root. It returns our parameters on
// the kernel's command line.
func mountAll() (map[string]string, error) {
	for _, m := range []struct {
		kind, dir string
		optional  bool
	}{
		{"proc", "/proc", false},
		{"sysfs", "/sys", false},
		{"devtmpfs", "/dev", false},
		{"debugfs", "/sys/kernel/debug", true},
		{"configfs", "/sys/kernel/config", true},
	} {
		if err := os.MkdirAll(m.dir, 0o755); err != nil && !m.optional {
			return nil, err
		}
		if err := unix.Mount(m.kind, m.dir, m.kind, 0, ""); err != nil && !m.optional && !errors.Is(err, unix.EBUSY) {
			return nil, fmt.Errorf("mount %s: %w", m.dir, err)
		}
	}
	roots, err := os.ReadDir(guestRoots)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if err := os.MkdirAll(filepath.Join(guestRoots, root.Name(), "tmp"), 0o755); err != nil {
			return nil, err
		}
		for _, dir := range []string{"/dev", "/proc", "/sys"} {
			target := filepath.Join(guestRoots, root.Name(), dir)
			if err := os.MkdirAll(target, 0o755); err != nil {
				return nil, err
			}
			if err := unix.Mount(dir, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
				return nil, fmt.Errorf("bind %s: %w", target, err)
			}
		}
	}
	params := map[string]string{}
	for word := range strings.FieldsSeq(trimmed("/proc/cmdline")) {
		for _, name := range []string{addrParam, nameParam} {
			if value, ok := strings.CutPrefix(word, name); ok {
				params[name] = value
			}
		}
	}
	return params, nil
}

// bringUpNetwork sets up lo and the wire's device. Duplicate address detection would keep addresses unusable for a
// second, and reverse path filters would drop what two devices on one wire send each other.
func bringUpNetwork(ctx context.Context, addr netip.Prefix) error {
	if err := await(ctx, "network device "+guestNetdev, func() bool {
		_, err := net.InterfaceByName(guestNetdev)
		return err == nil
	}); err != nil {
		return err
	}
	for _, conf := range []string{"all", "default", guestNetdev} {
		sysctl := map[string]string{
			filepath.Join("/proc/sys/net/ipv4/conf", conf, "rp_filter"):  "0",
			filepath.Join("/proc/sys/net/ipv6/conf", conf, "accept_dad"): "0",
			filepath.Join("/proc/sys/net/ipv6/conf", conf, "accept_ra"):  "0",
		}
		for path, value := range sysctl {
			if err := os.WriteFile(path, []byte(value), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	for _, name := range []string{"lo", guestNetdev} {
		link, err := linkByName(name)
		if err != nil {
			return err
		}
		if name == guestNetdev {
			if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ipNet(addr)}); err != nil {
				return fmt.Errorf("add address %s dev %s: %w", addr, name, err)
			}
		}
		if err := netlink.LinkSetUp(link); err != nil {
			return fmt.Errorf("set link %s up: %w", name, err)
		}
	}
	return await(ctx, guestNetdev+" up", func() bool {
		return trimmed("/sys/class/net/"+guestNetdev+"/operstate") == "up"
	})
}

// loadModules loads the files that a list names, in its order.
func loadModules(list string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	for _, line := range lines(string(text)) {
		path, params, _ := strings.Cut(line, " ")
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), params, 0)
		_ = f.Close()
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("load module %s: %w", path, err)
		}
	}
	return nil
}

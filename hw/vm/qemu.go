package vm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// qemuBinary is the emulator for x86-64 guests.
const qemuBinary = "qemu-system-x86_64"

// controlID is the name of the virtio port, in QEMU and in the guest.
const controlID = "joinmcast"

// machine is what the guests of a lab have in common.
type machine struct {
	image, initrd string
	memory        int // MiB
	accel         string
}

// guestNames are the two hosts of a pair.
var guestNames = [2]string{"a", "b"}

// guestAddr is a guest's address on the wire.
func guestAddr(i int) string { return fmt.Sprintf("192.168.177.%d/24", i+1) }

// arguments are QEMU's for a guest of a pair. All sockets are named within the pair's folder, which QEMU runs in, so
// that a saved state fits any pair of the same machine.
func (m machine) arguments(i int) []string {
	self, peer := guestNames[i], guestNames[1-i]
	// Guards against a machine's own users are left out: each entry into the kernel would cost the emulator its tables.
	cpu := "max,-pku,-smap,-smep,-umip"
	accel := "tcg,thread=multi"
	if m.accel == "kvm" {
		cpu, accel = "host", "kvm"
	}
	return []string{
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-accel", accel, "-cpu", cpu, "-smp", "1", "-m", fmt.Sprintf("%dM", m.memory),
		"-machine", "memory-backend=memory",
		"-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
		"-chardev", "socket,id=qmp,fd=3", "-mon", "chardev=qmp,mode=control",
		"-netdev", "dgram,id=wire,local.type=unix,local.path=" + self + ".wire," +
			"remote.type=unix,remote.path=" + peer + ".wire",
		// QEMU polls each queue's eventfd at every turn of its loop: ioeventfd=off spares it that. The first of a serial
		// device's ports is a console's.
		// Without guest_announce=off, restored guests of Linux 7.2 get no multicast.
		"-device", fmt.Sprintf("virtio-net-pci,netdev=wire,mac=52:54:00:b1:00:%02x,romfile=,guest_announce=off,ioeventfd=off",
			i+1),
		"-device", "virtio-serial-pci,max_ports=2,ioeventfd=off",
		"-chardev", fmt.Sprintf("socket,id=control,path=%s.control,server=on,wait=off", self),
		"-device", fmt.Sprintf("virtserialport,chardev=control,id=%s,name=%s", controlID, controlID),
		"-device", "pvpanic-pci", "-action", "panic=exit-failure",
	}
}

// bootArguments tell QEMU what to boot. A restored guest has it in its memory, and is spared the loading.
func (m machine) bootArguments(i int) []string {
	params := []string{
		"console=ttyS0", "quiet",
		// What guards a machine against its users only costs time here: a fifth of it, under emulation.
		"mitigations=off", "apparmor=0", "audit=0", "tsc=reliable",
		// The emulator translates a program anew wherever it is loaded: nearly half of what an agent's start takes.
		"norandmaps",
		// A guest whose first timer interrupts came late because the machine is busy would panic.
		"no_timer_check",
		// A busy machine stops its guests for seconds, and a restored guest's clock jumps: no defect of the kernel under
		// test, whose own stalls meet the deadline of the call that stalls.
		"nosoftlockup", "rcupdate.rcu_cpu_stall_suppress=1",
		"panic=-1", "unknown_nmi_panic", "joinmcast.addr=" + guestAddr(i),
		"joinmcast.name=" + guestNames[i], "--", "-pid1",
	}
	return []string{"-kernel", m.image, "-initrd", m.initrd, "-append", strings.Join(params, " ")}
}

// guestProcess is one running QEMU.
type guestProcess struct {
	name    string
	dir     string
	qmp     *qmp
	cmd     *exec.Cmd
	console *console

	ended chan struct{} // closed when the process has been collected
	err   error         // then valid: how it ended
}

// findQEMU finds the emulator's program.
func findQEMU() (string, error) {
	binary, err := exec.LookPath(qemuBinary)
	if err != nil {
		return "", errors.New(qemuBinary + " is not installed: run `make setup`")
	}
	return binary, nil
}

// memoryArguments give a guest its memory: the file in the pair's folder that its name stands for. What a restored
// guest writes is its own, so that all that are restored share what none of them has written, and none is loaded.
func (m machine) memoryArguments(i int, restored bool) []string {
	share := "on"
	if restored {
		share = "off"
	}
	return []string{"-object", fmt.Sprintf("memory-backend-file,id=memory,size=%dM,mem-path=%s,share=%s", m.memory,
		memoryName(i), share)}
}

// saveVariable names, in QEMU's environment, the file to save to: its path may hold what a shell misreads.
const saveVariable = "JOINMCAST_SAVE"

// startGuest starts QEMU in a pair's folder. A guest that is booted, to be saved to the folder of a saved pair, runs;
// one that is restored from it stands still.
func startGuest(ctx context.Context, m machine, i int, dir, saved string, restored bool) (*guestProcess, error) {
	binary, err := findQEMU()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer func() { _ = theirs.Close() }()
	state := filepath.Join(saved, stateName(i))
	if err := os.Symlink(filepath.Join(saved, memoryName(i)), filepath.Join(dir, memoryName(i))); err != nil {
		return nil, err
	}
	g := &guestProcess{name: guestNames[i], dir: dir, console: &console{}, ended: make(chan struct{})}
	args := slices.Concat(m.arguments(i), m.memoryArguments(i, restored))
	extra := []*os.File{theirs}
	if restored {
		file, err := os.Open(state)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		extra = append(extra, file)
		args = append(args, "-incoming", "defer")
	} else {
		args = append(args, m.bootArguments(i)...)
	}
	g.cmd = exec.Command(binary, args...)
	g.cmd.Dir = dir
	g.cmd.Env = append(os.Environ(), saveVariable+"="+state)
	g.cmd.Stdout, g.cmd.Stderr = g.console, g.console
	g.cmd.ExtraFiles = extra
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := onLastingThread(g.cmd.Start); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start QEMU: %w", err)
	}
	go func() {
		g.err = g.cmd.Wait()
		close(g.ended)
	}()
	g.qmp, err = newQMP(ctx, ours)
	if err == nil && restored {
		err = g.qmp.migrate(ctx, "migrate-incoming", "fd:4")
	}
	if err != nil {
		err = g.explain("start", err)
		g.stop()
		return nil, err
	}
	return g, nil
}

// errLate is what a deadline means to whoever waits for a guest.
var errLate = errors.New("no answer in time")

// explain adds a guest's last words to an error that one of its steps met.
func (g *guestProcess) explain(step string, err error) error {
	if errors.Is(err, errQMPEnded) {
		<-g.ended // so that the console is complete
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errLate
	}
	words := lastLines(g.console.text())
	if words == "" {
		words = "(nothing)"
	}
	return fmt.Errorf("guest %s, %s: %w; its console ends with:\n%s", g.name, step, err, words)
}

// stop ends QEMU at once, and waits for its end.
func (g *guestProcess) stop() {
	_ = g.cmd.Process.Kill()
	<-g.ended
	if g.qmp != nil {
		_ = g.qmp.conn.Close()
	}
}

// connect connects to the guest's control port.
func (g *guestProcess) connect(ctx context.Context) (net.Conn, error) {
	// A socket's name has room for about 100 bytes; by way of the open folder it fits, wherever that is.
	folder, err := os.Open(g.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	path := filepath.Join(fmt.Sprintf("/proc/self/fd/%d", folder.Fd()), g.name+".control")
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", path)
}

// socketPair is a connected pair of stream sockets; theirs is for a child.
func socketPair() (ours net.Conn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	file := os.NewFile(uintptr(fds[0]), "qmp")
	defer func() { _ = file.Close() }()
	theirs = os.NewFile(uintptr(fds[1]), "qmp of QEMU")
	ours, err = net.FileConn(file)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// starts carries work to the thread of onLastingThread.
var starts = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// onLastingThread runs f on a thread that lives as long as the process: the kernel sends a child its Pdeathsig when the
// thread that started it ends.
func onLastingThread(f func() error) error {
	result := make(chan error)
	starts() <- func() { result <- f() }
	return <-result
}

// deadlines of a guest's steps, wide enough for a busy machine.
const (
	bootWithin    = 3 * time.Minute
	saveWithin    = time.Minute
	restoreWithin = 30 * time.Second
)

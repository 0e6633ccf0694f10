package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// openPort opens the virtio port of a name and returns when the other end has connected. Opening it tells QEMU that the
// guest is up; a guest saved at that moment, and restored, goes on here.
func openPort(ctx context.Context, name string) (*os.File, error) {
	path := ""
	if err := await(ctx, "virtio port "+name, func() bool {
		path = portPath(name)
		return path != ""
	}); err != nil {
		return nil, err
	}
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for {
		poll := []unix.PollFd{{Fd: int32(fd)}}
		if _, err := unix.Poll(poll, 0); err != nil && !errors.Is(err, unix.EINTR) {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if poll[0].Revents&unix.POLLHUP == 0 {
			return os.NewFile(uintptr(fd), path), nil
		}
		// POLLHUP is reported at once as long as nobody is there; waiting for its end is looking again.
		time.Sleep(awaitEvery)
	}
}

func portPath(name string) string {
	names, _ := filepath.Glob("/sys/class/virtio-ports/*/name")
	for _, file := range names {
		device := "/dev/" + filepath.Base(filepath.Dir(file))
		if trimmed(file) == name && exists(device) {
			return device
		}
	}
	return ""
}

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"joinmcast/spec"
)

// roceModeFile is the file of rdma_cm's configfs that holds a port's default RoCE mode. The folder of the device is
// made for as long as the file is used; what was written stays. A host that has no such configfs, or where it may not
// be mounted, gives an error.
func roceModeFile(device string, port uint8) (file string, done func(), err error) {
	const configfs = "/sys/kernel/config"
	if _, err := os.Stat(configfs + "/rdma_cm"); err != nil {
		_ = unix.Mount("configfs", configfs, "configfs", 0, "")
	}
	dir := filepath.Join(configfs, "rdma_cm", device)
	file = filepath.Join(dir, fmt.Sprintf("ports/%d/default_roce_mode", port))
	switch err := os.Mkdir(dir, 0o755); {
	case errors.Is(err, os.ErrExist):
		return file, func() {}, nil
	case err != nil:
		return "", nil, err
	}
	return file, func() { _ = os.Remove(dir) }, nil
}

// defaultRoCEMode is a port's default RoCE mode, empty of one that is no Ethernet port. Where nobody can be asked it is
// the kernel's built-in default, which is named by the first GID's type.
func defaultRoCEMode(device string, port uint8) (spec.RoCEMode, error) {
	file, done, err := roceModeFile(device, port)
	if err != nil {
		return spec.RoCEMode(trimmed(filepath.Join(infiniband, device, fmt.Sprintf("ports/%d/gid_attrs/types/0", port)))), nil
	}
	defer done()
	mode, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.EINVAL) {
		return "", nil
	}
	return spec.RoCEMode(strings.TrimSpace(string(mode))), err
}

// offersBothModes tells whether a device's port has GIDs of both versions of RoCE.
func offersBothModes(device string) spec.Evidence {
	types := map[string]bool{}
	for _, g := range listGIDs(device) {
		types[g.kind] = true
	}
	return spec.Evidence{
		Has: types[string(spec.RoCEv1Mode)] && types[string(spec.RoCEv2Mode)],
		How: fmt.Sprintf("types of GIDs: %q", slices.Sorted(maps.Keys(types))),
	}
}

// planRoCEMode sets a port's default RoCE mode.
func planRoCEMode(c spec.RoCEModeChange) (do, undo step, err error) {
	old, err := defaultRoCEMode(c.Device, c.Port)
	if err != nil {
		return nil, nil, named(err, "default RoCE mode of %s port %d", c.Device, c.Port)
	}
	set := func(m spec.RoCEMode) step {
		return func(context.Context) error { return setRoCEMode(c.Device, c.Port, m) }
	}
	return set(c.Mode), set(old), nil
}

func setRoCEMode(device string, port uint8, m spec.RoCEMode) error {
	file, done, err := roceModeFile(device, port)
	if err != nil {
		return named(err, "default RoCE mode of %s port %d", device, port)
	}
	defer done()
	err = os.WriteFile(file, []byte(m), 0o644)
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("%s port %d does not offer the RoCE mode %q", device, port, m)
	}
	return err
}

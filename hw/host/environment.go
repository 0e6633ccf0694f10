package main

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"joinmcast/spec"
)

// environment is the host's part of the certificate, but for the libraries, which an agent knows best.
func (h *host) environment(context.Context, none) (spec.HostEnvironment, error) {
	h.mu.Lock()
	nonce := h.nonce
	h.mu.Unlock()
	name, err := os.Hostname()
	if err != nil {
		return spec.HostEnvironment{}, err
	}
	id, device := h.identity, filepath.Join(infiniband, h.device)
	mode, err := defaultRoCEMode(h.device, id.ports[0].Num)
	if err != nil {
		return spec.HostEnvironment{}, err
	}
	e := spec.HostEnvironment{
		Name: name, Nonce: nonce,
		KernelRelease: id.release, KernelVersion: id.version, CommandLine: trimmed("/proc/cmdline"),
		RDMACore: h.version,
		Modules:  id.modules,
		Driver:   id.driver, Device: h.device,
		Firmware:     trimmed(device + "/fw_ver"),
		NodeGUID:     strings.ReplaceAll(trimmed(device+"/node_guid"), ":", ""),
		SysImageGUID: strings.ReplaceAll(trimmed(device+"/sys_image_guid"), ":", ""),
		LinkLayer:    id.linkLayer,
		RoCEMode:     string(mode),
	}
	gid := spec.MGIDOf(id.addr)
	if id.linkLayer == "InfiniBand" {
		e.GID = strings.ReplaceAll(trimmed(device+"/ports/1/gids/0"), ":", "")
	} else if index, found := findGID(h.device, gid, mode); found {
		e.GID, e.GIDIndex = hex.EncodeToString(gid[:]), index
	}
	e.MTU, _, err = netdevState(id.netdev)
	return e, err
}

// librdmacmDirs are where a dynamic loader looks by default, on the distributions that build rdma-core.
var librdmacmDirs = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64",
	"/usr/lib64", "/lib", "/usr/lib",
}

// installedVersion reads rdma-core's version off the file of the librdmacm that an agent on this machine loads, whose
// name ends in it: librdmacm.so.1.3.44.0 is of 44.0.
func installedVersion(root string) string {
	dirs := append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), librdmacmDirs...)
	for _, dir := range dirs {
		file, err := filepath.EvalSymlinks(filepath.Join(root, dir, "librdmacm.so.1"))
		if err != nil {
			continue
		}
		if version, ok := strings.CutPrefix(filepath.Base(file), "librdmacm.so.1.3."); ok {
			return version
		}
	}
	return "unknown"
}

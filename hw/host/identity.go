package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"joinmcast/spec"
)

// identity is what a host is and stays: its kernel and the device under test.
type identity struct {
	release, version string
	modules          map[string]string // RDMA module -> build-id
	detectors        []string

	device    string
	netdev    string
	driver    string
	linkLayer string
	nodeType  string
	roceMode  spec.RoCEMode // the port's default_roce_mode; empty where there is none
	addr      netip.Addr
	ports     []spec.Port // before any change
}

// identify reads the identity of the host; device may be empty for the first that has a network device.
func identify(device string) (identity, error) {
	id := identity{modules: moduleBuildIDs(), detectors: detectors()}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return id, err
	}
	id.release, id.version = unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Version[:])

	ports, err := listPorts(device)
	if err != nil {
		return id, err
	}
	if len(ports) == 0 {
		return id, errors.New("no RDMA device here has a network device: want one, as of rdma link add rxe0 type rxe")
	}
	port := ports[0]
	if device != "" && port.Device != device {
		return id, fmt.Errorf("RDMA device %q is not here or has no network device: want one of %s", device,
			deviceNames(ports))
	}
	if len(port.Addrs) == 0 {
		return id, fmt.Errorf("network device %s of %s has no address", port.Netdev, port.Device)
	}
	id.device, id.netdev, id.linkLayer = port.Device, port.Netdev, port.LinkLayer
	id.addr, id.ports = port.Addrs[0].Addr(), ports
	id.driver = driverOf(port.Device, port.Netdev)
	id.nodeType = trimmed(filepath.Join(infiniband, port.Device, "node_type"))
	id.roceMode, err = defaultRoCEMode(port.Device, port.Num)
	return id, err
}

func deviceNames(ports []spec.Port) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Device
	}
	return strings.Join(slices.Compact(names), ", ")
}

// driverOf is the driver of the device behind the RDMA device. Soft-RoCE has none; it is known by its attribute parent,
// the network device it was added to (Linux rxe_verbs.c), and comes first because old kernels link it to that device's
// driver.
func driverOf(device, netdev string) string {
	if trimmed(filepath.Join(infiniband, device, "parent")) == netdev {
		return "rdma_rxe"
	}
	link, err := os.Readlink(filepath.Join(infiniband, device, "device/driver"))
	if err != nil {
		return "unknown"
	}
	return filepath.Base(link)
}

// transport tells what carries the datagrams, by node type, link layer and RoCE mode.
func (id identity) transport() spec.Transport {
	switch {
	case strings.Contains(id.nodeType, "RNIC"):
		return spec.IWARP
	case id.linkLayer == "InfiniBand":
		return spec.InfiniBand
	case id.roceMode == spec.RoCEv1Mode:
		return spec.RoCEv1
	default:
		return spec.RoCEv2
	}
}

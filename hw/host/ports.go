package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"

	"joinmcast/spec"
)

// infiniband is where sysfs lists RDMA devices, whatever their transport.
const infiniband = "/sys/class/infiniband"

// listPorts lists the RDMA ports that have a network device, those of the named device first.
func listPorts(first string) ([]spec.Port, error) {
	dirs, err := filepath.Glob(infiniband + "/*/ports/*")
	if err != nil {
		return nil, err
	}
	ports := []spec.Port{}
	for _, dir := range dirs {
		device := filepath.Base(filepath.Dir(filepath.Dir(dir)))
		num, err := strconv.ParseUint(filepath.Base(dir), 10, 8)
		if err != nil {
			return nil, fmt.Errorf("port %s: %w", dir, err)
		}
		netdev := portNetdev(dir, device)
		if netdev == "" {
			continue
		}
		p := spec.Port{Device: device, Num: uint8(num), Netdev: netdev, LinkLayer: trimmed(dir + "/link_layer")}
		if p.MTU, p.Addrs, err = netdevState(netdev); err != nil {
			return nil, err
		}
		ports = append(ports, p)
	}
	slices.SortStableFunc(ports, func(a, b spec.Port) int {
		return btoi(b.Device == first) - btoi(a.Device == first)
	})
	return ports, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// portNetdev is the network device of a port: of its first GID, or, where GIDs name none (InfiniBand), the one whose
// parent device is the same.
func portNetdev(dir, device string) string {
	files, _ := filepath.Glob(dir + "/gid_attrs/ndevs/*")
	for _, f := range files {
		if name := trimmed(f); name != "" {
			return name
		}
	}
	siblings, _ := os.ReadDir(filepath.Join(infiniband, device, "device/net"))
	for _, s := range siblings {
		return s.Name()
	}
	return ""
}

// netdevState is a network device's MTU and addresses, IPv4 first.
func netdevState(name string) (int, []netip.Prefix, error) {
	link, err := linkByName(name)
	if err != nil {
		return 0, nil, err
	}
	list, err := netlink.AddrList(link, netlink.FAMILY_ALL)
	if err != nil {
		return 0, nil, fmt.Errorf("addresses of %s: %w", name, err)
	}
	addrs := []netip.Prefix{}
	for _, a := range list {
		addr, ok := netip.AddrFromSlice(a.IP)
		bits, _ := a.Mask.Size()
		if ok {
			addrs = append(addrs, netip.PrefixFrom(addr.Unmap(), bits))
		}
	}
	slices.SortStableFunc(addrs, func(a, b netip.Prefix) int { return btoi(b.Addr().Is4()) - btoi(a.Addr().Is4()) })
	return link.Attrs().MTU, addrs, nil
}

// findGID finds a GID in the table of a device's first port; of several types, the one wanted if there is one.
func findGID(device string, gid spec.GID, wantType string) (index int, found bool) {
	dir := filepath.Join(infiniband, device, "ports/1")
	for i := 0; ; i++ {
		text, err := os.ReadFile(filepath.Join(dir, "gids", strconv.Itoa(i)))
		if errors.Is(err, os.ErrNotExist) {
			return index, found
		}
		raw, decodeErr := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(string(text)), ":", ""))
		if err != nil || decodeErr != nil || string(raw) != string(gid[:]) {
			continue
		}
		t := trimmed(filepath.Join(dir, "gid_attrs/types", strconv.Itoa(i)))
		if !found || t == wantType {
			index, found = i, true
		}
		if t == wantType {
			return index, true
		}
	}
}

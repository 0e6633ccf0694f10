package main

import (
	"encoding/hex"
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

// gid is an entry of a port's GID table.
type gid struct {
	index int
	gid   spec.GID
	kind  string // as in "RoCE v2"
}

// enoughZeros ends a reading of the table: the kernel takes the first entry that is free (Linux ib_core, find_gid), so
// that nothing lies far behind what is empty, and the whole table, of a thousand entries, takes long to read.
const enoughZeros = 32

// listGIDs are those of a device's first port; none when there is no such device.
func listGIDs(device string) []gid {
	dir := filepath.Join(infiniband, device, "ports/1")
	var list []gid
	for i, zeros := 0, 0; zeros < enoughZeros; i++ {
		text, err := os.ReadFile(filepath.Join(dir, "gids", strconv.Itoa(i)))
		if err != nil {
			break
		}
		raw, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(string(text)), ":", ""))
		if err != nil || len(raw) != len(spec.GID{}) || spec.GID(raw) == (spec.GID{}) {
			zeros++
			continue
		}
		zeros = 0
		list = append(list, gid{i, spec.GID(raw), trimmed(filepath.Join(dir, "gid_attrs/types", strconv.Itoa(i)))})
	}
	return list
}

// findGID finds a GID in the table of a device's first port; of several types, the one wanted if there is one.
func findGID(device string, wanted spec.GID, wantType spec.RoCEMode) (index int, found bool) {
	for _, g := range listGIDs(device) {
		if g.gid == wanted && (!found || g.kind == string(wantType)) {
			index, found = g.index, true
		}
	}
	return index, found
}

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// renew begins another world on a guest that the last one left as it was, and says what is not as it was otherwise.
// Mischief ends with the process that did it, and a change with its undo, if the host shows nothing of either.
func (h *host) renew(ctx context.Context, _ none) (wire.RenewAnswer, error) {
	if !h.ours {
		return wire.RenewAnswer{}, errors.New("renew: this host is not a guest of the suite")
	}
	var spoiled []string
	if processIsLeft() {
		spoiled = append(spoiled, "a process is left")
	}
	h.mu.Lock()
	if n := len(h.undos); n > 0 {
		spoiled = append(spoiled, fmt.Sprintf("%d changes were not taken back", n))
	}
	configured := h.configured
	h.mu.Unlock()
	now, err := h.look(ctx)
	if err != nil {
		return wire.RenewAnswer{}, err
	}
	spoiled = append(spoiled, h.fresh.differences(now)...)
	if configured {
		now, err := survey()
		if err != nil {
			return wire.RenewAnswer{}, err
		}
		spoiled = append(spoiled, h.ground.differences(now)...)
	}
	if len(spoiled) > 0 {
		return wire.RenewAnswer{Spoiled: spoiled}, nil
	}
	h.mu.Lock()
	h.configured = false
	h.mu.Unlock()
	return wire.RenewAnswer{}, errors.Join(forgetNeighbours(), h.log.mark())
}

// processIsLeft tells whether an agent runs, or what one has started and left: that is a child of the first process
// now.
func processIsLeft() bool {
	return !errors.Is(unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil), unix.ECHILD)
}

// view is all of a host that a world can change and this program can see: a line's name to its value.
type view map[string]string

// look takes a view of what applications change: what observe shows.
func (h *host) look(ctx context.Context) (view, error) {
	s, err := h.observe(ctx, none{})
	if err != nil {
		return nil, err
	}
	v := view{"taint": strconv.FormatUint(s.Taint, 10), "kernel log": strings.Join(s.KernelLog, "; ")}
	for _, m := range slices.Concat(s.IGMP, s.MLD) {
		v.add(fmt.Sprintf("group %s dev %s", m.Group, m.Netdev), strconv.Itoa(m.Users))
	}
	for _, f := range s.Filters {
		v.add(filterName(f), strconv.Itoa(f.Users))
	}
	for kind, n := range s.Resources {
		v.add("resource "+kind, strconv.Itoa(n))
	}
	return v, nil
}

// survey takes a view of what stays unless the host is configured: RDMA devices with their GIDs, links, addresses and
// routes. It takes a guest as long as all the rest of a renewal.
func survey() (view, error) {
	v := view{}
	return v, errors.Join(v.addDevices(), v.addNetwork())
}

// filterName names an entry of a link-layer filter.
func filterName(f spec.LinkFilter) string { return fmt.Sprintf("filter %s dev %s", f.Addr, f.Netdev) }

// addDevices adds each RDMA device. The kernel's own number of it, which is another once it was taken away and has come
// back, no application sees.
func (v view) addDevices() error {
	devices, err := netlink.RdmaLinkList()
	if err != nil {
		return fmt.Errorf("RDMA devices: %w", err)
	}
	for _, d := range devices {
		name := d.Attrs.Name
		mode, err := defaultRoCEMode(name, 1)
		if err != nil {
			return fmt.Errorf("default RoCE mode of %s: %w", name, err)
		}
		state := trimmed(filepath.Join(infiniband, name, "ports/1/state"))
		v.add("device "+name, fmt.Sprintf("node GUID %s, %s, %s", d.Attrs.NodeGuid, state, mode))
		for _, g := range listGIDs(name) {
			v.add(fmt.Sprintf("gid %d of %s", g.index, name), fmt.Sprintf("%s %s", g.gid, g.kind))
		}
	}
	return nil
}

func (v view) addNetwork() error {
	links, err := netlink.LinkList()
	if err != nil {
		return fmt.Errorf("links: %w", err)
	}
	for _, l := range links {
		a := l.Attrs()
		v.add(fmt.Sprintf("link %d %s", a.Index, a.Name), fmt.Sprintf("%s mtu %d %s", a.Flags, a.MTU, a.OperState))
	}
	addrs, err := netlink.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("addresses: %w", err)
	}
	for _, a := range addrs {
		v.add(fmt.Sprintf("address %s link %d", a.IPNet, a.LinkIndex), strconv.Itoa(a.Flags))
	}
	all := &netlink.Route{Table: unix.RT_TABLE_UNSPEC}
	routes, err := netlink.RouteListFiltered(netlink.FAMILY_ALL, all, netlink.RT_FILTER_TABLE)
	if err != nil {
		return fmt.Errorf("routes: %w", err)
	}
	for _, r := range routes {
		v.add("route "+r.String(), "")
	}
	return nil
}

// add keeps a value; of a name that comes twice, both.
func (v view) add(name, value string) {
	if old, twice := v[name]; twice {
		value = old + ", " + value
	}
	v[name] = value
}

// mostStrayFilters is how many entries a link-layer filter may have more than at first. A NIC of QEMU's holds 64 and
// takes in every frame once there are more.
const mostStrayFilters = 32

// differences are the names whose values are others in now, each with both. Linux since 5.18 leaves an entry of a
// group's IPv6 mapping behind with every join of Soft-RoCE (KI-RXE-FILTER), which nothing can take away: as every world
// draws its own groups, a few are borne.
func (v view) differences(now view) []string {
	all := maps.Clone(now)
	maps.Copy(all, v)
	var differ []string
	stray := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := v[name]
		is, has := now[name]
		switch {
		case had && has && was == is:
		case !had && strings.HasPrefix(name, "filter 33:33:"):
			stray++
		default:
			differ = append(differ, fmt.Sprintf("%s: %s -> %s", name, orNone(was, had), orNone(is, has)))
		}
	}
	if stray > mostStrayFilters {
		differ = append(differ, fmt.Sprintf("%d link-layer filters are left", stray))
	}
	return differ
}

func orNone(value string, there bool) string {
	if !there {
		return "none"
	}
	return value
}

// forgetNeighbours empties the tables of neighbours, as they are after a boot: who has been talked to is nobody's
// state.
func forgetNeighbours() error {
	neighbours, err := netlink.NeighList(0, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("neighbours: %w", err)
	}
	for _, n := range neighbours {
		if n.State&(netlink.NUD_PERMANENT|netlink.NUD_NOARP) != 0 {
			continue
		}
		if err := netlink.NeighDel(&n); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("forget neighbour %s: %w", n.IP, err)
		}
	}
	return nil
}

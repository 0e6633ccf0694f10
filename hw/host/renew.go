package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// renew begins another world on a guest that the last one left as it was, and says what is not as it was otherwise.
// What cannot be looked at counts as changed: a host whose devices were, and one that agents for mischief ran on.
func (h *host) renew(ctx context.Context, _ none) (wire.RenewAnswer, error) {
	if !h.ours {
		return wire.RenewAnswer{}, errors.New("renew: this host is not a guest of the suite")
	}
	spoiled := h.agents.spoils()
	h.mu.Lock()
	if h.rebuilt || len(h.undos) > 0 {
		spoiled = append(spoiled, "it was configured")
	}
	h.mu.Unlock()
	now, err := h.look(ctx)
	if err != nil {
		return wire.RenewAnswer{}, err
	}
	spoiled = append(spoiled, h.fresh.differences(now)...)
	if len(spoiled) > 0 {
		return wire.RenewAnswer{Spoiled: spoiled}, nil
	}
	return wire.RenewAnswer{}, errors.Join(forgetNeighbours(), h.log.mark())
}

// spoils are the reasons why what agents did cannot be shown to be over.
func (s *agents) spoils() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var reasons []string
	if s.mischief {
		reasons = append(reasons, "an agent for mischief ran")
	}
	// Whatever an agent has started and left is a child of the first process now.
	if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); !errors.Is(err, unix.ECHILD) {
		reasons = append(reasons, "a process is left")
	}
	return reasons
}

// view is all of a host that a world can change and this program can see: a line's name to its value.
type view map[string]string

// look takes a view: what observe shows, and links, addresses and routes.
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
	return v, v.addNetwork()
}

// filterName names an entry of a link-layer filter.
func filterName(f spec.LinkFilter) string { return fmt.Sprintf("filter %s dev %s", f.Addr, f.Netdev) }

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

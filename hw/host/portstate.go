package main

import (
	"net/netip"
	"slices"

	"joinmcast/spec"
)

// portState is what changes of a host pass on to the port under test, which follows them from work queues.
type portState struct {
	addrs []netip.Prefix // of its network device
	gids  []entry
}

// entry is a GID wherever in the table it is.
type entry struct {
	gid  spec.GID
	kind string
}

func (h *host) lookAtPort() (portState, error) {
	_, addrs, err := netdevState(h.identity.netdev)
	p := portState{addrs: addrs}
	for _, g := range listGIDs(h.device) {
		p.gids = append(p.gids, entry{g.gid, g.kind})
	}
	return p, err
}

// hasBack tells whether the port has again all it had before, and the device its files.
func (h *host) hasBack(before portState) bool {
	now, err := h.lookAtPort()
	if err != nil || !exists("/dev/infiniband/uverbs0") {
		return false
	}
	for _, a := range before.addrs {
		if !slices.Contains(now.addrs, a) {
			return false
		}
	}
	for _, g := range before.gids {
		if !slices.Contains(now.gids, g) {
			return false
		}
	}
	return true
}

// hasAddresses tells whether the kernel has finished with a network device that came up: the link-local address, where
// there is IPv6, comes from a work queue, and so does the GID of every address at an RDMA device that follows it;
// device is empty where none does.
func hasAddresses(netdev, device string) bool {
	_, addrs, err := netdevState(netdev)
	if err != nil {
		return false
	}
	linkLocal := !exists("/proc/net/if_inet6")
	for _, a := range addrs {
		if _, found := findGID(device, spec.MGIDOf(a.Addr()), ""); device != "" && !found {
			return false
		}
		linkLocal = linkLocal || a.Addr().IsLinkLocalUnicast()
	}
	return linkLocal
}

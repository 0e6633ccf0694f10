package main

import (
	"context"
	"net"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"joinmcast/spec"
)

// planAddr adds an address, and waits until the port under test has its GID: the GID table follows addresses from a
// work queue of the kernel.
func (h *host) planAddr(a spec.NetdevAddr) (add, del step, err error) {
	link, err := linkByName(a.Netdev)
	if err != nil {
		return nil, nil, err
	}
	gid := spec.MGIDOf(a.Prefix.Addr())
	hasGID := func() bool {
		_, found := findGID(h.device, gid, "")
		return found
	}
	follows := h.identity.netdev == a.Netdev
	add = func(ctx context.Context) error {
		addr := &netlink.Addr{IPNet: ipNet(a.Prefix), Flags: unix.IFA_F_NODAD}
		if err := netlink.AddrAdd(link, addr); err != nil {
			return named(err, "add address %s dev %s", a.Prefix, a.Netdev)
		}
		if !follows {
			return nil
		}
		return await(ctx, "the GID of "+a.Prefix.Addr().String(), hasGID)
	}
	del = func(ctx context.Context) error {
		if err := netlink.AddrDel(link, &netlink.Addr{IPNet: ipNet(a.Prefix)}); err != nil {
			return named(err, "delete address %s dev %s", a.Prefix, a.Netdev)
		}
		if !follows {
			return nil
		}
		return await(ctx, "that the GID of "+a.Prefix.Addr().String()+" is gone", func() bool { return !hasGID() })
	}
	return add, del, nil
}

func planMTU(m spec.MTUChange) (do, undo step, err error) {
	link, err := linkByName(m.Netdev)
	if err != nil {
		return nil, nil, err
	}
	before := link.Attrs().MTU
	set := func(mtu int) step {
		return func(context.Context) error {
			return named(netlink.LinkSetMTU(link, mtu), "set mtu %d dev %s", mtu, m.Netdev)
		}
	}
	return set(m.MTU), set(before), nil
}

// planLink sets a link up or down and waits until both the network device and the port under test show it.
func (h *host) planLink(l spec.LinkChange) (do, undo step, err error) {
	link, err := linkByName(l.Netdev)
	if err != nil {
		return nil, nil, err
	}
	follows := h.identity.netdev == l.Netdev
	set := func(up bool) step {
		return func(ctx context.Context) error {
			change, word := netlink.LinkSetDown, "down"
			if up {
				change, word = netlink.LinkSetUp, "up"
			}
			if err := change(link); err != nil {
				return named(err, "set link %s %s", l.Netdev, word)
			}
			if !follows {
				return nil
			}
			return await(ctx, l.Netdev+" "+word, func() bool {
				port := trimmed(filepath.Join(infiniband, h.device, "ports/1/state"))
				return (trimmed("/sys/class/net/"+l.Netdev+"/operstate") == "up") == up &&
					strings.HasSuffix(port, "ACTIVE") == up
			})
		}
	}
	wasUp := link.Attrs().Flags&net.FlagUp != 0
	return set(l.Up), set(wasUp), nil
}

// planNetdev adds a dummy or a VLAN, up and with its address. The port under test gets the GIDs of a VLAN on its
// network device; nothing of a dummy is the port's.
func (h *host) planNetdev(n spec.NewNetdev) (do, undo step, err error) {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = n.Netdev
	var link netlink.Link = &netlink.Dummy{LinkAttrs: attrs}
	if n.Parent != "" {
		parent, err := linkByName(n.Parent)
		if err != nil {
			return nil, nil, err
		}
		attrs.ParentIndex = parent.Attrs().Index
		link = &netlink.Vlan{LinkAttrs: attrs, VlanId: n.VLAN}
	}
	device := ""
	if n.Parent == h.identity.netdev {
		device = h.device
	}
	do = func(ctx context.Context) error {
		if err := netlink.LinkAdd(link); err != nil {
			return named(err, "add link %s type %s", n.Netdev, link.Type())
		}
		if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ipNet(n.Prefix), Flags: unix.IFA_F_NODAD}); err != nil {
			return named(err, "add address %s dev %s", n.Prefix, n.Netdev)
		}
		if err := netlink.LinkSetUp(link); err != nil {
			return named(err, "set link %s up", n.Netdev)
		}
		return await(ctx, "the addresses of "+n.Netdev, func() bool { return hasAddresses(n.Netdev, device) })
	}
	undo = func(ctx context.Context) error {
		_, addrs, err := netdevState(n.Netdev)
		if err != nil {
			return err
		}
		if err := netlink.LinkDel(link); err != nil {
			return named(err, "delete link %s", n.Netdev)
		}
		return await(ctx, "that the GIDs of "+n.Netdev+" are gone", func() bool {
			for _, a := range addrs {
				if _, found := findGID(h.device, spec.MGIDOf(a.Addr()), ""); found && !a.Addr().IsLinkLocalUnicast() {
					return false
				}
			}
			return true
		})
	}
	return do, undo, nil
}

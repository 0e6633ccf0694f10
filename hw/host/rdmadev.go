package main

import (
	"context"
	"path/filepath"

	"github.com/vishvananda/netlink"

	"joinmcast/spec"
)

// planDevice takes the RDMA device away, and adds it to its network device again. The kernel does not end the former
// while a process holds the device open.
func (h *host) planDevice(d spec.DeviceChange) (do, undo step, err error) {
	do = func(ctx context.Context) error {
		if err := netlink.RdmaLinkDel(d.Device); err != nil {
			return named(err, "rdma link delete %s", d.Device)
		}
		return await(ctx, "that "+d.Device+" is gone", func() bool {
			return !exists(filepath.Join(infiniband, d.Device))
		})
	}
	undo = func(context.Context) error {
		return named(netlink.RdmaLinkAdd(d.Device, "rxe", h.identity.netdev), "rdma link add %s type rxe netdev %s", d.Device,
			h.identity.netdev)
	}
	return do, undo, nil
}

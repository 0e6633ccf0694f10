package kernel

import (
	"fmt"
	"maps"
	"slices"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// RemoveDevice takes the RDMA device away (rdma link delete) and sleeps until no process has it open any more. Ids that
// are bound to it are told at once, and ended by themselves soon after (cma_remove_one, ucma_close_id); their handles
// stay.
func (k *Kernel) RemoveDevice(name string) (undo func(), err error) {
	d := k.rdma
	if d.removed || name != Device {
		return nil, fmt.Errorf("no RDMA device is named %q", name)
	}
	d.removed = true
	for _, h := range slices.Sorted(maps.Keys(k.ids.entries)) {
		if id := k.ids.entries[h]; id.device == d && id.state != destroying {
			id.state = deviceRemoval
			id.notify(uabi.Event{Type: spec.DeviceRemoval})
			k.closeWork.Add(id.destroy)
		}
	}
	k.world.Sleep(func() bool { return k.resources["ctx"] == 0 })
	return d.restore, nil
}

// restore brings the device back with a GID for each address that it has then.
func (d *device) restore() {
	d.removed = false
	d.gids = []gid{{linkLocal(d.netdev.mac), true}}
	for _, n := range d.kernel.netdevs {
		for _, p := range n.addrs {
			if d.uses(n) {
				d.addGID(p.Addr())
			}
		}
	}
}

// uses tells whether the addresses of a network device are GIDs of the RDMA device: of its own one, and of VLANs on it.
func (d *device) uses(n *netdev) bool {
	return !d.removed && (n == d.netdev || n.parent == d.netdev)
}

package kernel

import (
	"joinmcast/spec"
)

// RemoveDevice takes the RDMA device away (rdma link delete) and sleeps until no process has it open any more. Ids that
// are bound to it are told at once, in the order in which they were bound, and ended by themselves soon after
// (cma_remove_one, ucma_close_id); their handles stay.
func (k *Kernel) RemoveDevice(name string) (undo func(), err error) {
	d, err := k.device(name)
	if err != nil {
		return nil, err
	}
	d.removed = true
	for id := range d.ids.All() {
		id.state = deviceRemoval
		if !k.deviates.Event.HidesRemoval {
			id.notify(spec.DeviceRemoval, 0)
		}
		k.closeWork.Add(id.destroy)
	}
	if d.hca != nil {
		d.hca.ipoib.setUp(false)
	}
	k.world.Sleep(func() bool { return d.open == 0 })
	if d.heldForGood {
		k.warn("WARNING: at drivers/infiniband/core/cache.c gid_table_release_one (a simulated deviation)")
	}
	return d.restore, nil
}

// restore brings the device back with a GID for each address that it has then.
func (d *device) restore() {
	d.removed = false
	d.gids = d.portGIDs()
	for _, n := range d.kernel.netdevs {
		for _, p := range n.addrs {
			if d.uses(n) {
				d.addGID(n, p.Addr())
			}
		}
	}
	if d.hca != nil {
		d.hca.ipoib.setUp(d.netdev.up)
	}
}

package quirk

import (
	"joinmcast/sim/kernel"
)

// ofEndings are the kernel's quirks in the way of the end of ids, QPs and processes.
var ofEndings = []Quirk{
	{
		Name:     "close-ends-no-group",
		Does:     "the end of a process does not end its memberships",
		CaughtBy: "JM-DST-07",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.CloseKeepsAll = true }),
	},
	{
		Name:     "close-warns",
		Does:     "the kernel warns of a process that ends with unread events",
		CaughtBy: "JM-CLEAN-01",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.CloseWarns = true }),
	},
	{
		Name:     "datagram-holds-qp",
		Does:     "a QP that has received a multicast datagram is never freed",
		CaughtBy: "JM-DST-14",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.DatagramsHold = true }),
	},
	{
		Name:     "destroy-ends-newest",
		Does:     "rdma_destroy_id ends the membership that was joined last, and no other",
		CaughtBy: "JM-DST-01",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.LeavesNewest = true }),
	},
	{
		Name:     "destroy-ends-told",
		Does:     "rdma_destroy_id does not end a membership whose event is unread",
		CaughtBy: "JM-DST-15",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.KeepsUnread = true }),
	},
	{
		Name:     "destroy-holds-gid",
		Does:     "an id that is destroyed before its join is told holds the device's GID for good",
		CaughtBy: "JM-DST-11",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.HoldsGID = true }),
	},
	{
		Name:     "destroy-keeps-events",
		Does:     "the unread events of a destroyed id stay on the channel",
		CaughtBy: "JM-DST-10",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.KeepsEvents = true }),
	},
	{
		Name:     "destroy-qp-attached",
		Does:     "ibv_destroy_qp destroys a QP that is attached to a group",
		CaughtBy: "JM-DST-04",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.FreesAttached = true }),
	},
	{
		Name:     "exit-keeps-filter",
		Does:     "the end of a process leaves the groups of its QPs in the link-layer filter",
		CaughtBy: "JM-CLEAN-04",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.KeepsMACsAtExit = true }),
	},
	{
		Name:     "pd-leak-at-exit",
		Does:     "a protection domain outlives its process",
		CaughtBy: "JM-CLEAN-02",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Ending.KeepsPDAtExit = true }),
	},
}

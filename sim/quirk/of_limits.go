package quirk

import (
	"joinmcast/sim/kernel"
)

// ofLimits are the kernel's quirks in the way of limits.
var ofLimits = []Quirk{
	{
		Name:     "detach-makes-no-room",
		Does:     "a QP that was detached keeps its place in the group",
		CaughtBy: "JM-LIM-02",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Limit.KeepsPlaces = true }),
	},
	{
		Name:     "full-is-einval",
		Does:     "an attach to a group that is full fails with EINVAL",
		CaughtBy: "JM-LIM-01",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Limit.FullIsEINVAL = true }),
	},
	{
		Name:     "groups-go-on-counting",
		Does:     "a group goes on counting once its last QP is detached",
		CaughtBy: "JM-LIM-04",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Limit.KeepsGroups = true }),
	},
	{
		Name:     "groups-of-a-socket",
		Does:     "an id can join 20 groups, as a socket can",
		CaughtBy: "JM-LIM-08",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Limit.OfASocket = true }),
	},
	{
		Name:     "one-group-more",
		Does:     "QPs attach to one group more than max_mcast_grp tells",
		CaughtBy: "JM-LIM-03",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Limit.OneGroupMore = true }),
	},
	{
		Name:     "one-qp-more",
		Does:     "one QP more attaches to a group than max_mcast_qp_attach tells",
		CaughtBy: "JM-LIM-01",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Limit.OneQPMore = true }),
	},
}

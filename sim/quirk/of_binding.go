package quirk

import (
	"joinmcast/sim/kernel"
)

// ofBinding are the kernel's quirks in the way of what an id is bound to.
var ofBinding = []Quirk{
	{
		Name:     "bind-blames-address",
		Does:     "an address without an RDMA device is refused with EADDRNOTAVAIL",
		CaughtBy: "JM-BIND-21",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.BlamesAddress = true }),
	},
	{
		Name:     "bind-twice",
		Does:     "an id that is bound can be bound again",
		CaughtBy: "JM-BIND-14",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.BindsTwice = true }),
	},
	{
		Name:     "family-must-match",
		Does:     "an id joins no group of another family than its own address is of",
		CaughtBy: "JM-BIND-13",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.JoinsOwnFamily = true }),
	},
	{
		Name:     "igmp-by-route",
		Does:     "the host joins by IGMP where the route to the group leads, wherever the id is bound",
		CaughtBy: "JM-BIND-16",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.FollowsRoute = true }),
	},
	{
		Name:     "igmp-on-parent",
		Does:     "the IGMP membership of an id on a VLAN is its parent's",
		CaughtBy: "JM-BIND-17",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.JoinsParent = true }),
	},
	{
		Name:     "join-needs-resolution",
		Does:     "a join on an id that is bound, and has resolved no address, is refused",
		CaughtBy: "JM-BIND-04",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.NeedsResolution = true }),
	},
	{
		Name:     "join-while-listening",
		Does:     "a join on a listening id is accepted",
		CaughtBy: "JM-BIND-09",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.JoinsListening = true }),
	},
	{
		Name:     "loopback-has-device",
		Does:     "the loopback address binds an id to the host's first device",
		CaughtBy: "JM-BIND-03",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.BindsLoopback = true }),
	},
	{
		Name:     "no-route-told-later",
		Does:     "that there is no route is told by ADDR_ERROR and not by rdma_resolve_addr",
		CaughtBy: "JM-BIND-06",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.TellsNoRouteLater = true }),
	},
	{
		Name:     "resolve-any-device",
		Does:     "where the route leads through no RDMA device, the host's first one is taken",
		CaughtBy: "JM-BIND-15",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.TakesAnyDevice = true }),
	},
	{
		Name:     "routes-ignored",
		Does:     "a group is looked for in the device's own subnets and not in the routing table",
		CaughtBy: "JM-BIND-07",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.IgnoresRoutes = true }),
	},
	{
		Name:     "source-needs-route",
		Does:     "a group is resolved by the routing table even from a source address",
		CaughtBy: "JM-BIND-05",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.NeedsRoute = true }),
	},
	{
		Name:     "wildcard-has-device",
		Does:     "the wildcard address binds an id to the host's first device",
		CaughtBy: "JM-BIND-02",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Binding.BindsWildcard = true }),
	},
}

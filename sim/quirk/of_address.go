package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/spec"
)

// ofAddress are the kernel's quirks in the way of the address of a join, and of the port space of its id.
var ofAddress = []Quirk{
	{
		Name:     "class-e-attaches",
		Does:     "a QP is attached to the broadcast address, and to any other above 240.0.0.0",
		CaughtBy: "JM-ARG-17",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.AttachesClassE = true }),
	},
	{
		Name:     "gid-joins",
		Does:     "RoCEv2 joins the group of an AF_IB address",
		CaughtBy: "JM-ARG-14",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.JoinsGIDs = true }),
	},
	{
		Name:     "hosts-group-refused",
		Does:     "a join of a group that the host is in already is refused with EADDRINUSE, as a socket is",
		CaughtBy: "JM-ARG-16",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.RefusesHostsGroups = true }),
	},
	{
		Name:     "ipoib-binds-ethernet",
		Does:     "an id of RDMA_PS_IPOIB is bound to an Ethernet device",
		CaughtBy: "JM-PS-04",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.BindsIPoIBAnywhere = true }),
	},
	{
		Name:     "ipv6-joins",
		Does:     "RoCEv2 joins a group of IPv6 and asks IGMP for its last 32 bits",
		CaughtBy: "JM-ARG-13",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.JoinsIPv6 = true }),
	},
	{
		Name:     "iwarp-joins-nothing",
		Does:     "a join on iWARP returns 0, and no event follows",
		CaughtBy: "JM-PS-06",
		On:       spec.IWARP,
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.JoinsNothingOnIWARP = true }),
	},
	{
		Name:     "join-ignores-mtu",
		Does:     "a join does not ask whether the MTU of the network device leaves any for InfiniBand",
		CaughtBy: "JM-ARG-18",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.IgnoresMTU = true }),
	},
	{
		Name:     "join-ignores-size",
		Does:     "a join does not compare addr_size with the size of the family",
		CaughtBy: "JM-ARG-23",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.IgnoresSize = true }),
	},
	{
		Name:     "mapped-attaches",
		Does:     "a QP is attached to any v4-mapped GID, a unicast one too",
		CaughtBy: "JM-ARG-24",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.AttachesMapped = true }),
	},
	{
		Name:     "mapped-joins",
		Does:     "RoCEv2 joins a v4-mapped group of IPv6 as the IPv4 group",
		CaughtBy: "JM-ARG-20",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.JoinsMapped = true }),
	},
	{
		Name:     "ps-ib-joins",
		Does:     "a join is accepted on every id of RDMA_PS_IB, of QP type RC too",
		CaughtBy: "JM-PS-03",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.JoinsRCOfPSIB = true }),
	},
	{
		Name:     "ps-ib-without-qkey",
		Does:     "the queue key of a UD id of RDMA_PS_IB is 0",
		CaughtBy: "JM-PS-07",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.ForgetsQKeyOfPSIB = true }),
	},
	{
		Name:     "rc-join-unsupported",
		Does:     "a join on an RC id fails with EOPNOTSUPP",
		CaughtBy: "JM-PS-02",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.RefusesRCOtherwise = true }),
	},
	{
		Name:     "rocev1-refuses-ipv6",
		Does:     "a join of an IPv6 group is refused on RoCEv1 as on RoCEv2",
		CaughtBy: "JM-ARG-15",
		On:       spec.RoCEv1,
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.RefusesIPv6 = true }),
	},
	{
		Name:     "zero-joins",
		Does:     "RoCE joins the zero address as any other",
		CaughtBy: "JM-ARG-10",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Address.JoinsZero = true }),
	},
}

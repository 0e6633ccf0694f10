package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
	"joinmcast/spec"
)

// inInfiniBand are the quirks of what the kernel does on InfiniBand alone.
var inInfiniBand = []Quirk{
	{
		Name:     "ib-any-mlid",
		Does:     "a QP can be attached with any LID",
		CaughtBy: "JM-VRB-07",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.AttachesAnyMLID = true }),
	},
	{
		Name:     "ib-default-qkey",
		Does:     "a group of RDMA_PS_IPOIB has the queue key of RDMA_PS_UDP",
		CaughtBy: "JM-PS-05",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.KeepsDefaultQKey = true }),
	},
	{
		Name:     "ib-32-bits-of-ipv4",
		Does:     "the MGID of an IPv4 group has all bits of its address",
		CaughtBy: "JM-MAP-03",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.Maps32Bits = true }),
	},
	{
		Name:     "ib-64-bits-of-ipv6",
		Does:     "the MGID of an IPv6 group has the last 64 bits of its address",
		CaughtBy: "JM-MAP-08",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.Maps64Bits = true }),
	},
	{
		Name:     "ib-keeps-groups",
		Does:     "a leave never reaches the subnet administration",
		CaughtBy: "JM-LIM-07",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.KeepsGroups = true }),
	},
	{
		Name:     "ib-loss-untold",
		Does:     "nobody is told of a group that is lost after its join",
		CaughtBy: "JM-EVT-19",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.HidesLoss = true }),
	},
	{
		Name:     "ib-maps-assigned",
		Does:     "an MGID that the subnet administration has chosen is mapped as any other IPv6 address",
		CaughtBy: "JM-MAP-09",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.MapsAssigned = true }),
	},
	{
		Name:     "ib-no-assigned-group",
		Does:     "the zero address is refused, as on RoCE",
		CaughtBy: "JM-ARG-11",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.RefusesZero = true }),
	},
	{
		Name:     "ib-one-signature",
		Does:     "RDMA_PS_UDP has the groups of RDMA_PS_IPOIB",
		CaughtBy: "JM-MAP-03",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.MapsAllAsIPoIB = true }),
	},
	{
		Name:     "ib-privileged-qkey",
		Does:     "anybody may give a QP a privileged queue key",
		CaughtBy: "JM-PS-09",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.GrantsAnyQKey = true }),
	},
	{
		Name:     "ib-refusal-untold",
		Does:     "nobody is told what the subnet administration refuses",
		CaughtBy: "JM-EVT-21",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.HidesRefusal = true }),
	},
	{
		Name:     "ib-sendonly-becomes-full",
		Does:     "a send-only join asks the subnet administration for a full membership",
		CaughtBy: "JM-EX-12",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.AsksForFull = true }),
	},
	{
		Name:     "ib-signs-gids",
		Does:     "the GID of an AF_IB address is mapped as an IPv6 address",
		CaughtBy: "JM-MAP-10",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.SignsGIDs = true }),
	},
	{
		Name:     "ib-swapped-mlid",
		Does:     "the LID of a JOIN event has its bytes swapped",
		CaughtBy: "JM-ATT-12",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.SwapsMLID = true }),
	},
	{
		Name:     "ib-without-broadcast",
		Does:     "a join goes to the subnet administration although the host is in no broadcast group",
		CaughtBy: "JM-ARG-19",
		On:       spec.InfiniBand,
		apply:    onInfiniBand(func(d *kernel.InfiniBandDeviations) { d.JoinsWithoutBroadcast = true }),
	},
}

func onInfiniBand(deviate func(*kernel.InfiniBandDeviations)) func(*librdmacm.Deviations, *kernel.Deviations) {
	return func(_ *librdmacm.Deviations, k *kernel.Deviations) { deviate(&k.InfiniBand) }
}

package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// inKernel are the quirks of the kernel storey and of the driver below it.
var inKernel = []Quirk{
	{
		Name:     "deliver-twice",
		Does:     "an attached QP gets every multicast datagram twice",
		CaughtBy: "JM-DAT-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.DeliversTwice = true },
	},
	{
		Name:     "drop-grh-length",
		Does:     "byte_len of a receive leaves the 40 bytes of the GRH out",
		CaughtBy: "JM-DAT-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.ForgetsGRHLength = true },
	},
	{
		Name:     "igmp-leak",
		Does:     "a leave does not give the IGMP membership back",
		CaughtBy: "JM-CLEAN-03",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.LeaksIGMP = true },
	},
	{
		Name:     "join-after-route",
		Does:     "a join after rdma_resolve_route is accepted",
		CaughtBy: "JM-BIND-08",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.JoinsAfterRoute = true },
	},
	{
		Name:     "join-unbound-succeeds",
		Does:     "a join on an id that is bound to no device returns 0, and no event follows",
		CaughtBy: "JM-BIND-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.JoinsUnbound = true },
	},
	{
		Name:     "kernel-warning",
		Does:     "a join writes a warning to the kernel's log and taints the kernel",
		CaughtBy: "JM-CLEAN-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.WarnsAtJoin = true },
	},
	{
		Name:     "qp-leak-at-exit",
		Does:     "a QP outlives its process",
		CaughtBy: "JM-CLEAN-02",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.KeepsQPAtExit = true },
	},
	{
		Name:     "wrong-mgid",
		Does:     "the MGID is not the group's",
		CaughtBy: "JM-MAP-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.MapsToWrongGroup = true },
	},
}

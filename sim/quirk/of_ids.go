package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// ofIDs are the library's quirks in the way of addresses, and of ids with their endpoints and queue pairs.
var ofIDs = []Quirk{
	{
		Name:     "af-ib-assumed",
		Does:     "the kernel is taken to know AF_IB, whatever it answered",
		CaughtBy: "JM-ARG-22",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.TakesAFIB = true },
	},
	{
		Name:     "endpoint-without-route",
		Does:     "rdma_create_ep resolves the address of an active endpoint and not its route",
		CaughtBy: "JM-BIND-10",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LeavesRouteOpen = true },
	},
	{
		Name:     "null-addr-crashes",
		Does:     "a join looks into its address without asking whether it is NULL",
		CaughtBy: "JM-ARG-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.DereferencesNULL = true },
	},
	{
		Name:     "odd-family-named",
		Does:     "a join of an address of an odd family fails with EAFNOSUPPORT",
		CaughtBy: "JM-ARG-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.NamesOddFamily = true },
	},
	{
		Name:     "self-block-ignored",
		Does:     "IBV_QP_CREATE_BLOCK_SELF_MCAST_LB is taken and makes no difference",
		CaughtBy: "JM-DAT-16",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.HearsItself = true },
	},
}

package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// ofJoinEx are the quirks of rdma_join_multicast_ex.
var ofJoinEx = []Quirk{
	{
		Name:     "ex-address-bit-optional",
		Does:     "comp_mask need not have the address bit",
		CaughtBy: "JM-EX-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.AddrBitIsOptional = true },
	},
	{
		Name:     "ex-flags-bit-optional",
		Does:     "comp_mask need not have the flags bit",
		CaughtBy: "JM-EX-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.FlagsBitIsOptional = true },
	},
	{
		Name:     "ex-flags-swapped",
		Does:     "join_flags 0 asks for a send-only membership and 1 for a full one",
		CaughtBy: "JM-EX-08",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SwapsFlags = true },
	},
	{
		Name:     "ex-flags-truncated",
		Does:     "only the low 16 bits of join_flags are looked at",
		CaughtBy: "JM-EX-04",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.TruncatesFlags = true },
	},
	{
		Name:     "ex-null-address-crashes",
		Does:     "rdma_join_multicast_ex reads an address that is NULL",
		CaughtBy: "JM-EX-05",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.TrustsAddr = true },
	},
	{
		Name:     "ex-unknown-bit-einval",
		Does:     "a bit of comp_mask that nobody knows is refused with EINVAL",
		CaughtBy: "JM-EX-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.UnknownBitIsEINVAL = true },
	},
	{
		Name:     "mask-after-address",
		Does:     "rdma_join_multicast_ex looks at the address before the mask",
		CaughtBy: "JM-EX-06",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.LooksAtAddrFirst = true },
	},
	{
		Name:     "sendonly-attaches",
		Does:     "a send-only join attaches the QP",
		CaughtBy: "JM-EX-09",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SendOnlyAttaches = true },
	},
	{
		Name:     "sendonly-igmp",
		Does:     "a send-only join makes the host a member by IGMP",
		CaughtBy: "JM-EX-10",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.SendOnlyReports = true },
	},
	{
		Name:     "sendonly-pretended",
		Does:     "where the kernel cannot be told flags, a send-only join returns 0 and does nothing",
		CaughtBy: "JM-EX-15",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.PretendsSendOnly = true },
	},
	{
		Name:     "sendonly-unsupported",
		Does:     "a send-only join is refused, whatever the kernel knows",
		CaughtBy: "JM-EX-09",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.RefusesSendOnly = true },
	},
}

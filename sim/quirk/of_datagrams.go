package quirk

import (
	"joinmcast/sim/kernel"
)

// ofDatagrams are the kernel's quirks in the way of datagrams.
var ofDatagrams = []Quirk{
	{
		Name:     "attach-counts",
		Does:     "a QP gets a copy of a datagram for each time that it was attached",
		CaughtBy: "JM-DAT-15",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.AttachesTwice = true }),
	},
	{
		Name:     "buffer-needed",
		Does:     "a datagram that finds no buffer is the end of the QP",
		CaughtBy: "JM-DAT-11",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.NeedsBuffer = true }),
	},
	{
		Name:     "deliver-to-first",
		Does:     "of the QPs that are attached to a group on a device, the first gets a datagram",
		CaughtBy: "JM-DAT-01",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.DeliversToFirst = true }),
	},
	{
		Name:     "deliver-to-twins",
		Does:     "a datagram goes to the QPs of every group with the same link-layer address",
		CaughtBy: "JM-DAT-14",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.MixesTwins = true }),
	},
	{
		Name:     "empty-dropped",
		Does:     "a datagram without payload is dropped",
		CaughtBy: "JM-DAT-03",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.DropsEmpty = true }),
	},
	{
		Name:     "header-stays",
		Does:     "the header of the first receive is put before all that follow",
		CaughtBy: "JM-DAT-13",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.KeepsHeader = true }),
	},
	{
		Name:     "header-swapped",
		Does:     "source and destination of the header before the payload are swapped",
		CaughtBy: "JM-DAT-07",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.SwapsHeader = true }),
	},
	{
		Name:     "imm-stays",
		Does:     "a receive without immediate data tells those of the one before",
		CaughtBy: "JM-DAT-10",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.KeepsImm = true }),
	},
	{
		Name:     "imm-zero-lost",
		Does:     "immediate data of 0 are taken for none",
		CaughtBy: "JM-DAT-09",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.LosesZeroImm = true }),
	},
	{
		Name:     "link-ends-groups",
		Does:     "the groups of a network device end when its link goes down",
		CaughtBy: "JM-DAT-19",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.DiesWithLink = true }),
	},
	{
		Name:     "loops-nothing",
		Does:     "a host gets nothing of what it sends to a group itself",
		CaughtBy: "JM-DAT-02",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.LoopsNothing = true }),
	},
	{
		Name:     "members-only",
		Does:     "a host sends to the groups that it is a member of, and to no others",
		CaughtBy: "JM-DAT-12",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.MembersOnly = true }),
	},
	{
		Name:     "mtu-one-less",
		Does:     "a payload of the whole MTU does not fit",
		CaughtBy: "JM-DAT-05",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.CutsMTU = true }),
	},
	{
		Name:     "pad-counted",
		Does:     "the length of a receive has the bytes in it that pad the payload",
		CaughtBy: "JM-DAT-04",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.CountsPad = true }),
	},
	{
		Name:     "qkey-ignored",
		Does:     "a datagram is delivered whatever its queue key",
		CaughtBy: "JM-DAT-18",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.IgnoresQKey = true }),
	},
	{
		Name:     "short-buffer-filled",
		Does:     "a buffer that is too short for a datagram gets the part that fits, and succeeds",
		CaughtBy: "JM-DAT-20",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.FillsShort = true }),
	},
	{
		Name:     "src-qp-own",
		Does:     "src_qp is the number of the QP that receives",
		CaughtBy: "JM-DAT-08",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.NamesReceiver = true }),
	},
	{
		Name:     "too-long-truncated",
		Does:     "a payload longer than the MTU is cut off there and sent",
		CaughtBy: "JM-DAT-06",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.Truncates = true }),
	},
	{
		Name:     "vlan-untagged",
		Does:     "what is sent from a VLAN's address goes out without the VLAN's tag",
		CaughtBy: "JM-DAT-21",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Datagram.ForgetsTag = true }),
	},
}

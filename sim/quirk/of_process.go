package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// ofProcesses are the quirks of processes and their files.
var ofProcesses = []Quirk{
	{
		Name:     "channel-without-device",
		Does:     "a channel is made although there is no RDMA device",
		CaughtBy: "JM-ENV-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.OpensChannelsAnywhere = true },
	},
	{
		Name:     "child-inherits",
		Does:     "a fork's child may use its parent's channels",
		CaughtBy: "JM-ENV-02",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.ChildInherits = true },
	},
	{
		Name:     "credentials-forgiven",
		Does:     "a process that is its old user again may join again",
		CaughtBy: "JM-ENV-06",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.ForgivesReturn = true },
	},
	{
		Name:     "no-device-enosys",
		Does:     "without an RDMA device the errno is ENOSYS",
		CaughtBy: "JM-ENV-01",
		Note:     "where there is no device only the errno can be wrong, or the call succeed, as with channel-without-device",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.TellsNoDeviceAsNoCall = true },
	},
	{
		Name:     "refused-join-told",
		Does:     "a join that is refused for want of a device is told as MULTICAST_ERROR too",
		CaughtBy: "JM-ENV-03",
		apply: func(l *librdmacm.Deviations, k *kernel.Deviations) {
			l.KeepsFreedMemberships, k.File.TellsRefusedJoins = true, true
		},
	},
	{
		Name:     "unknown-command-enosys",
		Does:     "a command that the rdma_cm device does not know is refused with ENOSYS",
		CaughtBy: "JM-ENV-04",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.UnknownIsENOSYS = true },
	},
}

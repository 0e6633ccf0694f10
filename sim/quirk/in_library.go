package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// inLibrary are the quirks of the library storey.
var inLibrary = []Quirk{
	{
		Name:     "addr-not-copied",
		Does:     "a membership refers to the caller's sockaddr instead of a copy",
		CaughtBy: "JM-ARG-05",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.KeepsCallersAddr = true },
	},
	{
		Name:     "destroy-does-not-wait",
		Does:     "rdma_destroy_id does not wait for the acknowledgement of a retrieved event",
		CaughtBy: "JM-DST-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.DestroyIgnoresAcks = true },
	},
}

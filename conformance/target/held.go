package target

import (
	"context"

	"joinmcast/hw/vm"
)

// FetchRDMACore fetches what guests need to hold the target's rdma-core, and says why they cannot. Guests whose
// rdma-cores are to lie beside each other must be able to hold each of them.
func (t *Target) FetchRDMACore(ctx context.Context) error {
	programs, err := t.programs()
	if err != nil {
		return err
	}
	return vm.FetchRDMACore(ctx, vm.Config{
		RDMACore: t.RDMACore, HostBinary: programs.host, AgentBinary: programs.agent, Mischief: programs.mischief,
	})
}

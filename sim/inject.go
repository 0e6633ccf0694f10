package sim

import (
	"context"
	"fmt"

	"joinmcast/spec"
)

// HostFault is a fault that a host has from the start.
type HostFault struct {
	Host       int `yaml:"host"` // from 0
	spec.Fault `yaml:",inline"`
}

// String says where what goes wrong.
func (f HostFault) String() string { return fmt.Sprintf("host%d: %s", f.Host, f.Fault) }

// injectAll makes the faults of a fresh world happen.
func (b *backend) injectAll(ctx context.Context, faults []HostFault) error {
	for _, f := range faults {
		if f.Host < 0 || f.Host >= len(b.hosts) {
			return fmt.Errorf("a fault is for host %d; the hosts are 0 to %d", f.Host, len(b.hosts)-1)
		}
		if _, err := b.hosts[f.Host].Inject(ctx, f.Fault); err != nil {
			return err
		}
	}
	return nil
}

// Inject makes a fault happen from now on.
func (h *host) Inject(_ context.Context, f spec.Fault) (func(context.Context) error, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	var undo func()
	var err error
	h.world.Do(func() { undo, err = h.inject(f) })
	if err != nil {
		return nil, err
	}
	return func(context.Context) error {
		h.world.Do(undo)
		return nil
	}, nil
}

func (h *host) inject(f spec.Fault) (undo func(), err error) {
	switch {
	case f.Fail != nil:
		return h.faults.Fail(*f.Fail), nil
	case f.Event != nil:
		return h.kernel.KeepEvent(*f.Event), nil
	case f.Memory != nil:
		return h.faults.Withhold(*f.Memory), nil
	case f.SM != nil:
		return h.kernel.SubnetFault(*f.SM)
	}
	return h.kernel.Impair(*f.Wire), nil
}

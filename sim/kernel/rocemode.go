package kernel

import (
	"fmt"

	"joinmcast/spec"
)

// setRoCEMode sets a port's default_roce_mode (cma_set_default_gid_type).
func (k *Kernel) setRoCEMode(c spec.RoCEModeChange) (undo func(), err error) {
	d, err := k.device(c.Device)
	switch {
	case err != nil:
		return nil, err
	case c.Port != portNum:
		return nil, fmt.Errorf("%s has no port %d; its only one is %d", c.Device, c.Port, portNum)
	}
	if err := d.kind.Offers(c.Mode); err != nil {
		return nil, err
	}
	old := d.mode
	d.mode = c.Mode
	return func() { d.mode = old }, nil
}

package kernel

import (
	"errors"

	"joinmcast/sim/sm"
	"joinmcast/spec"
)

// firstHCA is the host's first InfiniBand device.
func (k *Kernel) firstHCA() (*hca, error) {
	for _, d := range k.devices {
		if d.hca != nil {
			return d.hca, nil
		}
	}
	return nil, errors.New("this host has no InfiniBand port, and so no subnet manager")
}

// deviceOfGID finds the InfiniBand device whose port has the GID of a sockaddr_ib.
func (k *Kernel) deviceOfGID(a spec.Sockaddr) (*device, error) {
	for _, d := range k.devices {
		if d.hca != nil && !d.removed && d.hca.gid == spec.GID(a[8:24]) {
			return d, nil
		}
	}
	return nil, spec.ENODEV
}

// SubnetFault makes the subnet manager do something wrong, or makes something happen to the port of the host's first
// InfiniBand device. What follows has happened when it returns.
func (k *Kernel) SubnetFault(f spec.SMFault) (undo func(), err error) {
	h, err := k.firstHCA()
	if err != nil {
		return nil, err
	}
	if f.Event != "" {
		h.loseGroups(f.Event)
		return func() {}, nil
	}
	h.subnet.Refuse(sm.Refusal(f.Refuse))
	h.subnet.Silence(f.Silent)
	return func() {
		h.subnet.Refuse(0)
		h.subnet.Silence(false)
		h.ipoib.retry()
	}, nil
}

// loseGroups is what an event of the subnet does: the manager knows the port as a member of nothing, and the port is
// told.
func (h *hca) loseGroups(e spec.SMEvent) {
	h.subnet.Forget(h.gid)
	h.forgotten = true
	switch e {
	case spec.LIDChange:
		h.subnet.Relocate(h.gid)
		h.port.Lose()
	case spec.PKeyChange:
		h.port.MovePKey()
	default:
		h.port.Lose()
	}
	h.port.Settle()
}

// setSubnet gives the subnet of the host's first InfiniBand device a new policy.
func (k *Kernel) setSubnet(c spec.SubnetChange) (undo func(), err error) {
	h, err := k.firstHCA()
	if err != nil {
		return nil, err
	}
	old := h.subnet.Policy()
	next := old
	next.SendOnly = !c.NoSendOnly
	if c.QKey != 0 {
		next.QKey = c.QKey
	}
	if c.MLIDs != 0 {
		next.MLIDs = c.MLIDs
	}
	h.subnet.Renew(next)
	return func() { h.subnet.Renew(old) }, nil
}

// Renewed tells the port that the subnet manager has started anew, and knows it no more.
func (h *hca) Renewed() { h.loseGroups(spec.ClientReregister) }

package sim

import (
	"context"
	"strings"

	"joinmcast/sim/kernel"
	"joinmcast/spec"
)

// What the simulated stack takes its truth from.
const (
	kernelImitated   = "6.1.192"
	rdmaCoreImitated = "44.0"
	imitates         = "Linux " + kernelImitated + " rdma_rxe, rdma-core " + rdmaCoreImitated +
		" (without rxe's filter leak)"
)

// simulated stands wherever a live stack would give a build-id or evidence of its own.
const simulated = "simulated"

// backend is one world.
type backend struct {
	options Options
	hosts   []*host
}

// Environment describes the simulated stack; it never claims to be a live one.
func (b *backend) Environment(context.Context) (spec.Environment, error) {
	e := spec.Environment{
		Stack: simulated, Imitates: imitates, Transport: spec.RoCEv2, Nonce: b.options.Nonce, Detectors: []string{},
	}
	if len(b.options.Quirks) > 0 {
		e.Imitates += ", with quirks: " + strings.Join(b.options.Quirks, ", ")
	}
	for _, h := range b.hosts {
		e.Hosts = append(e.Hosts, h.environment(b.options.Nonce))
	}
	return e, nil
}

// environment is one host's part of it.
func (h *host) environment(nonce string) spec.HostEnvironment {
	attr := h.kernel.DeviceAttr()
	e := spec.HostEnvironment{
		Name: h.name, Nonce: nonce,
		KernelRelease: kernelImitated, KernelVersion: simulated, RDMACore: rdmaCoreImitated,
		Libraries: map[string]string{"librdmacm.so.1": simulated, "libibverbs.so.1": simulated},
		Modules:   map[string]string{"rdma_cm": simulated, "rdma_ucm": simulated, "ib_uverbs": simulated},
		Driver:    "simulated", Device: kernel.Device, Firmware: attr.FWVer,
		NodeGUID: attr.NodeGUID, SysImageGUID: attr.SysImageGUID,
		LinkLayer: "Ethernet", RoCEMode: "RoCE v2",
	}
	h.world.Do(func() {
		e.MTU = h.kernel.Port().MTU
		if gid, index, ok := h.kernel.GID(h.addr); ok {
			e.GID, e.GIDIndex = gid.String(), index
		}
	})
	return e
}

// Capabilities claims all that the simulated stack has, which is all there is.
func (b *backend) Capabilities(context.Context) (spec.Capabilities, error) {
	all := spec.Capabilities{}
	for _, c := range spec.AllCapabilities() {
		all[c] = spec.Evidence{Has: true, How: simulated}
	}
	return all, nil
}

// Hosts gives host0, the one under test, and host1.
func (b *backend) Hosts() []spec.Host {
	var hosts []spec.Host
	for _, h := range b.hosts {
		hosts = append(hosts, h)
	}
	return hosts
}

// Close ends all processes.
func (b *backend) Close(context.Context) error {
	for _, h := range b.hosts {
		h.killAll()
	}
	return nil
}

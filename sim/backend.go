package sim

import (
	"context"
	"strings"

	"joinmcast/sim/kernel"
	"joinmcast/sim/quirk"
	"joinmcast/spec"
)

// truth is what a profile takes itself from, as its environment says.
type truth struct{ kernel, rdmaCore, driver, imitates string }

// truths of the profiles.
var truths = map[string]truth{
	quirk.Upstream: {"6.1.192", "44.0", "rdma_rxe", "Linux 6.1.192 rdma_rxe, rdma-core 44.0"},
	quirk.Promise: {
		quirk.Promise, quirk.Promise, simulated,
		"what librdmacm promises, and else Linux 6.1.192 rdma_rxe with rdma-core 44.0",
	},
}

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
		Stack: simulated, Imitates: truths[b.options.Profile].imitates, Transport: spec.RoCEv2,
		Nonce: b.options.Nonce, Detectors: []string{},
	}
	if len(b.options.Quirks) > 0 {
		e.Imitates += ", with quirks: " + strings.Join(b.options.Quirks, ", ")
	}
	for _, h := range b.hosts {
		e.Hosts = append(e.Hosts, h.environment(b.options))
	}
	return e, nil
}

// environment is one host's part of it.
func (h *host) environment(o Options) spec.HostEnvironment {
	of, attr := truths[o.Profile], h.kernel.DeviceAttr()
	e := spec.HostEnvironment{
		Name: h.name, Nonce: o.Nonce,
		KernelRelease: of.kernel, KernelVersion: simulated, RDMACore: of.rdmaCore,
		Libraries: map[string]string{"librdmacm.so.1": simulated, "libibverbs.so.1": simulated},
		Modules:   map[string]string{"rdma_cm": simulated, "rdma_ucm": simulated, "ib_uverbs": simulated},
		Driver:    of.driver, Device: kernel.Device, Firmware: attr.FWVer,
		NodeGUID: attr.NodeGUID, SysImageGUID: attr.SysImageGUID,
		LinkLayer: "Ethernet", RoCEMode: "RoCE v2",
	}
	h.world.Do(func() {
		for _, p := range h.kernel.Ports() {
			e.MTU = p.MTU
		}
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

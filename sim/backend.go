package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"joinmcast/sim/kernel"
	"joinmcast/sim/packet"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// promise stands for the versions of a stack that imitates none.
const promise = "promise"

// imitates says where the stack's truth is from.
func (o Options) imitates(device string) string {
	text := fmt.Sprintf("Linux %s %s, rdma-core %s", o.Kernel, device, o.RDMACore)
	if o.Kernel == "" {
		text = fmt.Sprintf("what librdmacm promises, and else Linux 6.1.192 %s with rdma-core 44.0", device)
	}
	if o.Topology.Switch.Snooping {
		text += ", on a switch that snoops " + map[bool]string{true: "with", false: "without"}[o.Topology.Switch.Querier] +
			" a querier"
	}
	if len(o.Quirks) > 0 {
		text += ", with quirks: " + strings.Join(o.Quirks, ", ")
	}
	if len(o.Faults) > 0 {
		var faults []string
		for _, f := range o.Faults {
			faults = append(faults, f.String())
		}
		text += ", with faults: " + strings.Join(faults, "; ")
	}
	return text
}

// simulated stands wherever a live stack would give a build-id or evidence of its own.
const simulated = "simulated"

// backend is one world.
type backend struct {
	options Options
	kind    kernel.Kind
	world   *world.World
	hosts   []*host
	capture *packet.Capture // nil: the wire is not captured
}

var _ spec.Wiretap = (*backend)(nil)

// WriteWire implements spec.Wiretap, once nothing is pending any more: looking takes time.
func (b *backend) WriteWire(w io.Writer) (err error) {
	if b.capture == nil {
		return errors.New("the wire was not captured: the lab was made without Options.Capture")
	}
	b.world.Settled(func() { err = b.capture.Write(w) })
	return err
}

// Environment describes the simulated stack; it never claims to be a live one.
func (b *backend) Environment(context.Context) (spec.Environment, error) {
	e := spec.Environment{
		Stack: simulated, Imitates: b.options.imitates(b.kind.Imitates),
		Nonce: b.options.Nonce, Detectors: []string{},
	}
	b.hosts[0].world.Do(func() { e.Transport = b.hosts[0].kernel.Transport() })
	for _, h := range b.hosts {
		e.Hosts = append(e.Hosts, h.environment(b.options))
	}
	return e, nil
}

// environment is one host's part of it.
func (h *host) environment(o Options) spec.HostEnvironment {
	var e spec.HostEnvironment
	h.world.Do(func() { e = h.kernel.Environment(h.addr) })
	e.Name, e.Nonce = h.name, o.Nonce
	e.KernelRelease, e.KernelVersion, e.RDMACore = o.Kernel, simulated, o.RDMACore
	e.Libraries = map[string]string{"librdmacm.so.1": simulated, "libibverbs.so.1": simulated}
	e.Modules = map[string]string{"rdma_cm": simulated, "rdma_ucm": simulated, "ib_uverbs": simulated}
	if o.Kernel == "" {
		e.KernelRelease, e.RDMACore, e.Driver = promise, promise, simulated
	}
	return e
}

// Capabilities claims all that the simulated stack has, and of the device what its kind has.
func (b *backend) Capabilities(context.Context) (spec.Capabilities, error) {
	all := spec.Capabilities{}
	for _, c := range spec.AllCapabilities() {
		all[c] = spec.Evidence{Has: true, How: simulated}
	}
	if len(b.hosts) == 1 {
		all[spec.TwoHosts] = spec.Evidence{How: "this world has one host"}
	}
	all[spec.UDQP], all[spec.McastQP], all[spec.RoCEModes] = b.kind.HasUDQPs(), b.kind.Attaches(), b.kind.OffersBoth()
	return all, nil
}

// Hosts gives host0, the one under test, and the others.
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

package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"joinmcast/sim/kernel"
	"joinmcast/sim/packet"
	"joinmcast/sim/quirk"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// truth is what a profile takes itself from, as its environment says.
type truth struct{ kernel, rdmaCore, imitates string }

// truths of the profiles.
var truths = map[string]truth{
	quirk.Upstream: {"6.1.192", "44.0", "Linux 6.1.192 %s, rdma-core 44.0"},
	quirk.Promise: {
		quirk.Promise, quirk.Promise, "what librdmacm promises, and else Linux 6.1.192 %s with rdma-core 44.0",
	},
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
		Stack: simulated, Imitates: fmt.Sprintf(truths[b.options.Profile].imitates, b.kind.Imitates),
		Nonce: b.options.Nonce, Detectors: []string{},
	}
	b.hosts[0].world.Do(func() { e.Transport = b.hosts[0].kernel.Transport() })
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
	var e spec.HostEnvironment
	h.world.Do(func() { e = h.kernel.Environment(h.addr) })
	of := truths[o.Profile]
	e.Name, e.Nonce = h.name, o.Nonce
	e.KernelRelease, e.KernelVersion, e.RDMACore = of.kernel, simulated, of.rdmaCore
	e.Libraries = map[string]string{"librdmacm.so.1": simulated, "libibverbs.so.1": simulated}
	e.Modules = map[string]string{"rdma_cm": simulated, "rdma_ucm": simulated, "ib_uverbs": simulated}
	if o.Profile == quirk.Promise {
		e.Driver = simulated
	}
	return e
}

// Capabilities claims all that the simulated stack has, and of the device what its kind has.
func (b *backend) Capabilities(context.Context) (spec.Capabilities, error) {
	all := spec.Capabilities{}
	for _, c := range spec.AllCapabilities() {
		all[c] = spec.Evidence{Has: true, How: simulated}
	}
	all[spec.UDQP], all[spec.McastQP] = b.kind.HasUDQPs(), b.kind.Attaches()
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

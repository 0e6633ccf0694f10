// Package sim is the simulated stack: hosts on a wire in one process, each with a simulated librdmacm above a simulated
// kernel. A seed fixes everything that happens; nothing sleeps, and a call that hangs says so at once.
package sim

import (
	"context"
	"fmt"

	"joinmcast/sim/fabric"
	"joinmcast/sim/fault"
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
	"joinmcast/sim/packet"
	"joinmcast/sim/quirk"
	"joinmcast/sim/sm"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// Options say what a lab's worlds are like.
type Options struct {
	Kind     string        // of the hosts' RDMA devices, of package kernel; empty: rxe
	Beside   []string      // kinds of further devices of each host, which the suite does not use; of package kernel
	Mode     spec.RoCEMode // of the first device's port; empty: the kind's default
	Kernel   string        // the Linux release that is imitated, as in "6.1.192"; empty: none, but what is promised
	RDMACore string        // the rdma-core version that is imitated, as in "44.0"
	Defects  []string      // of what is imitated: names of package quirk
	Quirks   []string      // beside them, or, with quirk.Without before it, not among them
	Topology Topology
	Faults   []HostFault
	Nonce    string // comes back in the environment
	Capture  bool   // worlds keep what their wire carries: their backends are spec.Wiretaps
}

// Lab hands out fresh simulated worlds. It keeps nothing between them.
type Lab struct {
	options Options
	kinds   []kernel.Kind // of each host's devices; the first is under test
	library librdmacm.Deviations
	kernel  kernel.Deviations
}

var _ spec.Lab = (*Lab)(nil)

// NewLab makes a lab; an unknown kind or quirk is an error that lists the known ones, and so is a fault that its hosts
// cannot have; of a topology that cannot be, the error says what would be right.
func NewLab(o Options) (*Lab, error) {
	if (o.Kernel == "") != (o.RDMACore == "") {
		return nil, fmt.Errorf("kernel is %q and rdma-core %q; a stack imitates both, or neither", o.Kernel, o.RDMACore)
	}
	if o.Kind == "" {
		o.Kind = kernel.DefaultKind
	}
	kinds, err := o.kinds()
	if err != nil {
		return nil, err
	}
	if err := o.Topology.Check(); err != nil {
		return nil, err
	}
	if len(o.Topology.VLANs) > 0 && kinds[0].NeedsSubnet() {
		return nil, fmt.Errorf("vlans do not go with kind %s, whose network devices are not Ethernet", o.Kind)
	}
	names, err := quirk.Changed(o.Defects, o.Quirks)
	if err != nil {
		return nil, err
	}
	l, k, err := quirk.Apply(names)
	if err != nil {
		return nil, err
	}
	lab := &Lab{options: o, kinds: kinds, library: l, kernel: k}
	if len(o.Faults) > 0 { // which its worlds may be unable to have
		if _, err := lab.Fresh(context.Background(), 0); err != nil {
			return nil, err
		}
	}
	return lab, nil
}

// Fresh boots the hosts on a switch of their own.
func (l *Lab) Fresh(ctx context.Context, seed int64) (spec.Backend, error) {
	w := world.New(seed)
	wire := l.options.Topology.newSwitch(w)
	b := &backend{options: l.options, kind: l.kinds[0], world: w}
	if l.options.Capture {
		b.capture = &packet.Capture{}
		wire.Tap(b.capture.See)
	}
	var subnet *fabric.Subnet
	if l.needsSubnet() {
		subnet = fabric.NewSubnet(w, sm.Default())
		if b.capture != nil {
			subnet.Tap(b.capture.SeePacket)
		}
	}
	for i := range l.options.Topology.hosts() {
		addr := l.options.Topology.address(i)
		k := kernel.New(w, wire, kernel.Config{
			Devices: l.devices(i), Subnet: subnet,
			Release: kernel.ReleaseOf(l.options.Kernel, l.options.RDMACore), Deviates: l.kernel,
		})
		if err := l.options.Topology.addVLANs(k, i); err != nil {
			return nil, err
		}
		b.hosts = append(b.hosts, &host{
			name: fmt.Sprint("host", i), addr: addr.Addr(), world: w, kernel: k, library: l.library, faults: &fault.Set{},
		})
	}
	if err := b.injectAll(ctx, l.options.Faults); err != nil {
		return nil, err
	}
	return b, nil
}

// Close has nothing to free.
func (l *Lab) Close(context.Context) error { return nil }

package kernel

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// Process is a process as its kernel sees it: the files it has open. It is the uabi.Kernel of that process.
type Process struct {
	kernel   *Kernel
	files    []*cmFile
	contexts []*verbsContext
}

var _ uabi.Kernel = (*Process)(nil)

// NewProcess starts a process without open files.
func (k *Kernel) NewProcess() *Process { return &Process{kernel: k} }

// OpenCM opens the rdma_cm device.
func (p *Process) OpenCM() (uabi.CM, error) {
	f := &cmFile{kernel: p.kernel, ids: map[uabi.CMID]*cmID{}, members: map[uabi.Multicast]*membership{}}
	p.files = append(p.files, f)
	return f, nil
}

// OpenDevice opens the uverbs file of a device.
func (p *Process) OpenDevice(name string) (uabi.Verbs, error) {
	if name != Device {
		return nil, spec.ENODEV
	}
	c := &verbsContext{
		device: p.kernel.rdma,
		pds:    map[uabi.PD]*pd{}, cqs: map[uabi.CQ]*cq{}, qps: map[uabi.QP]*qp{}, ahs: map[uabi.AH]*ah{},
	}
	p.kernel.resources["ctx"]++
	p.contexts = append(p.contexts, c)
	return c, nil
}

// Exit closes all files, as the kernel does when a process ends.
func (p *Process) Exit() {
	for _, f := range p.files {
		if !f.closed {
			_ = f.Close()
		}
	}
	for _, c := range p.contexts {
		c.close()
	}
}

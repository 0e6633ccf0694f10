package kernel

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// Process is a process as its kernel sees it: the files it has open. It is the uabi.Kernel of that process.
type Process struct {
	kernel   *Kernel
	files    numbered[uint32, *cmFile] // by their descriptors, less those that a process has from the start
	noFile   *cmFile                   // behind every other descriptor
	contexts []*verbsContext

	euid        uint32 // its effective user, root at first
	credentials int    // changes whenever the process changes them, back included
}

var _ uabi.Kernel = (*Process)(nil)

// firstFD is the first descriptor that a process has not had from the start.
const firstFD = 3

// NewProcess starts a process without open files of its own.
func (k *Kernel) NewProcess() *Process {
	p := &Process{kernel: k}
	p.noFile = &cmFile{kernel: k, process: p, closed: true}
	return p
}

// Devices names the host's RDMA devices.
func (p *Process) Devices() []string {
	var names []string
	for _, d := range p.kernel.devices {
		if !d.removed {
			names = append(names, d.name)
		}
	}
	return names
}

// OpenCM opens the rdma_cm device, and gives it the lowest descriptor that is free, as open(2) does.
func (p *Process) OpenCM() (fd int, err error) {
	f := &cmFile{kernel: p.kernel, process: p, credentials: p.credentials}
	f.fd = firstFD + int(p.files.add(f))
	return f.fd, nil
}

// file is the open file behind a descriptor.
func (p *Process) file(fd int) (f *cmFile, ok bool) {
	if fd < firstFD {
		return nil, false
	}
	return p.files.get(uint32(fd - firstFD))
}

// CM is the open file behind a descriptor, or a closed one.
func (p *Process) CM(fd int) uabi.CM {
	if f, ok := p.file(fd); ok {
		return f
	}
	return p.noFile
}

// OpenDevice opens the uverbs file of a device.
func (p *Process) OpenDevice(name string) (uabi.Verbs, error) {
	d, err := p.kernel.device(name)
	if err != nil {
		return nil, spec.ENODEV
	}
	c := &verbsContext{
		process: p, device: d,
		pds: map[uabi.PD]*pd{}, cqs: map[uabi.CQ]*cq{}, qps: map[uabi.QP]*qp{}, ahs: map[uabi.AH]*ah{},
	}
	d.open++
	p.kernel.resources["ctx"]++
	p.contexts = append(p.contexts, c)
	return c, nil
}

// Exit closes all files, as the kernel does when a process ends.
func (p *Process) Exit() {
	for f := range p.files.all() {
		_ = f.Close()
	}
	for _, c := range p.contexts {
		c.close()
	}
	p.contexts = nil
}

// Package librdmacm simulates the library of that name, with the libibverbs calls that multicast needs: the order of
// its checks, its lists and counters, and what it crashes on. It reaches the kernel through package uabi alone. The
// truth is that of rdma-core 44.0, librdmacm/cma.c, whose functions the comments name.
//
// Methods are the C calls without ctx; their errors are *spec.CallError by each call's own convention. Every method
// must run inside a world.Process's Call: it may sleep, and an undefined use ends the process by SIGSEGV.
package librdmacm

import (
	"errors"

	"joinmcast/sim/spare"
	"joinmcast/sim/uabi"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// Library is librdmacm as loaded in one process.
type Library struct {
	kernel   uabi.Kernel
	world    *world.World
	deviates Deviations

	devices  map[string]*device
	channels handles[spec.Channel, channel]
	ids      handles[spec.ID, cmID]
	qps      handles[spec.QP, qp]
	ahs      handles[spec.AH, ah]
	events   handles[spec.EventRef, event]
	records  records
	last     uint32 // handle given out, or number of a membership

	spareMembers spare.List[membership] // their addresses have room
	spareEvents  spare.List[event]

	initialized  bool
	keepsHandles bool // it has made an id
	afIB         bool // the kernel knows AF_IB
	blocks       int  // of memory, allocated for itself and for channels and not freed
	allocate     func(spec.CFunction) error
}

// New loads the library into a process with a kernel below it. Allocate is asked before each request for memory by
// malloc or calloc, and answers ENOMEM when there is none.
func New(w *world.World, k uabi.Kernel, allocate func(spec.CFunction) error, d Deviations) *Library {
	return &Library{
		kernel: k, world: w, allocate: allocate, deviates: d, devices: map[string]*device{},
	}
}

// keptBlocks is how many blocks of memory the library keeps for itself when it has started, as measured on rdma-core
// 44.0 with one device.
const keptBlocks = 1

// init is what the first call of a process does that needs the device: without any RDMA device it fails. It tries out
// on an id of its own whether the kernel knows AF_IB (ucma_init, ucma_set_af_ib_support).
func (l *Library) init() error {
	if l.initialized {
		return nil
	}
	if len(l.kernel.Devices()) == 0 {
		if l.deviates.TellsNoDeviceAsNoCall {
			return spec.ENOSYS
		}
		return spec.ENODEV
	}
	l.initialized, l.blocks = true, keptBlocks
	id, err := l.createID(0, spec.PSIB, spec.QPTypeRC)
	if err != nil {
		return nil
	}
	l.afIB = true
	l.afIB = l.bindAddr(id.handle, spec.NewSockaddrIB(spec.GID{})) == nil || l.deviates.TakesAFIB
	return l.destroyID(id)
}

// next is a handle that was not given out before.
func (l *Library) next() uint32 {
	l.last++
	return l.last
}

func segfault() { world.Fault("SIGSEGV") }

// minusOne is the answer of a call that fails with -1 and errno.
func (l *Library) minusOne(method string, err error) error {
	return answer(err, func(e spec.Errno) *spec.CallError {
		if l.deviates.ReturnsNegativeErrno {
			return &spec.CallError{Method: method, Ret: -int(e), Errno: e}
		}
		return &spec.CallError{Method: method, Ret: -1, Errno: e}
	})
}

// positive is the answer of a call of libibverbs that fails with a positive errno.
func positive(method string, err error) error {
	return answer(err, func(e spec.Errno) *spec.CallError {
		return &spec.CallError{Method: method, Ret: int(e), Errno: e}
	})
}

// bare is the answer of a call that fails with a positive errno and leaves the variable alone: the device's provider
// finds it out by itself.
func bare(method string, err error) error {
	return answer(err, func(e spec.Errno) *spec.CallError { return &spec.CallError{Method: method, Ret: int(e)} })
}

// null is the answer of a call that fails with a NULL pointer and errno.
func null(method string, err error) error {
	return answer(err, func(e spec.Errno) *spec.CallError { return &spec.CallError{Method: method, Errno: e} })
}

func answer(err error, failed func(spec.Errno) *spec.CallError) error {
	if err == nil {
		return nil
	}
	var e spec.Errno
	if errors.As(err, &e) {
		return failed(e)
	}
	return err
}

// Package uabi is the seam between the simulated librdmacm and the simulated kernel: the commands of the kernel's
// rdma_cm device and of uverbs, with typed requests and answers. Nothing else passes between the two storeys, so each
// can be put beside the real one, and the library can run on a mocked kernel.
//
// Errors are spec.Errno, as write(2) or ioctl(2) leave them in errno.
package uabi

import "joinmcast/spec"

//go:generate go tool mockgen -typed -destination uabimock/uabi.go -package uabimock . Kernel,CM,Verbs

// Kernel is what a process opens.
type Kernel interface {
	// Devices names the RDMA devices that the host has now.
	Devices() []string
	// OpenCM opens the rdma_cm device and gives the file's descriptor. Every file has ids, events and a non-blocking
	// flag of its own.
	OpenCM() (fd int, err error)
	// CM is what a command written to a descriptor reaches. One that stands for no open file answers EBADF to all.
	CM(fd int) CM
	// OpenDevice opens a device's uverbs file by the device's name; ENODEV when there is none.
	OpenDevice(name string) (Verbs, error)
}

// CMID is an id of the connection manager; the host's files share the numbers, from 0 on.
type CMID uint32

// Multicast is one membership, from its join to its leave; the host's files share the numbers, from 0 on.
type Multicast uint32

// CM is one open file of the rdma_cm device. Every command answers EBADF once the file is closed, EACCES to a process
// that has changed its credentials since it opened the file, ENOENT for a handle that nothing bears, EINVAL for one of
// another file, and ENXIO for an id whose device was removed.
type CM interface {
	CreateID(r CreateID) (CMID, error)
	// DestroyID leaves all groups of the id, drops its unread events, and tells how many of its events were read.
	DestroyID(id CMID) (eventsReported uint32, err error)
	BindAddr(id CMID, a spec.Sockaddr) error
	ResolveAddr(r ResolveAddr) error
	ResolveRoute(id CMID, timeoutMS int) error
	Listen(id CMID, backlog int) error
	// MigrateID takes an id of another file of the process over, with its unread events, and tells how many of its events
	// were read.
	MigrateID(id CMID, fromFD int) (eventsReported uint32, err error)
	// QueryRoute tells which device the id is bound to.
	QueryRoute(id CMID) (Route, error)
	// InitQPAttr gives what a QP of the id needs for the step to the state.
	InitQPAttr(id CMID, s QPState) (QPAttr, error)
	JoinMulticast(r JoinMulticast) (Multicast, error)
	// JoinIPMulticast is the older command, which knows neither AF_IB nor flags: every membership is a full one.
	JoinIPMulticast(r JoinMulticast) (Multicast, error)
	// LeaveMulticast ends a membership, drops its unread events, and tells how many of its events were read.
	LeaveMulticast(m Multicast) (eventsReported uint32, err error)
	// GetEvent takes the oldest event. It sleeps until there is one; on a non-blocking file it answers EAGAIN.
	GetEvent() (Event, error)
	// WouldBlock tells whether GetEvent sleeps when nothing more happens: poll(2) with a time-out of 0, and the
	// non-blocking flag.
	WouldBlock() bool
	// Poll is poll(2) for POLLIN without a time-out: it sleeps until an event can be read.
	Poll() error
	SetNonblock(on bool) error
	// Close destroys all ids of the file.
	Close() error
}

// CreateID asks for a new id. UID comes back in its events. QPType counts for RDMA_PS_IB alone; the other port spaces
// have theirs.
type CreateID struct {
	UID    uint64
	PS     spec.PortSpace
	QPType spec.QPType
}

// ResolveAddr asks for the device and route to an address. Src nil leaves the choice to the routing table.
type ResolveAddr struct {
	ID        CMID
	Src, Dst  spec.Sockaddr
	TimeoutMS int
}

// Route is what an id is bound to; Device is empty while that is nothing.
type Route struct {
	Device  string
	PortNum uint8
}

// JoinMulticast asks for a membership. UID comes back in its events; AddrSize is the length that the caller claims for
// Addr, in bytes. Addr is the caller's memory, and the caller's again when the command has returned.
type JoinMulticast struct {
	ID       CMID
	UID      uint64
	Addr     spec.Sockaddr
	AddrSize int
	Flags    spec.JoinFlags
}

// Event is an event as the kernel tells it: UID is that of the membership for multicast events, else that of the id.
type Event struct {
	UID    uint64
	ID     CMID
	Type   spec.EventType
	Status int
	AH     spec.AHAttr
	QPNum  uint32
	QKey   uint32
}

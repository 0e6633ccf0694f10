package spec

import "context"

// A Saboteur is a host that can start a process which does what no decent program does. It goes with the capability
// HasMischief.
type Saboteur interface {
	// StartMischief starts a process that is a Mischief too. Its library is the one under test; only the functions
	// that FailNext names lie between it and the C library.
	StartMischief(ctx context.Context) (Process, error)
}

// Mischief is what a process can do to itself and to the kernel behind the library's back.
type Mischief interface {
	SetFD(ctx context.Context, ch Channel, fd int) (old int, err error) // channel->fd = fd; nothing is closed
	SetEUID(ctx context.Context, uid uint32) error                      // seteuid(2), of all threads
	// JoinInChild forks; the child calls rdma_join_multicast, and the answer is the child's.
	JoinInChild(ctx context.Context, id ID, a Sockaddr) error
	// FailNext makes one call of librdmacm to a C function fail with this errno (calloc: NULL): the one after the next
	// skip calls.
	FailNext(ctx context.Context, f CFunction, skip int, errno Errno) error
	// Allocations is how many blocks of memory librdmacm has got by malloc and calloc that nobody has freed.
	Allocations(ctx context.Context) (int, error)
	OpenRaw(ctx context.Context) (RawFile, error) // open(2) of the rdma_cm device, which no library knows of
	// WriteRaw writes one command to it, as write(2) does; a failure is a CallError of "write".
	WriteRaw(ctx context.Context, f RawFile, c RawCommand) (RawAnswer, error)
}

// CFunction is a function of the C library that librdmacm calls.
type CFunction string

// Functions that can be made to fail.
const (
	Calloc CFunction = "calloc"
	Malloc CFunction = "malloc"
	Write  CFunction = "write"
)

// RawFile is an open file of the rdma_cm device; a handle like the others.
type RawFile uint32

// RawCommand is a command as include/uapi/rdma/rdma_user_cm.h lays it out, in the order of the machine.
type RawCommand struct {
	Cmd        uint32 `json:"cmd"`         // RDMA_USER_CM_CMD_*
	In         Bytes  `json:"in"`          // the command's struct, behind the header
	ResponseAt int    `json:"response_at"` // where in In the address of the answer's room is put; -1: nowhere
	Room       uint16 `json:"room"`        // for the answer, as the header tells it; in bytes
	Unmapped   bool   `json:"unmapped"`    // the address given is one that no memory is mapped to
}

// Commands of the rdma_cm device.
const (
	RawCreateID       uint32 = 0
	RawDestroyID      uint32 = 1
	RawGetEvent       uint32 = 12
	RawLeaveMulticast uint32 = 17
	RawBind           uint32 = 20
	RawJoinMulticast  uint32 = 22
)

// RawAnswer is what the kernel wrote into the room for its answer.
type RawAnswer struct {
	Out Bytes `json:"out"` // Room bytes, zero where nothing was written; empty when Unmapped
}

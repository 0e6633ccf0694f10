// Package spec is the port between the behavioural law of rdma_join_multicast and the stacks it judges: the C calls of
// librdmacm and libibverbs that multicast needs, flat, over handles. It imports nothing else of this project.
package spec

import "context"

// Channel is a struct rdma_event_channel *. Like every handle it stands for a pointer of one Process; 0 is NULL, so an
// undefined use can be written down like any other.
type Channel uint32

// ID is a struct rdma_cm_id *.
type ID uint32

// QP is a struct ibv_qp *.
type QP uint32

// AH is a struct ibv_ah *.
type AH uint32

// EventRef is a struct rdma_cm_event *.
type EventRef uint32

// A Lab hands out fresh worlds of one stack under test: simulated ones, or guests restored from a saved state. A lab of
// hosts that are not ours has only one world and hands it out again.
type Lab interface {
	// Fresh gives a world no spec has used. Seed drives all that is random in it.
	Fresh(ctx context.Context, seed int64) (Backend, error)
	// Close frees what the lab keeps between worlds; no process, guest or file of its own stays behind.
	Close(ctx context.Context) error
}

// A Backend is one stack under test: hosts on one wire.
type Backend interface {
	Environment(ctx context.Context) (Environment, error)   // read from the stack, never assumed
	Capabilities(ctx context.Context) (Capabilities, error) // what it claims, each with its evidence
	Hosts() []Host                                          // one or more, the device under test first
	Close(ctx context.Context) error
}

// A Host starts processes and shows what they leave behind.
type Host interface {
	Ports(ctx context.Context) ([]Port, error) // RDMA ports with a network device, the port under test first
	Start(ctx context.Context) (Process, error)
	Observe(ctx context.Context) (HostState, error)
}

// A Configurer is a Host that is ours to change. Configure returns when the kernel shows the change.
type Configurer interface {
	Configure(ctx context.Context, c Change) (undo func(context.Context) error, err error)
}

// A Process is one RDMA application. Calls may be made concurrently. An error is a *CallError (the call's own answer),
// a *Hung (ctx ended first, or nothing can wake the call) or a *Crashed; any other error is the harness, not the stack.
type Process interface {
	CM
	Verbs
	InFlight(ctx context.Context) ([]InFlight, error) // calls begun and not yet ended, oldest first
	Script(ctx context.Context, s Script) ([][]Tally, error)
	Kill(ctx context.Context) (Exit, error) // ends the process, whatever it is doing, and collects its status
}

// CM is librdmacm: same arguments, same order of checks, same errno. A sockaddr is handed over in memory of the call's
// own, which is overwritten as soon as the call has returned: a library that kept the pointer would be found out.
type CM interface {
	CreateEventChannel(ctx context.Context) (Channel, error)
	DestroyEventChannel(ctx context.Context, ch Channel) error
	SetNonblock(ctx context.Context, ch Channel, on bool) error                    // O_NONBLOCK on the channel's fd
	CreateID(ctx context.Context, ch Channel, c Context, ps PortSpace) (ID, error) // channel 0: a synchronous id
	DestroyID(ctx context.Context, id ID) error
	ReadID(ctx context.Context, id ID) (IDState, error) // the struct's public fields
	BindAddr(ctx context.Context, id ID, a Sockaddr) error
	ResolveAddr(ctx context.Context, id ID, src, dst Sockaddr, ms int) error
	ResolveRoute(ctx context.Context, id ID, ms int) error
	CreateEP(ctx context.Context, a EPAttr) (ID, error) // a synchronous id, in whatever state it ends
	DestroyEP(ctx context.Context, id ID) error
	Listen(ctx context.Context, id ID, backlog int) error
	MigrateID(ctx context.Context, id ID, ch Channel) error        // channel 0: makes the id synchronous
	CreateQP(ctx context.Context, id ID, a QPInitAttr) (QP, error) // pd NULL: the id's default one, with CQs of its own
	DestroyQP(ctx context.Context, id ID) error
	JoinMulticast(ctx context.Context, id ID, a Sockaddr, c Context) error
	JoinMulticastEx(ctx context.Context, id ID, a *JoinAttr, c Context) error
	LeaveMulticast(ctx context.Context, id ID, a Sockaddr) error
	PollChannel(ctx context.Context, ch Channel) error // poll(2) without a time-out: returns when an event can be read
	GetEvent(ctx context.Context, ch Channel) (Event, error)
	GetNoEvent(ctx context.Context, ch Channel) error // rdma_get_cm_event with NULL in the event's place
	AckEvent(ctx context.Context, e EventRef) error
}

// Verbs is the part of libibverbs that multicast needs. Calls that return a positive errno in C do so in CallError.Ret.
type Verbs interface {
	QueryDevice(ctx context.Context, id ID) (DeviceAttr, error)
	AttachMulticast(ctx context.Context, qp QP, group GID, mlid uint16) error
	DetachMulticast(ctx context.Context, qp QP, group GID, mlid uint16) error
	IBVDestroyQP(ctx context.Context, qp QP) error             // ibv_destroy_qp; id->qp keeps its value
	CreateAH(ctx context.Context, id ID, a AHAttr) (AH, error) // in the id's default protection domain
	DestroyAH(ctx context.Context, ah AH) error
	PostRecv(ctx context.Context, qp QP, wr RecvWR) error
	PostSend(ctx context.Context, qp QP, wr SendWR) error
	WaitCompletion(ctx context.Context, qp QP, q Queue) (Completion, error) // sleeps until the queue has one, and takes it
}

// concurrent is the context key of Concurrent.
type concurrent struct{}

// Concurrent marks ctx: other calls of the same caller may wake a call made with it, so only ctx itself ends the wait.
// Without the mark a caller makes one call at a time, and a backend that can prove that nothing will ever wake the
// call answers *Hung at once.
func Concurrent(ctx context.Context) context.Context {
	return context.WithValue(ctx, concurrent{}, true)
}

// IsConcurrent tells whether ctx carries the mark of Concurrent.
func IsConcurrent(ctx context.Context) bool { return ctx.Value(concurrent{}) != nil }

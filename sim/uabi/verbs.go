package uabi

import "joinmcast/spec"

// PD is a protection domain; 0 is none, as for the other handles of uverbs.
type PD uint32

// CQ is a completion queue.
type CQ uint32

// QP is a queue pair, and its number on the wire.
type QP uint32

// AH is an address handle.
type AH uint32

// QPState is an enum ibv_qp_state.
type QPState int

// QP states of ibv_modify_qp(3).
const (
	QPReset QPState = 0
	QPInit  QPState = 1
	QPRTR   QPState = 2
	QPRTS   QPState = 3
	QPErr   QPState = 6
)

// QPAttr is one step of a QP's state. A UD QP takes a queue key on its way to INIT, a connected one access rights.
type QPAttr struct {
	State     QPState
	HasQKey   bool
	QKey      uint32
	HasAccess bool
}

// CreateQP asks for a QP; the CQs may be the same.
type CreateQP struct {
	PD                   PD
	SendCQ, RecvCQ       CQ
	Type                 spec.QPType
	MaxSendWR, MaxRecvWR uint32
}

// SendWR is a signaled UD send.
type SendWR struct {
	WRID      uint64
	AH        AH
	RemoteQPN uint32
	QKey      uint32
	Imm       *uint32
	Data      spec.Bytes
}

// Verbs is one open context of a device: uverbs, and the data path that a provider maps beside it. An unknown handle
// answers EINVAL.
type Verbs interface {
	QueryDevice() (spec.DeviceAttr, error)
	AllocPD() (PD, error)
	// DeallocPD answers EBUSY while a QP or an address handle uses the domain.
	DeallocPD(pd PD) error
	CreateCQ(entries uint32) (CQ, error)
	// DestroyCQ answers EBUSY while a QP uses the queue.
	DestroyCQ(cq CQ) error
	CreateQP(r CreateQP) (QP, error)
	ModifyQP(qp QP, a QPAttr) error
	// DestroyQP answers EBUSY while the QP is attached to a group.
	DestroyQP(qp QP) error
	// AttachMulticast is not counted: attaching a pair of group and MLID again answers success and changes nothing.
	AttachMulticast(qp QP, group spec.GID, mlid uint16) error
	DetachMulticast(qp QP, group spec.GID, mlid uint16) error
	CreateAH(pd PD, a spec.AHAttr) (AH, error)
	DestroyAH(ah AH) error
	PostSend(qp QP, wr SendWR) error
	PostRecv(qp QP, wr spec.RecvWR) error
	// WouldWait tells whether WaitCQ sleeps when nothing more happens.
	WouldWait(cq CQ) bool
	// WaitCQ sleeps until the queue has a completion, and takes it.
	WaitCQ(cq CQ) (spec.Completion, error)
}

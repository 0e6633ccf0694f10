package fault

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// verbs is an open uverbs file. Waiting for a completion is no command of the kernel's.
type verbs struct {
	uabi.Verbs
	faults Sets
}

func (v verbs) QueryDevice() (spec.DeviceAttr, error) {
	return ask(v.faults, "QUERY_DEVICE", v.Verbs.QueryDevice)
}

func (v verbs) AllocPD() (uabi.PD, error) { return ask(v.faults, "ALLOC_PD", v.Verbs.AllocPD) }

func (v verbs) DeallocPD(pd uabi.PD) error {
	return do(v.faults, "DEALLOC_PD", func() error { return v.Verbs.DeallocPD(pd) })
}

func (v verbs) CreateCQ(entries uint32) (uabi.CQ, error) {
	return ask(v.faults, "CREATE_CQ", func() (uabi.CQ, error) { return v.Verbs.CreateCQ(entries) })
}

func (v verbs) DestroyCQ(cq uabi.CQ) error {
	return do(v.faults, "DESTROY_CQ", func() error { return v.Verbs.DestroyCQ(cq) })
}

func (v verbs) CreateQP(r uabi.CreateQP) (uabi.QP, error) {
	return ask(v.faults, "CREATE_QP", func() (uabi.QP, error) { return v.Verbs.CreateQP(r) })
}

func (v verbs) ModifyQP(qp uabi.QP, a uabi.QPAttr) error {
	return do(v.faults, "MODIFY_QP", func() error { return v.Verbs.ModifyQP(qp, a) })
}

func (v verbs) DestroyQP(qp uabi.QP) error {
	return do(v.faults, "DESTROY_QP", func() error { return v.Verbs.DestroyQP(qp) })
}

func (v verbs) AttachMulticast(qp uabi.QP, group spec.GID, mlid uint16) error {
	return do(v.faults, "ATTACH_MCAST", func() error { return v.Verbs.AttachMulticast(qp, group, mlid) })
}

func (v verbs) DetachMulticast(qp uabi.QP, group spec.GID, mlid uint16) error {
	return do(v.faults, "DETACH_MCAST", func() error { return v.Verbs.DetachMulticast(qp, group, mlid) })
}

func (v verbs) CreateAH(pd uabi.PD, a spec.AHAttr) (uabi.AH, error) {
	return ask(v.faults, "CREATE_AH", func() (uabi.AH, error) { return v.Verbs.CreateAH(pd, a) })
}

func (v verbs) DestroyAH(ah uabi.AH) error {
	return do(v.faults, "DESTROY_AH", func() error { return v.Verbs.DestroyAH(ah) })
}

func (v verbs) PostSend(qp uabi.QP, wr uabi.SendWR) error {
	return do(v.faults, "POST_SEND", func() error { return v.Verbs.PostSend(qp, wr) })
}

func (v verbs) PostRecv(qp uabi.QP, wr spec.RecvWR) error {
	return do(v.faults, "POST_RECV", func() error { return v.Verbs.PostRecv(qp, wr) })
}

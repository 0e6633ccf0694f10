package librdmacm

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// qp is a struct ibv_qp made by rdma_create_qp, with CQs of its own.
type qp struct {
	handle         spec.QP
	device         *device
	kernelQP       uabi.QP
	sendCQ, recvCQ uabi.CQ
}

// CreateQP is rdma_create_qp in the id's default protection domain: an id without a device has none, and crashes it. A
// UD QP of a UD id is ready to send when it returns.
func (l *Library) CreateQP(h spec.ID, a spec.QPInitAttr) (spec.QP, error) {
	const method = "rdma_create_qp"
	id := deref(l.ids, h)
	if id.qp != nil {
		return 0, l.minusOne(method, spec.EINVAL)
	}
	if id.device == nil {
		segfault()
	}
	q := &qp{device: id.device}
	if err := q.create(id, a); err != nil {
		q.destroy()
		return 0, l.minusOne(method, err)
	}
	q.handle = spec.QP(l.next())
	l.qps[q.handle], id.qp = q, q
	return q.handle, nil
}

// create makes the kernel's objects and takes the QP as far as its type goes without a peer. What it had made when it
// fails is left to destroy.
func (q *qp) create(id *cmID, a spec.QPInitAttr) error {
	v := q.device.verbs
	var err error
	if q.sendCQ, err = v.CreateCQ(a.MaxSendWR); err != nil {
		return err
	}
	if q.recvCQ, err = v.CreateCQ(a.MaxRecvWR); err != nil {
		return err
	}
	q.kernelQP, err = v.CreateQP(uabi.CreateQP{
		PD: q.device.pd, SendCQ: q.sendCQ, RecvCQ: q.recvCQ, Type: a.Type,
		MaxSendWR: a.MaxSendWR, MaxRecvWR: a.MaxRecvWR,
	})
	if err != nil {
		return err
	}
	init, err := id.channel.file.InitQPAttr(id.kernelID, uabi.QPInit)
	if err != nil {
		return err
	}
	if err := v.ModifyQP(q.kernelQP, init); err != nil || id.qpType != spec.QPTypeUD {
		return err
	}
	for _, s := range []uabi.QPState{uabi.QPRTR, uabi.QPRTS} {
		if err := v.ModifyQP(q.kernelQP, uabi.QPAttr{State: s}); err != nil {
			return err
		}
	}
	return nil
}

// DestroyQP is rdma_destroy_qp, which is void: an attached QP is busy, stays alive with its CQs, and is lost to the id.
func (l *Library) DestroyQP(h spec.ID) error {
	id := deref(l.ids, h)
	q := id.qp
	if q == nil {
		segfault()
	}
	id.qp = nil
	if q.destroy() {
		delete(l.qps, q.handle)
	}
	return nil
}

// destroy frees what the kernel lets go and tells whether that includes the QP.
func (q *qp) destroy() bool {
	v := q.device.verbs
	gone := q.kernelQP == 0 || v.DestroyQP(q.kernelQP) == nil
	for _, cq := range []uabi.CQ{q.sendCQ, q.recvCQ} {
		if cq != 0 {
			_ = v.DestroyCQ(cq)
		}
	}
	return gone
}

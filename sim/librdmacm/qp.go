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
	q, err := l.createQP(l.ids.deref(h), a)
	if err != nil {
		return 0, l.minusOne("rdma_create_qp", err)
	}
	return q.handle, nil
}

func (l *Library) createQP(id *cmID, a spec.QPInitAttr) (*qp, error) {
	if id.qp != nil {
		return nil, spec.EINVAL
	}
	if id.device == nil {
		segfault()
	}
	q := &qp{device: id.device}
	if err := l.bringUp(q, id, a); err != nil {
		q.destroy()
		return nil, err
	}
	q.handle = spec.QP(l.next())
	l.qps.add(q.handle, q)
	id.qp = q
	if l.deviates.AttachesLateQP {
		for m := range id.joined.all.All() {
			_ = l.attach(m, q)
		}
	}
	return q, nil
}

// bringUp makes the kernel's objects and takes the QP as far as its type goes without a peer. What it had made when it
// fails is left to destroy.
func (l *Library) bringUp(q *qp, id *cmID, a spec.QPInitAttr) error {
	if a.BlockSelfMcastLB && !l.deviates.HearsItself {
		return spec.EOPNOTSUPP // rxe's provider knows no create flags
	}
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
	init, err := l.file(id.channel).InitQPAttr(id.kernelID, uabi.QPInit)
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
	id := l.ids.deref(h)
	if id.qp == nil {
		segfault()
	}
	l.destroyQP(id)
	return nil
}

func (l *Library) destroyQP(id *cmID) {
	q := id.qp
	if !l.deviates.KeepsDestroyedQP {
		id.qp = nil
	}
	if q.destroy() {
		l.qps.remove(q.handle)
	}
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

package librdmacm

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// ah is a struct ibv_ah.
type ah struct {
	device   *device
	kernelAH uabi.AH
}

// QueryDevice is ibv_query_device on the id's device.
func (l *Library) QueryDevice(h spec.ID) (spec.DeviceAttr, error) {
	a, err := l.deviceOf(h).verbs.QueryDevice()
	return a, positive("ibv_query_device", err)
}

// deviceOf is id->verbs as a call of libibverbs dereferences it.
func (l *Library) deviceOf(h spec.ID) *device {
	d := l.ids.deref(h).device
	if d == nil {
		segfault()
	}
	return d
}

// AttachMulticast is ibv_attach_mcast.
func (l *Library) AttachMulticast(h spec.QP, g spec.GID, mlid uint16) error {
	q := l.qps.deref(h)
	return l.multicastAnswer("ibv_attach_mcast", q.device.verbs.AttachMulticast(q.kernelQP, g, mlid))
}

// DetachMulticast is ibv_detach_mcast.
func (l *Library) DetachMulticast(h spec.QP, g spec.GID, mlid uint16) error {
	q := l.qps.deref(h)
	return l.multicastAnswer("ibv_detach_mcast", q.device.verbs.DetachMulticast(q.kernelQP, g, mlid))
}

func (l *Library) multicastAnswer(method string, err error) error {
	if l.deviates.VerbsReturnMinus {
		return l.minusOne(method, err)
	}
	return positive(method, err)
}

// IBVDestroyQP is ibv_destroy_qp. The id that the QP was made on keeps its pointer.
func (l *Library) IBVDestroyQP(h spec.QP) error {
	q := l.qps.deref(h)
	if err := q.device.verbs.DestroyQP(q.kernelQP); err != nil {
		return positive("ibv_destroy_qp", err)
	}
	l.qps.remove(h)
	return nil
}

// CreateAH is ibv_create_ah in the id's default protection domain.
func (l *Library) CreateAH(h spec.ID, a spec.AHAttr) (spec.AH, error) {
	d := l.deviceOf(h)
	k, err := d.verbs.CreateAH(d.pd, a)
	if err != nil {
		return 0, null("ibv_create_ah", err)
	}
	n := spec.AH(l.next())
	l.ahs.add(n, &ah{d, k})
	return n, nil
}

// DestroyAH is ibv_destroy_ah.
func (l *Library) DestroyAH(h spec.AH) error {
	a := l.ahs.deref(h)
	if err := a.device.verbs.DestroyAH(a.kernelAH); err != nil {
		return positive("ibv_destroy_ah", err)
	}
	l.ahs.remove(h)
	return nil
}

// PostRecv is ibv_post_recv.
func (l *Library) PostRecv(h spec.QP, wr spec.RecvWR) error {
	q := l.qps.deref(h)
	return bare("ibv_post_recv", q.device.verbs.PostRecv(q.kernelQP, wr))
}

// PostSend is ibv_post_send.
func (l *Library) PostSend(h spec.QP, wr spec.SendWR) error {
	q := l.qps.deref(h)
	return bare("ibv_post_send", q.device.verbs.PostSend(q.kernelQP, uabi.SendWR{
		WRID: wr.WRID, AH: l.ahs.deref(wr.AH).kernelAH, RemoteQPN: wr.RemoteQPN, QKey: wr.QKey,
		Imm: wr.Imm, Data: wr.Data,
	}))
}

// queue is one of the QP's two.
func (q *qp) queue(which spec.Queue) uabi.CQ {
	if which == spec.SendQueue {
		return q.sendCQ
	}
	return q.recvCQ
}

// CompletionComes lets pending things happen until WaitCompletion need not sleep, and tells whether that is so.
func (l *Library) CompletionComes(h spec.QP, which spec.Queue) bool {
	q := l.qps.find(h)
	return q == nil || l.world.Comes(func() bool { return !q.device.verbs.WouldWait(q.queue(which)) })
}

// WaitCompletion sleeps on a QP's queue and takes a completion with ibv_poll_cq.
func (l *Library) WaitCompletion(h spec.QP, which spec.Queue) (spec.Completion, error) {
	q := l.qps.deref(h)
	wc, err := q.device.verbs.WaitCQ(q.queue(which))
	return wc, positive("ibv_poll_cq", err)
}

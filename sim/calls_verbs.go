package sim

import (
	"context"

	"joinmcast/spec"
)

// QueryDevice is ibv_query_device.
func (p *process) QueryDevice(ctx context.Context, id spec.ID) (spec.DeviceAttr, error) {
	return ask(ctx, p, "ibv_query_device", func() (spec.DeviceAttr, error) { return p.lib.QueryDevice(id) })
}

// AttachMulticast is ibv_attach_mcast.
func (p *process) AttachMulticast(ctx context.Context, qp spec.QP, g spec.GID, mlid uint16) error {
	return p.call(ctx, "ibv_attach_mcast", func() error { return p.lib.AttachMulticast(qp, g, mlid) })
}

// DetachMulticast is ibv_detach_mcast.
func (p *process) DetachMulticast(ctx context.Context, qp spec.QP, g spec.GID, mlid uint16) error {
	return p.call(ctx, "ibv_detach_mcast", func() error { return p.lib.DetachMulticast(qp, g, mlid) })
}

// IBVDestroyQP is ibv_destroy_qp.
func (p *process) IBVDestroyQP(ctx context.Context, qp spec.QP) error {
	return p.call(ctx, "ibv_destroy_qp", func() error { return p.lib.IBVDestroyQP(qp) })
}

// CreateAH is ibv_create_ah.
func (p *process) CreateAH(ctx context.Context, id spec.ID, a spec.AHAttr) (spec.AH, error) {
	return ask(ctx, p, "ibv_create_ah", func() (spec.AH, error) { return p.lib.CreateAH(id, a) })
}

// DestroyAH is ibv_destroy_ah.
func (p *process) DestroyAH(ctx context.Context, ah spec.AH) error {
	return p.call(ctx, "ibv_destroy_ah", func() error { return p.lib.DestroyAH(ah) })
}

// PostRecv is ibv_post_recv.
func (p *process) PostRecv(ctx context.Context, qp spec.QP, wr spec.RecvWR) error {
	return p.call(ctx, "ibv_post_recv", func() error { return p.lib.PostRecv(qp, wr) })
}

// PostSend is ibv_post_send.
func (p *process) PostSend(ctx context.Context, qp spec.QP, wr spec.SendWR) error {
	return p.call(ctx, "ibv_post_send", func() error { return p.lib.PostSend(qp, wr) })
}

// WaitCompletion sleeps until ibv_poll_cq has something to take.
func (p *process) WaitCompletion(ctx context.Context, qp spec.QP, q spec.Queue) (spec.Completion, error) {
	return ask(ctx, p, "ibv_poll_cq", func() (spec.Completion, error) { return p.lib.WaitCompletion(qp, q) })
}

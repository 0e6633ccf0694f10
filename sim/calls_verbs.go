package sim

import (
	"context"

	"joinmcast/spec"
)

// QueryDevice is ibv_query_device.
func (p *process) QueryDevice(_ context.Context, id spec.ID) (spec.DeviceAttr, error) {
	return learn(p, "ibv_query_device", func() (spec.DeviceAttr, error) { return p.lib.QueryDevice(id) })
}

// AttachMulticast is ibv_attach_mcast.
func (p *process) AttachMulticast(_ context.Context, qp spec.QP, g spec.GID, mlid uint16) error {
	return p.brief("ibv_attach_mcast", func() error { return p.lib.AttachMulticast(qp, g, mlid) })
}

// DetachMulticast is ibv_detach_mcast.
func (p *process) DetachMulticast(_ context.Context, qp spec.QP, g spec.GID, mlid uint16) error {
	return p.brief("ibv_detach_mcast", func() error { return p.lib.DetachMulticast(qp, g, mlid) })
}

// IBVDestroyQP is ibv_destroy_qp.
func (p *process) IBVDestroyQP(_ context.Context, qp spec.QP) error {
	return p.brief("ibv_destroy_qp", func() error { return p.lib.IBVDestroyQP(qp) })
}

// CreateAH is ibv_create_ah.
func (p *process) CreateAH(_ context.Context, id spec.ID, a spec.AHAttr) (spec.AH, error) {
	return learn(p, "ibv_create_ah", func() (spec.AH, error) { return p.lib.CreateAH(id, a) })
}

// DestroyAH is ibv_destroy_ah.
func (p *process) DestroyAH(_ context.Context, ah spec.AH) error {
	return p.brief("ibv_destroy_ah", func() error { return p.lib.DestroyAH(ah) })
}

// PostRecv is ibv_post_recv.
func (p *process) PostRecv(_ context.Context, qp spec.QP, wr spec.RecvWR) error {
	return p.brief("ibv_post_recv", func() error { return p.lib.PostRecv(qp, wr) })
}

// PostSend is ibv_post_send.
func (p *process) PostSend(_ context.Context, qp spec.QP, wr spec.SendWR) error {
	return p.brief("ibv_post_send", func() error { return p.lib.PostSend(qp, wr) })
}

// WaitCompletion sleeps until ibv_poll_cq has something to take.
func (p *process) WaitCompletion(ctx context.Context, qp spec.QP, q spec.Queue) (spec.Completion, error) {
	const method = "ibv_poll_cq"
	if p.swift {
		var wc spec.Completion
		done, err := p.run.QuicklyWait(method, func() (_ bool, err error) {
			if !p.lib.CompletionComes(qp, q) || p.run.Ended() {
				return false, nil
			}
			wc, err = p.lib.WaitCompletion(qp, q)
			return true, err
		})
		if done {
			return wc, err
		}
	}
	return ask(ctx, p, method, func() (spec.Completion, error) { return p.lib.WaitCompletion(qp, q) })
}

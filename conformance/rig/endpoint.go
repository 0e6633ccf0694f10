package rig

import (
	"context"

	"joinmcast/spec"
)

// Endpoint makes an id by rdma_create_ep, with its QP if attr asks for one. It is synchronous: its events come to the
// calls themselves. Like every ID it steps down by itself when the spec has not destroyed it.
func (p *Process) Endpoint(ctx context.Context, attr spec.EPAttr) (*ID, error) {
	handle, err := p.CreateEP(ctx, attr)
	if err != nil {
		return nil, err
	}
	id := &ID{Process: p, Handle: handle}
	p.cleanup(func(ctx context.Context) {
		if id.gone {
			return
		}
		if state := id.Read(ctx); state.QP != 0 && id.qp == nil {
			id.qp = &QP{id: id, Handle: state.QP, attached: map[spec.GID]uint16{}}
		}
		id.stepDown(ctx)
	})
	return id, nil
}

// DestroyEndpoint destroys the id with rdma_destroy_ep, its QP first.
func (id *ID) DestroyEndpoint(ctx context.Context) error {
	err := id.DestroyEP(ctx, id.Handle)
	id.gone = err == nil
	return err
}

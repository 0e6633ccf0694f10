package librdmacm

import "joinmcast/spec"

// resolveTimeoutMS is how long rdma_create_ep lets the resolution of an address and of a route take.
const resolveTimeoutMS = 2000

// CreateEP is rdma_create_ep. A passive endpoint is bound and keeps the QP's attributes for connections to come; an
// active one is taken as far as a resolved route, and given a QP then.
func (l *Library) CreateEP(a spec.EPAttr) (spec.ID, error) {
	id, err := l.createID(0, a.PS, a.QPType)
	if err != nil {
		return 0, l.minusOne("rdma_create_ep", err)
	}
	if err := l.prepare(id, a); err != nil {
		if failed := l.destroyEP(id); failed != nil {
			err = failed // errno is what failed last
		}
		return 0, l.minusOne("rdma_create_ep", err)
	}
	return id.handle, nil
}

func (l *Library) prepare(id *cmID, a spec.EPAttr) error {
	if a.Passive {
		if err := l.bindAddr(id.handle, a.Src); err != nil || a.QP == nil {
			return err
		}
		if err := l.allocate(spec.Malloc); err != nil {
			return err
		}
		l.blocks++
		id.keepsQPAttr = true
		return nil
	}
	if err := l.resolveAddr(id.handle, a.Src, a.Dst, resolveTimeoutMS); err != nil {
		return err
	}
	if !l.deviates.LeavesRouteOpen {
		if err := l.resolveRoute(id, resolveTimeoutMS); err != nil {
			return err
		}
	}
	if a.QP == nil {
		return nil
	}
	attr := *a.QP
	attr.Type = a.QPType
	_, err := l.createQP(id, attr)
	return err
}

// DestroyEP is rdma_destroy_ep, which is void: the QP goes first, whatever it is attached to.
func (l *Library) DestroyEP(h spec.ID) error {
	_ = l.destroyEP(l.ids.deref(h))
	return nil
}

func (l *Library) destroyEP(id *cmID) error {
	if id.qp != nil {
		if !l.deviates.DestroyEPLosesQP {
			for m := range id.joined.all.All() {
				_ = id.qp.device.verbs.DetachMulticast(id.qp.kernelQP, m.mgid, m.mlid)
			}
		}
		l.destroyQP(id)
	}
	if id.keepsQPAttr { // rdma_destroy_id leaves them behind
		id.keepsQPAttr = false
		l.blocks--
	}
	return l.destroyID(id)
}

package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// MustFillGroup attaches as many QPs to a group as the device takes, each by the join of an id of its own in p.
func MustFillGroup(ctx context.Context, p *Process, group Group) []*QP {
	ginkgo.GinkgoHelper()
	first := p.BoundID(ctx)
	limit := int(first.MustQueryDevice(ctx).MaxMcastQPAttach)
	qps := []*QP{first.MustCreateQP(ctx)}
	first.MustBeMember(ctx, group)
	for len(qps) < limit {
		id := p.BoundID(ctx)
		qps = append(qps, id.MustCreateQP(ctx))
		id.MustBeMember(ctx, group)
	}
	return qps
}

// MustQueryDevice is what ibv_query_device tells of the id's device.
func (id *ID) MustQueryDevice(ctx context.Context) spec.DeviceAttr {
	ginkgo.GinkgoHelper()
	device, err := id.QueryDevice(ctx, id.Handle)
	must(err, leansOnLimits)
	return device
}

// leansOnLimits is the requirement that ibv_query_device tells the device's limits.
const leansOnLimits = "JM-LIM-01"

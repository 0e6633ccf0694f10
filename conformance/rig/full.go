package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"
)

// MustFillGroup attaches as many QPs to a group as the device takes, each by the join of an id of its own in p.
func MustFillGroup(ctx context.Context, p *Process, group Group) []*QP {
	ginkgo.GinkgoHelper()
	first := p.BoundID(ctx)
	device, err := p.QueryDevice(ctx, first.Handle)
	must(err, leansOnLimits)
	qps := []*QP{first.MustCreateQP(ctx)}
	first.MustBeMember(ctx, group)
	for len(qps) < int(device.MaxMcastQPAttach) {
		id := p.BoundID(ctx)
		qps = append(qps, id.MustCreateQP(ctx))
		id.MustBeMember(ctx, group)
	}
	return qps
}

// leansOnLimits is the requirement that ibv_query_device tells the device's limits.
const leansOnLimits = "JM-LIM-01"

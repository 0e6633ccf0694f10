package rig

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/conformance/match"
	"joinmcast/spec"
)

// Transport is what carries the datagrams of the stack under test.
func Transport() spec.Transport { return world.transport }

// MustReachPort is the control that a join of the id is refused for nothing but what the spec is about: the id becomes
// a member of a new group. An iWARP port has no groups, so there the join must get as far as being told that.
func (id *ID) MustReachPort(ctx context.Context) {
	ginkgo.GinkgoHelper()
	group := NewGroup()
	join := id.Join(ctx, group)
	MustHaveReachedPort(join)
	if join == nil {
		id.MustTakeJoin(ctx, group)
	}
}

// MustHaveReachedPort is that control for the answer of a join made in whatever way.
func MustHaveReachedPort(join error) {
	ginkgo.GinkgoHelper()
	if world.transport != spec.IWARP {
		must(join, leansOnBind)
		return
	}
	if spec.Outcome(join) != spec.ENOSYS.Name() {
		world.record.block(leansOnNoGroups)
	}
	gomega.Expect(join).To(match.FailWith(spec.ENOSYS), "control: the join gets as far as the port")
}

// leansOnNoGroups is the requirement that an iWARP port refuses every group.
const leansOnNoGroups = "JM-PS-06"

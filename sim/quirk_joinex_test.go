package sim_test

import (
	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfJoinEx show the quirks of rdma_join_multicast_ex.
var probesOfJoinEx = map[string]probe{
	"ex-unknown-bit-einval":   {seeJoinEx(spec.JoinAttr{CompMask: 7, Addr: group}), "EOPNOTSUPP", "EINVAL"},
	"ex-address-bit-optional": {seeJoinEx(spec.JoinAttr{CompMask: 2, Addr: group}), "EINVAL", "0"},
	"ex-flags-bit-optional":   {seeJoinEx(spec.JoinAttr{CompMask: 1, Addr: group}), "EINVAL", "0"},
	"ex-flags-truncated":      {seeJoinEx(spec.JoinAttr{CompMask: 3, JoinFlags: 1 << 16, Addr: group}), "EINVAL", "0"},
	"ex-null-address-crashes": {seeJoinEx(spec.JoinAttr{CompMask: 3}), "EINVAL", "SIGSEGV"},
	"ex-flags-swapped": {func(w *world) string {
		m := w.bound(0).withQP()
		attr := &spec.JoinAttr{CompMask: 3, JoinFlags: spec.FullMember, Addr: group}
		m.Expect(m.p.JoinMulticastEx(m.ctx, m.id, attr, 0)).To(Succeed())
		m.acked()
		return m.detaches(group)
	}, "0", "EINVAL"},
	"sendonly-unsupported": {
		seeJoinEx(spec.JoinAttr{CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: group}), "0", "EOPNOTSUPP",
	},
	"sendonly-pretended": {func(w *world) string {
		p := w.mischief()
		w.Expect(p.(spec.Mischief).FailNext(w.ctx, spec.Write, 1, spec.EINVAL)).To(Succeed())
		attr := &spec.JoinAttr{CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: group}
		return spec.Outcome(p.JoinMulticastEx(w.ctx, w.boundOf(p, 0).id, attr, 0))
	}, "EOPNOTSUPP", "0"},
}

// seeJoinEx is the answer of a join with these attributes.
func seeJoinEx(attr spec.JoinAttr) func(w *world) string {
	return func(w *world) string {
		m := w.bound(0)
		return spec.Outcome(m.p.JoinMulticastEx(m.ctx, m.id, &attr, 0))
	}
}

package sim_test

import (
	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfIDs show the quirks of addresses, and of ids with their endpoints and queue pairs, in the library.
var probesOfIDs = map[string]probe{
	"af-ib-assumed": {func(w *world) string {
		p := w.mischief()
		w.Expect(p.(spec.Mischief).FailNext(w.ctx, spec.Write, 1, spec.EINVAL)).To(Succeed()) // the bind that asks
		return spec.Outcome(w.boundOf(p, 0).join(spec.NewSockaddrIB(spec.GID{0: 0xff, 15: 1})))
	}, "EINVAL", "EOPNOTSUPP"},
	"endpoint-without-route": {func(w *world) string {
		m := w.endpoint(spec.EPAttr{PS: spec.PSUDP, QPType: spec.QPTypeUD, Src: w.addrOf(0), Dst: group})
		return spec.Outcome(m.join(group))
	}, "EINVAL", "0"},
	"null-addr-crashes": {seeJoin(nil), "EINVAL", "SIGSEGV"},
	"odd-family-named":  {seeJoin(spec.EmptySockaddr(spec.AFUnix)), "EINVAL", "EAFNOSUPPORT"},
	"self-block-ignored": {func(w *world) string {
		m := w.bound(0)
		attr := spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 1, MaxRecvWR: 1, BlockSelfMcastLB: true}
		_, err := m.p.CreateQP(m.ctx, m.id, attr)
		return spec.Outcome(err)
	}, "EOPNOTSUPP", "0"},
}

package kernel

import (
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// Release is what kernels of some releases, or under an older rdma-core, do otherwise than those of 6.1 under 44.0, and
// no worse: nothing of it breaks the law.
type Release struct {
	asksForSendOnly   bool // whether the subnet administration has send-only members, before one is to be
	keepsSendersLimit bool // of a unicast datagram: rxe's address handle is as the library filled it in
	negatesFullQueue  bool // rxe's provider refuses a work request that has no room with -ENOMEM
	forgetsLostPDs    bool // a protection domain that a lost QP keeps is no longer counted
	keepsLateSends    bool // what is sent on a QP in error stays there, and does not complete
	routesByLoopback  bool // a group's route from the loopback address is one: only its device is found to be of no use

	// A send whose source address has gone ends its QP, and completes not with LOC_QP_OP_ERR but with
	blamesProtection bool // LOC_PROT_ERR
	flushesTheSend   bool // WR_FLUSH_ERR
}

// ReleaseOf is what a kernel does by its release, as in "5.10.262", and by rdma-core's version; of empty ones, what 6.1
// does under 44.0.
func ReleaseOf(kernel, rdmaCore string) Release {
	return Release{
		asksForSendOnly: in("<5.12", kernel), // 633d61021298
		// Seen on 5.10.262, and under 33.2, and on 6.1.192 under 44.0 no more: since e2fe06c90806 a library can name the
		// kernel's address handle.
		keepsSendersLimit: in("<5.16", kernel) || in("<38", rdmaCore),
		// Seen under 33.2, and under 44.0 no more: rdma-core's pull request 1139, of February 2022.
		negatesFullQueue: in("<40", rdmaCore),
		// Seen on 5.10, and on 6.1 no more.
		forgetsLostPDs: in("<5.11", kernel),
		// Seen on 5.10.262, and on 6.1.192 no more; what lies between was not looked at.
		keepsLateSends: in("<5.11", kernel),
		// Seen on 7.2, and on 6.12 not yet: since c31e4038c97f (6.18) an address of the host's own is known by its route.
		routesByLoopback: in(">=6.18", kernel),
		// Seen on 5.10.262 and on 6.12.118 and 7.2.13, and not on 6.1.192; what lies between was not looked at.
		blamesProtection: in("<5.11", kernel),
		flushesTheSend:   in(">=6.2", kernel),
	}
}

// endOfSourceless is how a send completes whose source address has gone.
func (r Release) endOfSourceless() spec.WCStatus {
	switch {
	case r.blamesProtection:
		return spec.WCLocProtErr
	case r.flushesTheSend:
		return spec.WCWRFlushErr
	}
	return spec.WCLocQPOpErr
}

// in tells whether a release is in a range.
func in(text, version string) bool {
	r, err := verdict.ParseRange(text)
	if err != nil {
		panic(err) // the ranges are those of this file
	}
	return r.Contains(version)
}

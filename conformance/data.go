package conformance

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("DAT: delivery to the members", func() {
	It("gives every attached member each message once, behind a GRH", Label("JM-DAT-01"), func(ctx SpecContext) {
		group := rig.NewGroup()
		members := []*rig.QP{
			rig.HostAt(0).MustStart(ctx).MustReceiver(ctx, group),
			rig.HostAt(0).MustStart(ctx).MustReceiver(ctx, group),
			rig.HostAt(1).MustStart(ctx).MustReceiver(ctx, group),
		}
		sender := rig.HostAt(1).MustStart(ctx).BoundID(ctx)
		from := sender.MustCreateQP(ctx)
		sender.MustJoinEx(ctx, group, spec.SendOnlyMember)
		join := sender.MustTakeJoin(ctx, group)

		from.MustSend(ctx, join, []byte("the message"), 1)
		from.MustSend(ctx, join, []byte("the sentinel after it"), 2)

		for _, member := range members {
			message, sentinel := member.MustReceive(ctx), member.MustReceive(ctx)
			Expect(message).To(BeDatagram("the message", 1))
			Expect(sentinel).To(BeDatagram("the sentinel after it", 2), "no second copy stands before it")
			rig.Observe("status", message.Status.String())
			rig.Observe("grh", fmt.Sprint(message.HasGRH))
			rig.Observe("byte_len", rig.NameLength(message.ByteLen, "the message"))
		}
	})
})

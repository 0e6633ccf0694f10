package conformance

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("DAT: delivery on a VLAN", func() {
	It("delivers on a VLAN what is sent there, and not what is sent beside it", Label("JM-DAT-21"),
		func(ctx SpecContext) {
			group := rig.NewGroup()
			member := onVLAN(ctx, 1).MustBecomeReceiver(ctx, group)
			beside := rig.Start(ctx).MustSender(ctx, group)
			sender := onVLAN(ctx, 0).MustBecomeSender(ctx, group)

			beside.MustSay(ctx, group, besideIt)
			sender.MustSay(ctx, group, onIt)

			got := member.Receive(ctx)
			rig.Observe("received", rig.NamePayload(got, onIt))
			Expect(got).To(BePlainDatagram(onIt))
		})

	It("delivers to a member beside the VLAN nothing of what is sent on it", Label("JM-DAT-21"),
		func(ctx SpecContext) {
			group := rig.NewGroup()
			member := rig.HostAt(1).MustStart(ctx).MustReceiver(ctx, group)
			onVLAN(ctx, 1)
			sender := onVLAN(ctx, 0).MustBecomeSender(ctx, group)
			beside := rig.Start(ctx).MustSender(ctx, group)

			sender.MustSay(ctx, group, onIt)
			beside.MustSay(ctx, group, besideIt)

			got := member.Receive(ctx)
			rig.Observe("received", rig.NamePayload(got, besideIt))
			Expect(got).To(BePlainDatagram(besideIt))
		})

	It("may mix up two members of one host, and gives each what is its own", Label("JM-DAT-22"), func(ctx SpecContext) {
		group := rig.NewGroup()
		outer := rig.HostAt(1).MustStart(ctx).MustReceiver(ctx, group)
		inner := onVLAN(ctx, 1).MustBecomeReceiver(ctx, group)
		beside := rig.Start(ctx).MustSender(ctx, group)
		sender := onVLAN(ctx, 0).MustBecomeSender(ctx, group)

		sender.MustSay(ctx, group, onIt)
		beside.MustSay(ctx, group, besideIt)
		sender.MustSay(ctx, group, "the end on the VLAN")
		beside.MustSay(ctx, group, "the end beside it")

		atInner := inner.MustReceiveUntil(ctx, "the end on the VLAN")
		atOuter := outer.MustReceiveUntil(ctx, "the end beside it")
		rig.Observe("inner", rig.NamePayloads(atInner, onIt, besideIt))
		rig.Observe("outer", rig.NamePayloads(atOuter, onIt, besideIt, "the end on the VLAN"))
		Expect(atInner).To(ContainElement(BePlainDatagram(onIt)), "control: on the VLAN")
		Expect(atOuter).To(ContainElement(BePlainDatagram(besideIt)), "control: beside it")
	})
})

// What is sent on the suite's VLAN, and beside it.
const (
	onIt     = "on the VLAN"
	besideIt = "beside the VLAN"
)

// onVLAN is an id of a new application on the host, bound to the host's address on the suite's VLAN.
func onVLAN(ctx context.Context, host int) *rig.ID {
	GinkgoHelper()
	h := rig.HostAt(host)
	_, addr := h.MustAddVLAN(ctx)
	id := h.MustStart(ctx).UnboundID(ctx, spec.PSUDP)
	id.MustBind(ctx, addr)
	return id
}

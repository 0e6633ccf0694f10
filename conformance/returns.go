package conformance

import (
	"net/netip"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

// documentation is an address that no host has (RFC 5737).
var documentation = netip.MustParseAddr("203.0.113.1")

var _ = Describe("RET: return values", func() {
	It("answers every refusal with -1 and a positive errno", Label("JM-RET-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		unbound := id.UnboundID(ctx, spec.PSUDP)
		group := rig.NewGroup()
		for call, err := range map[string]error{
			"unbound":   unbound.Join(ctx, group),
			"null":      id.JoinAddr(ctx, nil, rig.NewContext()),
			"mask":      id.JoinEx(ctx, &spec.JoinAttr{CompMask: 4, Addr: group.Sockaddr()}),
			"leave":     id.Leave(ctx, group),
			"non_local": unbound.BindAddr(ctx, unbound.Handle, spec.NewSockaddr(documentation, 0)),
		} {
			rig.Observe(call, rig.NameRet(err))
			Expect(err).To(FailByConvention(), call)
		}
	})

	It("answers 0 when the join has started; the event comes through the channel", Label("JM-RET-02"),
		func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			group := rig.NewGroup()

			join := id.Join(ctx, group)

			rig.ObserveCall("join", join)
			Expect(join).To(ReturnZero())
			poll := id.PollChannel(ctx, id.Channel)
			rig.ObserveCall("poll", poll)
			Expect(poll).To(ReturnZero(), "the channel becomes readable")
			event, err := id.TryGetEvent(ctx)
			rig.Observe("event", event.Type.String())
			Expect(err).To(ReturnZero(), "the event is there without waiting")
			Expect(event).To(BeJoin(group.GID()))
		})
})

package conformance

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("RET: return values", func() {
	refusals := []struct {
		of   string
		call func(ctx SpecContext) error
	}{
		{"a join on an unbound id", func(ctx SpecContext) error {
			return rig.UnboundID(ctx).Join(ctx, rig.NewGroup())
		}},
		{"a join without an address", func(ctx SpecContext) error {
			return rig.BoundID(ctx).JoinAddr(ctx, nil, rig.NewContext())
		}},
		{"a join_ex with an unknown comp_mask", func(ctx SpecContext) error {
			return rig.BoundID(ctx).JoinEx(ctx, &spec.JoinAttr{CompMask: 4, Addr: rig.NewGroup().Sockaddr()})
		}},
		{"a leave of a group never joined", func(ctx SpecContext) error {
			return rig.BoundID(ctx).Leave(ctx, rig.NewGroup())
		}},
	}
	for _, refusal := range refusals {
		It("answers -1 and a positive errno to "+refusal.of, Label("JM-RET-01"), func(ctx SpecContext) {
			err := refusal.call(ctx)

			rig.Observe("ret", rig.NameRet(err))
			Expect(err).To(FailByConvention())
		})
	}

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

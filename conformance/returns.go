package conformance

import (
	"fmt"
	"net/netip"
	"strconv"

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

	It("hands on why the kernel could not be asked", Label("JM-RET-03"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		id := p.BoundID(ctx)
		old := p.MustSetFD(ctx, id.Channel, noFD)

		err := id.Join(ctx, rig.NewGroup())

		p.MustSetFD(ctx, id.Channel, old)
		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.EBADF))
		id.MustReachPort(ctx) // control: with its own file the id joins
	})

	It("says so when there is no memory for a membership", Label("JM-RET-04"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		id := p.BoundID(ctx)
		p.MustFailNext(ctx, spec.Calloc, 0, spec.ENOMEM)

		err := id.Join(ctx, rig.NewGroup())

		rig.ObserveCall("join", err)
		Expect(err).To(FailWith(spec.ENOMEM))
		id.MustReachPort(ctx) // control: with memory the id joins
	})

	It("takes back a join whose answer it cannot hand over", Label("JM-RET-05"), func(ctx SpecContext) {
		id := rig.StartMischief(ctx).MustRawID(ctx)
		group, next := rig.NewGroup(), rig.NewRawJoin(rig.NewGroup())
		lost := rig.NewRawJoin(group)
		lost.Unmapped = true

		_, err := id.Join(ctx, lost)

		rig.ObserveCall("join", err)
		users := fmt.Sprint(rig.HostAt(0).IGMPUsers(ctx, group))
		rig.Observe("igmp", users)
		id.MustJoin(ctx, next)
		event := id.MustGetRawEvent(ctx, id.File)
		rig.Observe("event", rig.NameContext(spec.Context(event.UID), spec.Context(next.UID)))
		Expect(err).To(FailWith(spec.EFAULT))
		Expect(users).To(Be("users of the group", "[0]"))
		Expect(event).To(Be("the file's first event", rig.RawEvent{UID: next.UID, Type: spec.MulticastJoin}))
	})

	It("uses nothing that such a join has freed", Label("JM-RET-06"), func(ctx SpecContext) {
		id := rig.StartMischief(ctx).MustRawID(ctx)
		host := rig.HostAt(0)
		before := host.MustObserve(ctx).KernelLog
		outcomes := map[string]bool{}
		for range lostAnswers {
			lost := rig.NewRawJoin(rig.NewGroup())
			lost.Unmapped = true
			_, err := id.Join(ctx, lost)
			outcomes[spec.Outcome(err)] = true
		}

		id.MustJoin(ctx, rig.NewRawJoin(rig.NewGroup()))
		id.MustGetRawEvent(ctx, id.File) // the events of the others, if any, would have come before

		after := host.MustObserve(ctx).KernelLog
		rig.Observe("join", rig.NameOutcomes(outcomes))
		rig.Observe("log", strconv.Itoa(len(after)-len(before)))
		Expect(outcomes).To(Equal(map[string]bool{"EFAULT": true}))
		Expect(after).To(HaveLen(len(before)), "the kernel's log tells of no defect")
	})

	It("tells of a failure by a negative errno in the event", Label("JM-RET-07"), func(ctx SpecContext) {
		rig.HostAt(0).MustRouteElsewhere(ctx)
		id := rig.UnboundID(ctx)
		Expect(id.Resolve(ctx, nil, rig.NewGroup())).To(ReturnZero())

		event := id.MustGetEvent(ctx)

		rig.Observe("status", rig.NameStatus(event.Status))
		Expect(event).To(BeFailure(spec.AddrError, spec.ENODEV))
	})
})

// noFD is no file descriptor.
const noFD = -1

// lostAnswers is how often a freed membership gets its chance to be used.
const lostAnswers = 64

package conformance

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("ENV: the device, the process and its files", func() {
	It("makes neither channel nor id without an RDMA device", Label("JM-ENV-01"), func(ctx SpecContext) {
		rig.HostAt(0).MustRemoveDevices(ctx)
		p := rig.Start(ctx)

		_, channel := p.CreateEventChannel(ctx)
		_, id := p.CreateID(ctx, 0, 0, spec.PSUDP)

		rig.ObserveCall("channel", channel)
		rig.ObserveCall("id", id)
		Expect(channel).To(ReturnNULL(spec.ENODEV))
		Expect(id).To(FailWith(spec.ENODEV))
	})

	It("refuses a join in a fork's child", Label("JM-ENV-02"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		id := p.BoundID(ctx)

		child := p.JoinInChild(ctx, id.Handle, rig.NewGroup().Sockaddr())

		rig.ObserveCall("child", child)
		Expect(child).To(FailWith(spec.EACCES))
		id.MustReachPort(ctx) // control: the parent joins
	})

	It("refuses a join of a process that has changed its credentials", Label("JM-ENV-02"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		id := p.BoundID(ctx)
		id.MustReachPort(ctx) // control: before the change it joins
		p.MustSetEUID(ctx, nobody)

		away := id.Join(ctx, rig.NewGroup())

		p.Forsake()
		rig.ObserveCall("away", away)
		Expect(away).To(FailWith(spec.EACCES))
	})

	It("leaves neither membership nor event behind when it refuses", Label("JM-ENV-03"), func(ctx SpecContext) {
		id := rig.UnboundID(ctx)
		group := rig.NewGroup()

		join := id.Join(ctx, group)

		leave := id.Leave(ctx, group)
		rig.Control("JM-BIND-05", id.Resolve(ctx, id.Addr(ctx), group), "the same id goes on")
		next := id.MustGetEvent(ctx)
		rig.ObserveCall("join", join)
		rig.ObserveCall("leave", leave)
		rig.Observe("next", next.Type.String())
		Expect(join).To(FailWith(spec.EINVAL))
		Expect(leave).To(FailWith(spec.EADDRNOTAVAIL))
		Expect(next).To(BeEvent(spec.AddrResolved), "the id's first event is of the call after the join")
	})

	It("refuses a command it does not know", Label("JM-ENV-04"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		file := p.MustOpenRaw(ctx)

		_, err := p.WriteRaw(ctx, file, spec.RawCommand{Cmd: noCommand, In: make(spec.Bytes, 8), Room: 8})

		rig.ObserveCall("command", err)
		Expect(err).To(FailWith(spec.EINVAL))
		p.MustRawIDOn(ctx, file) // control: on the same file, commands that it knows
	})

	It("may find a device that comes after it was missed, and a new process does", Label("JM-ENV-05"),
		func(ctx SpecContext) {
			restore := rig.HostAt(0).MustRemoveDevices(ctx)
			early := rig.Start(ctx)
			_, missed := early.CreateEventChannel(ctx)
			Expect(missed).To(ReturnNULL(spec.ENODEV))
			restore(ctx)

			_, found := early.CreateEventChannel(ctx)

			rig.ObserveCall("found", found)
			Expect(spec.Outcome(found)).To(BeElementOf("0", "ENODEV"))
			rig.BoundID(ctx).MustReachPort(ctx) // control: a new process joins
		})

	It("goes on refusing when the credentials are changed back", Label("JM-ENV-06"), func(ctx SpecContext) {
		p := rig.StartMischief(ctx)
		id := p.BoundID(ctx)
		id.MustReachPort(ctx) // control: before the change it joins
		p.MustSetEUID(ctx, nobody)
		p.MustSetEUID(ctx, root)

		back := id.Join(ctx, rig.NewGroup())

		p.Forsake()
		rig.ObserveCall("back", back)
		Expect(back).To(FailWith(spec.EACCES))
		rig.BoundID(ctx).MustReachPort(ctx) // control: a process that never changed them joins
	})
})

// Users of any Linux host.
const (
	root   = 0
	nobody = 65534
)

// noCommand is beyond the last command of the rdma_cm device.
const noCommand = 1000

package conformance

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
)

var _ = Describe("VRB: attaching by hand", func() {
	It("answers 0, or a positive errno", Label("JM-VRB-01"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group, never := rig.NewGroup(), rig.NewGroup()

		attach := qp.AttachTo(ctx, group)
		detach := id.DetachMulticast(ctx, qp.Handle, group.GID(), group.MLID())
		refusedAttach := qp.Attach(ctx, spec.GID{}, 0)
		refusedDetach := id.DetachMulticast(ctx, qp.Handle, never.GID(), never.MLID())

		rig.Observe("attach", rig.NameRet(attach))
		rig.Observe("detach", rig.NameRet(detach))
		rig.Observe("refused_attach", rig.NameSign(refusedAttach))
		rig.Observe("refused_detach", rig.NameSign(refusedDetach))
		Expect(attach).To(ReturnZero())
		Expect(detach).To(ReturnZero())
		Expect(rig.NameSign(refusedAttach)).To(Equal("errno"), "the errno itself, positive")
		Expect(rig.NameSign(refusedDetach)).To(Equal("errno"), "the errno itself, positive")
	})

	It("refuses a GID that is not multicast", Label("JM-VRB-02"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		unicast := spec.MGIDOf(id.Addr(ctx).Addr())

		zero := qp.Attach(ctx, spec.GID{}, 0)
		own := qp.Attach(ctx, unicast, 0)

		rig.ObserveCall("zero", zero)
		rig.ObserveCall("unicast", own)
		rig.Control("JM-VRB-01", qp.AttachTo(ctx, rig.NewGroup()), "the QP attaches to a group")
		Expect(zero).To(ReturnErrno(spec.EINVAL), "the zero GID")
		Expect(own).To(ReturnErrno(spec.EINVAL), "a unicast GID")
	})

	It("refuses a QP that is not UD", Label("JM-VRB-02"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		connected := p.UnboundID(ctx, spec.PSTCP)
		connected.MustBind(ctx, p.Addr(ctx))
		rc := connected.MustCreateQPOf(ctx, spec.QPTypeRC)
		ud := p.BoundID(ctx).MustCreateQP(ctx)
		group := rig.NewGroup()

		attach := rc.AttachTo(ctx, group)

		rig.ObserveCall("rc", attach)
		rig.Control("JM-VRB-01", ud.AttachTo(ctx, group), "a UD QP attaches to the group")
		Expect(attach).To(ReturnErrno(spec.EINVAL))
	})

	It("attaches nothing where the device has no multicast", Label("JM-VRB-05"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		id := p.UnboundID(ctx, spec.PSTCP)
		id.MustBind(ctx, p.Addr(ctx))
		qp := id.MustCreateQPOf(ctx, spec.QPTypeRC) // the only kind of QP there is

		attach := qp.AttachTo(ctx, rig.NewGroup())

		rig.ObserveCall("attach", attach)
		Expect(attach).To(ReturnErrno(spec.EOPNOTSUPP))
	})

	It("attaches a QP once, however often it is asked to", Label("JM-VRB-03"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()

		first, second := qp.AttachTo(ctx, group), qp.AttachTo(ctx, group)
		detach := id.DetachMulticast(ctx, qp.Handle, group.GID(), group.MLID())
		again := id.DetachMulticast(ctx, qp.Handle, group.GID(), group.MLID())

		rig.ObserveCall("first", first)
		rig.ObserveCall("second", second)
		rig.ObserveCall("detach", detach)
		rig.ObserveCall("again", again)
		Expect(first).To(ReturnZero())
		Expect(second).To(ReturnZero())
		Expect(detach).To(ReturnZero())
		Expect(again).To(ReturnErrno(spec.EINVAL), "one detach has undone both")
	})

	It("may tell attaches of one group apart by their MLID on Ethernet", Label("JM-VRB-04"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		group := rig.NewGroup()
		const mlid, otherMLID = 0xC001, 0xC002
		attach := qp.Attach(ctx, group.GID(), mlid)

		other := id.DetachMulticast(ctx, qp.Handle, group.GID(), otherMLID)

		rig.ObserveCall("attach", attach)
		rig.ObserveCall("other_mlid", other)
		rig.Control("JM-VRB-06", attach, "the QP is attached")
		Expect(spec.Outcome(other)).To(BeElementOf("EINVAL", "0"))
		Expect(id.DetachMulticast(ctx, qp.Handle, rig.NewGroup().GID(), mlid)).
			To(ReturnErrno(spec.EINVAL), "control: no group but the attached one is detached")
	})

	It("takes any MLID on Ethernet", Label("JM-VRB-06"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		for _, mlid := range []uint16{0, 1, 0xBFFF, 0xC000, 0xFFFE, 0xFFFF} {
			group := rig.NewGroup()

			attach := qp.Attach(ctx, group.GID(), mlid)
			detach := id.DetachMulticast(ctx, qp.Handle, group.GID(), mlid)

			rig.ObserveCall(fmt.Sprintf("mlid_%04x", mlid), attach)
			Expect(attach).To(ReturnZero(), "MLID %#04x", mlid)
			Expect(detach).To(ReturnZero(), "MLID %#04x", mlid)
		}
		Expect(qp.Attach(ctx, spec.GID{}, 0)).To(ReturnErrno(spec.EINVAL), "control: it is the MGID that is looked at")
	})

	It("refuses to detach what is not attached", Label("JM-VRB-08"), func(ctx SpecContext) {
		p := rig.Start(ctx)
		id := p.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		other := p.BoundID(ctx).MustCreateQP(ctx)
		group, attached := rig.NewGroup(), rig.NewGroup()
		rig.Control("JM-VRB-01", qp.AttachTo(ctx, attached), "the QP is attached to another group")
		rig.Control("JM-VRB-01", other.AttachTo(ctx, group), "another QP is attached to the group")

		detach := id.DetachMulticast(ctx, qp.Handle, group.GID(), group.MLID())

		rig.ObserveCall("detach", detach)
		Expect(detach).To(ReturnErrno(spec.EINVAL))
		Expect(other.Probe(ctx, group)).To(ReturnZero(), "control: the other QP is still attached")
	})

	It("takes a LID of the multicast range on InfiniBand, and no other", Label("JM-VRB-07"), func(ctx SpecContext) {
		id := rig.BoundID(ctx)
		qp := id.MustCreateQP(ctx)
		for _, mlid := range []uint16{0, 0xBFFF, 0xC000, 0xFFFE, 0xFFFF} {
			group := rig.NewGroup()

			attach := qp.Attach(ctx, group.GID(), mlid)

			rig.ObserveCall(fmt.Sprintf("mlid_%04x", mlid), attach)
			if mlid < 0xC000 || mlid == 0xFFFF {
				Expect(attach).To(ReturnErrno(spec.EINVAL), "MLID %#04x", mlid)
			} else {
				Expect(attach).To(ReturnZero(), "MLID %#04x", mlid)
			}
		}
	})
})

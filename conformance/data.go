package conformance

import (
	"fmt"
	"strings"

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
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)

		sender.MustSend(ctx, group, "the message", 1)
		sender.MustSend(ctx, group, "the sentinel after it", 2)

		for _, member := range members {
			message, sentinel := member.MustReceive(ctx), member.MustReceive(ctx)
			Expect(message).To(BeDatagram("the message", 1))
			Expect(sentinel).To(BeDatagram("the sentinel after it", 2), "no second copy stands before it")
			rig.Observe("status", message.Status.String())
			rig.Observe("grh", fmt.Sprint(message.HasGRH))
			rig.Observe("byte_len", rig.NameLength(message.ByteLen, "the message"))
		}
	})

	It("gives two QPs of one process a copy each", Label("JM-DAT-01"), func(ctx SpecContext) {
		group := rig.NewGroup()
		p := rig.Start(ctx)
		members := []*rig.QP{p.MustReceiver(ctx, group), p.MustReceiver(ctx, group)}
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)

		sender.MustSay(ctx, group, "the message")
		sender.MustSay(ctx, group, "the sentinel")

		for _, member := range members {
			message, sentinel := member.MustReceive(ctx), member.MustReceive(ctx)
			Expect(message).To(BePlainDatagram("the message"))
			Expect(sentinel).To(BePlainDatagram("the sentinel"), "no second copy stands before it")
			rig.Observe("status", message.Status.String())
			rig.Observe("grh", fmt.Sprint(message.HasGRH))
			rig.Observe("byte_len", rig.NameLength(message.ByteLen, "the message"))
		}
	})

	It("gives the sender's own attached QP a copy", Label("JM-DAT-02"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)

		member.MustSay(ctx, group, "to myself too")
		sender.MustSay(ctx, group, "the sentinel")

		own, sentinel := member.Receive(ctx), member.Receive(ctx)
		rig.Observe("own", rig.NamePayload(own, "to myself too"))
		Expect(own).To(BePlainDatagram("to myself too"))
		Expect(sentinel).To(BePlainDatagram("the sentinel"), "no second copy stands before it")
	})

	It("carries an empty payload", Label("JM-DAT-03"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)

		sender.MustSay(ctx, group, "")

		got := member.Receive(ctx)
		rig.Observe("status", got.Status.String())
		rig.Observe("byte_len", rig.NameLength(got.ByteLen, ""))
		Expect(got).To(BePlainDatagram(""))
	})

	It("does not count what pads a payload", Label("JM-DAT-04"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		for _, payload := range []string{"1", "12", "123", "1234"} {
			sender.MustSay(ctx, group, payload)

			got := member.MustReceive(ctx)
			rig.Observe("byte_len", rig.NameLength(got.ByteLen, payload))
			Expect(got).To(BePlainDatagram(payload))
		}
	})

	It("carries a payload of the whole path MTU", Label("JM-DAT-05"), func(ctx SpecContext) {
		group := rig.NewGroup()
		mtu := rig.HostAt(0).PathMTU(ctx)
		member := rig.Start(ctx).MustReceiverOf(ctx, 1, mtu, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		payload := strings.Repeat("0123456789abcdef", mtu/16)

		sender.MustSay(ctx, group, payload)

		got := member.Receive(ctx)
		rig.Observe("status", got.Status.String())
		rig.Observe("byte_len", rig.NameLength(got.ByteLen, payload))
		Expect(got).To(BePlainDatagram(payload))
	})

	It("delivers nothing of a payload longer than the path MTU", Label("JM-DAT-06"), func(ctx SpecContext) {
		group := rig.NewGroup()
		mtu := rig.HostAt(0).PathMTU(ctx)
		member := rig.Start(ctx).MustReceiverOf(ctx, 1, 2*mtu, group)
		p := rig.HostAt(1).MustStart(ctx)
		sender, after := p.MustSender(ctx, group), p.MustSender(ctx, group) // an error may end the first one's QP

		sent := sender.Post(ctx, sender.Towards(group.GID()), rig.ToMembers(make([]byte, mtu+1)))
		after.MustSay(ctx, group, "the sentinel")

		got := member.MustReceive(ctx)
		rig.Observe("sent", sent.Status.String())
		rig.Observe("received", rig.NamePayload(got, "the sentinel"))
		Expect(got).To(BePlainDatagram("the sentinel"))
	})

	It("puts the header with the group and the sender before the payload", Label("JM-DAT-07"),
		func(ctx SpecContext) {
			group := rig.NewGroup()
			member := rig.Start(ctx).MustReceiver(ctx, group)
			p := rig.HostAt(1).MustStart(ctx)
			sender, address := p.MustSender(ctx, group), p.GID()

			sender.MustSay(ctx, group, "the message")

			got := member.MustReceive(ctx)
			from, to := rig.Endpoints(got.GRH)
			rig.Observe("from", rig.NameEndpoint(from, group, address))
			rig.Observe("to", rig.NameEndpoint(to, group, address))
			Expect(got).To(BePlainDatagram("the message"))
			Expect(from).To(Be("the header's source", address))
			Expect(to).To(Be("the header's destination", group.GID()))
		})

	It("names the QP that sent, so that an answer finds it", Label("JM-DAT-08"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		p := rig.HostAt(1).MustStart(ctx)
		p.MustReceiver(ctx, group) // another QP, so that the sender's number is not the first one
		sender := p.MustReceiver(ctx, group)
		sender.MustSay(ctx, group, "a question")
		question, own := member.MustReceive(ctx), sender.MustReceive(ctx)
		Expect(own).To(BePlainDatagram("a question"), "control: the sender hears itself first")

		member.MustPost(ctx, member.Back(question), spec.SendWR{
			RemoteQPN: question.SrcQP, QKey: spec.UDPQKey, Data: spec.Bytes("an answer"),
		})

		got := sender.Receive(ctx)
		rig.Observe("answer", rig.NamePayload(got, "an answer"))
		Expect(got).To(BePlainDatagram("an answer"))
	})

	It("carries immediate data", Label("JM-DAT-09"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		for _, imm := range []uint32{0, 1, 0x12345678, 0xffffffff} {
			sender.MustSend(ctx, group, "the message", imm)

			got := member.MustReceive(ctx)
			rig.Observe("imm", rig.NameImm(got.Imm, imm))
			Expect(got).To(BeDatagram("the message", imm))
		}
	})

	It("tells of no immediate data when none was sent", Label("JM-DAT-10"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		sender.MustSend(ctx, group, "with", 7)
		sender.MustSay(ctx, group, "without")

		with, without := member.MustReceive(ctx), member.MustReceive(ctx)
		rig.Observe("imm", rig.NameImm(without.Imm, 7))
		Expect(with).To(BeDatagram("with", 7), "control: immediate data is told when it was sent")
		Expect(without).To(BePlainDatagram("without"))
	})

	It("drops what finds no buffer and delivers the next", Label("JM-DAT-11"), func(ctx SpecContext) {
		group := rig.NewGroup()
		p := rig.Start(ctx)
		member, witness := p.MustReceiverOf(ctx, 0, 0, group), p.MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		sender.MustSay(ctx, group, "nobody is ready for this")
		Expect(witness.MustReceive(ctx)).To(BePlainDatagram("nobody is ready for this"), "control: it came to this host")

		member.MustPostRecv(ctx, 1, 64)
		sender.MustSay(ctx, group, "the next one")

		got := member.Receive(ctx)
		rig.Observe("received", rig.NamePayload(got, "the next one"))
		Expect(got).To(BePlainDatagram("the next one"))
	})

	It("hears a sender that is no member", Label("JM-DAT-12"), func(ctx SpecContext) {
		group, elsewhere := rig.NewGroup(), rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		stranger := rig.HostAt(1).MustStart(ctx).MustSender(ctx, elsewhere)

		stranger.MustSay(ctx, group, "from outside")

		got := member.Receive(ctx)
		rig.Observe("received", rig.NamePayload(got, "from outside"))
		Expect(got).To(BePlainDatagram("from outside"))
	})

	It("tells two groups of one QP apart by the header", Label("JM-DAT-13"), func(ctx SpecContext) {
		first, second := rig.NewGroup(), rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, first, second)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, first, second)

		sender.MustSay(ctx, first, "to the first")
		sender.MustSay(ctx, second, "to the second")

		toFirst, toSecond := member.MustReceive(ctx), member.MustReceive(ctx)
		_, one := rig.Endpoints(toFirst.GRH)
		_, other := rig.Endpoints(toSecond.GRH)
		rig.Observe("first", rig.NameEndpoint(one, first, spec.GID{}))
		rig.Observe("second", rig.NameEndpoint(other, second, spec.GID{}))
		Expect(toFirst).To(BePlainDatagram("to the first"))
		Expect(toSecond).To(BePlainDatagram("to the second"))
		Expect(one).To(Be("the first header's destination", first.GID()))
		Expect(other).To(Be("the second header's destination", second.GID()))
	})

	It("delivers nothing to members of another group with the same link-layer address", Label("JM-DAT-14"),
		func(ctx SpecContext) {
			group, twin := rig.NewTwins()
			member := rig.Start(ctx).MustReceiver(ctx, group)
			p := rig.HostAt(1).MustStart(ctx)
			witness, sender := p.MustReceiver(ctx, twin), p.MustSender(ctx, group, twin)

			sender.MustSay(ctx, twin, "to the twin")
			sender.MustSay(ctx, group, "to the group")

			got := member.MustReceive(ctx)
			rig.Observe("received", rig.NamePayload(got, "to the group"))
			Expect(got).To(BePlainDatagram("to the group"))
			Expect(witness.MustReceive(ctx)).To(BePlainDatagram("to the twin"), "control: it was sent")
		})

	It("tells groups with the same link-layer address apart within a host", Label("JM-DAT-14"), func(ctx SpecContext) {
		group, twin := rig.NewTwins()
		p := rig.Start(ctx)
		member, witness := p.MustReceiver(ctx, group), p.MustReceiver(ctx, twin)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, twin)

		sender.MustSay(ctx, twin, "to the twin")
		sender.MustSay(ctx, group, "to the group")

		got := member.MustReceive(ctx)
		rig.Observe("received", rig.NamePayload(got, "to the group"))
		Expect(got).To(BePlainDatagram("to the group"))
		Expect(witness.MustReceive(ctx)).To(BePlainDatagram("to the twin"), "control: it came to this host")
	})

	It("gives a QP that has joined twice one copy", Label("JM-DAT-15"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group, group)

		expectOneCopy(ctx, member, group)
	})

	It("gives a QP that is attached by hand too one copy", Label("JM-DAT-15"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		Expect(member.AttachTo(ctx, group)).To(ReturnZero(), "control: attaching again is no error")

		expectOneCopy(ctx, member, group)
	})

	It("keeps from a QP what it sends itself if the QP is made so", Label("JM-DAT-16"), func(ctx SpecContext) {
		group := rig.NewGroup()
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		deaf := rig.UDAttr()
		deaf.BlockSelfMcastLB = true

		p := rig.Start(ctx)

		heard := p.Echo(ctx, deaf, group, sender)

		rig.Observe("heard", heard)
		Expect(p.Echo(ctx, rig.UDAttr(), group, sender)).To(Equal("own"), "control: a QP hears itself else")
		Expect(heard).To(BeElementOf("none", "EOPNOTSUPP"))
	})

	It("promises nothing to a QP that is attached and has not joined", Label("JM-DAT-17"), func(ctx SpecContext) {
		group, joined := rig.NewGroup(), rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, joined)
		Expect(member.AttachTo(ctx, group)).To(ReturnZero(), "control: the QP is attached")
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group, joined)

		sender.MustSay(ctx, group, "to the group not joined")
		sender.MustSay(ctx, joined, "to the group joined")

		unjoined := member.MustReceiveUntil(ctx, "to the group joined")
		rig.Observe("unjoined", rig.NamePayloads(unjoined, "to the group not joined"))
		Expect(len(unjoined)).To(BeNumerically("<=", 1), "at most one copy")
		member.ID().MustBeMember(ctx, group)
		sender.MustSay(ctx, group, "to the group joined by now")
		Expect(member.MustReceive(ctx)).To(BePlainDatagram("to the group joined by now"), "control: what is promised")
	})

	It("drops what carries another queue key", Label("JM-DAT-18"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		wrong := rig.ToMembers([]byte("with another queue key"))
		wrong.QKey++

		sender.MustPost(ctx, sender.Towards(group.GID()), wrong)
		sender.MustSay(ctx, group, "with the group's queue key")

		got := member.MustReceive(ctx)
		rig.Observe("received", rig.NamePayload(got, "with the group's queue key"))
		Expect(got).To(BePlainDatagram("with the group's queue key"))
	})

	It("goes on when a link that was cut is back", Label("JM-DAT-19"), func(ctx SpecContext) {
		group := rig.NewGroup()
		member := rig.Start(ctx).MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)
		sender.MustSay(ctx, group, "before")
		Expect(member.MustReceive(ctx)).To(BePlainDatagram("before"), "control: delivery before the cut")
		host := rig.HostAt(0)
		restore := host.MustConfigure(ctx, spec.Change{
			SetLink: &spec.LinkChange{Netdev: host.Port(ctx).Netdev, Up: false},
		})

		restore(ctx)
		sender.MustSay(ctx, group, "after")

		got := member.Receive(ctx)
		rig.Observe("after", rig.NamePayload(got, "after"))
		Expect(got).To(BePlainDatagram("after"))
	})

	It("puts no part of a datagram into a buffer that is too small for it", Label("JM-DAT-20"), func(ctx SpecContext) {
		group := rig.NewGroup()
		p := rig.Start(ctx)
		member, witness := p.MustReceiverOf(ctx, 1, len("short"), group), p.MustReceiver(ctx, group)
		sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)

		sender.MustSay(ctx, group, "too long for it")
		sender.MustSay(ctx, group, "short")

		got, whole := member.MustReceive(ctx), witness.MustReceive(ctx)
		rig.Observe("buffer", rig.NamePayload(got, "short"))
		rig.Observe("witness", rig.NamePayload(whole, "too long for it"))
		Expect(whole).To(BePlainDatagram("too long for it"), "control: the others' buffers are their own")
		Expect(got).To(Or(BePlainDatagram("short"), EndWith(spec.WCLocLenErr)))
	})
})

// expectOneCopy expects that a member gets one copy of a message from the other host, and the next message after it.
func expectOneCopy(ctx SpecContext, member *rig.QP, group rig.Group) {
	GinkgoHelper()
	sender := rig.HostAt(1).MustStart(ctx).MustSender(ctx, group)

	sender.MustSay(ctx, group, "the message")
	sender.MustSay(ctx, group, "the sentinel")

	message, next := member.MustReceive(ctx), member.MustReceive(ctx)
	rig.Observe("next", rig.NamePayload(next, "the sentinel"))
	Expect(message).To(BePlainDatagram("the message"))
	Expect(next).To(BePlainDatagram("the sentinel"))
}

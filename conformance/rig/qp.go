package rig

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/conformance/match"
	"joinmcast/spec"
)

// QP is the UD queue pair of an id.
type QP struct {
	id       *ID
	Handle   spec.QP
	way      spec.AHAttr         // to one of the groups of a receiver or a sender
	attached map[spec.GID]uint16 // attached by hand and not detached: group and MLID
}

// workRequests is room enough for every spec, in each direction.
const workRequests = 16

// UDAttr is the kind of QP the law speaks of.
func UDAttr() spec.QPInitAttr {
	return spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: workRequests, MaxRecvWR: workRequests}
}

// MustCreateQP gives the id a UD QP.
func (id *ID) MustCreateQP(ctx context.Context) *QP {
	ginkgo.GinkgoHelper()
	return id.MustCreateQPOf(ctx, spec.QPTypeUD)
}

// MustCreateQPOf gives the id a QP of this type.
func (id *ID) MustCreateQPOf(ctx context.Context, t spec.QPType) *QP {
	ginkgo.GinkgoHelper()
	attr := UDAttr()
	attr.Type = t
	qp, err := id.newQP(ctx, attr)
	must(err, leansOnBind)
	return qp
}

func (id *ID) newQP(ctx context.Context, attr spec.QPInitAttr) (*QP, error) {
	handle, err := id.CreateQP(ctx, id.Handle, attr)
	if err != nil {
		return nil, err
	}
	id.qp = &QP{id: id, Handle: handle, attached: map[spec.GID]uint16{}}
	return id.qp, nil
}

// MustDestroyQP detaches what was attached by hand and destroys the id's QP.
func (id *ID) MustDestroyQP(ctx context.Context) {
	ginkgo.GinkgoHelper()
	inOrder := func(a, b spec.GID) int { return bytes.Compare(a[:], b[:]) } // the same seed gives the same calls
	for _, group := range slices.SortedFunc(maps.Keys(id.qp.attached), inOrder) {
		err := id.DetachMulticast(ctx, id.qp.Handle, group, id.qp.attached[group])
		if !spec.Answered(err) { // a leave may have detached it: EINVAL is no fault here
			must(err, leansOnAttach)
		}
	}
	must(id.DestroyOwnQP(ctx), leansOnCleanOrder)
}

// DestroyOwnQP destroys the id's QP as it is.
func (id *ID) DestroyOwnQP(ctx context.Context) error {
	err := id.DestroyQP(ctx, id.Handle)
	if err == nil {
		id.qp = nil
	}
	return err
}

// MustReceiver makes a bound id whose QP is attached to the groups by joins, with room for a few datagrams.
func (p *Process) MustReceiver(ctx context.Context, groups ...Group) *QP {
	ginkgo.GinkgoHelper()
	return p.MustReceiverOf(ctx, receiverRoom, receiverPayload, groups...)
}

// MustPostRoom posts buffers for a few datagrams.
func (q *QP) MustPostRoom(ctx context.Context) {
	ginkgo.GinkgoHelper()
	q.postRoom(ctx, receiverRoom, receiverPayload)
}

func (q *QP) postRoom(ctx context.Context, buffers, payload int) {
	ginkgo.GinkgoHelper()
	for i := range buffers {
		q.MustPostRecv(ctx, uint64(i)+1, payload)
	}
}

// What MustPostRoom posts: buffers, and bytes of payload in each.
const (
	receiverRoom    = 4
	receiverPayload = 256
)

// MustReceiverOf makes a receiver with so many buffers, each for so many bytes of payload.
func (p *Process) MustReceiverOf(ctx context.Context, room, payload int, groups ...Group) *QP {
	ginkgo.GinkgoHelper()
	return p.BoundID(ctx).becomeReceiver(ctx, room, payload, groups...)
}

// MustBecomeReceiver is MustReceiver of an id that is bound already.
func (id *ID) MustBecomeReceiver(ctx context.Context, groups ...Group) *QP {
	ginkgo.GinkgoHelper()
	return id.becomeReceiver(ctx, receiverRoom, receiverPayload, groups...)
}

func (id *ID) becomeReceiver(ctx context.Context, room, payload int, groups ...Group) *QP {
	ginkgo.GinkgoHelper()
	qp := id.MustCreateQP(ctx)
	qp.postRoom(ctx, room, payload)
	for _, group := range groups {
		qp.way = id.MustBeMember(ctx, group).UD.AH
		Control(leansOnAutoAttach, qp.Probe(ctx, group), "the receiver is attached")
	}
	return qp
}

// ID is the id that the QP belongs to.
func (q *QP) ID() *ID { return q.id }

// Attach attaches the QP to a group by hand, as a program without an id's QP does.
func (q *QP) Attach(ctx context.Context, group spec.GID, mlid uint16) error {
	err := q.id.AttachMulticast(ctx, q.Handle, group, mlid)
	if err == nil {
		q.attached[group] = mlid
	}
	return err
}

// AttachTo attaches the QP to a group by hand.
func (q *QP) AttachTo(ctx context.Context, group Group) error {
	return q.Attach(ctx, group.GID(), group.MLID())
}

// DetachFrom detaches the QP from a group by hand.
func (q *QP) DetachFrom(ctx context.Context, group Group) error {
	return q.Detach(ctx, group.GID(), group.MLID())
}

// Detach detaches the QP from a group by hand.
func (q *QP) Detach(ctx context.Context, group spec.GID, mlid uint16) error {
	err := q.id.DetachMulticast(ctx, q.Handle, group, mlid)
	if err == nil {
		delete(q.attached, group)
	}
	return err
}

// Probe answers whether the QP is attached to a group, the only way the interface offers: detaching says 0 when it was
// and EINVAL when it was not. What was attached is attached again.
func (q *QP) Probe(ctx context.Context, group Group) error {
	ginkgo.GinkgoHelper()
	answer := q.id.DetachMulticast(ctx, q.Handle, group.GID(), group.MLID())
	if answer == nil {
		gomega.Expect(q.id.AttachMulticast(ctx, q.Handle, group.GID(), group.MLID())).To(match.ReturnZero(),
			"attach again what the probe detached")
	}
	return answer
}

// MustPostRecv posts a buffer for a payload of so many bytes.
func (q *QP) MustPostRecv(ctx context.Context, wrid uint64, payload int) {
	ginkgo.GinkgoHelper()
	must(q.id.PostRecv(ctx, q.Handle, spec.RecvWR{WRID: wrid, Size: uint32(spec.GRHBytes + payload)}), leansOnData)
}

// leansOnData is the requirement that steps of the data path lean on.
const leansOnData = "JM-DAT-01"

// MustSend sends a payload with immediate data to the group of a JOIN event, and waits until it has left.
func (q *QP) MustSend(ctx context.Context, join spec.Event, payload []byte, imm uint32) {
	ginkgo.GinkgoHelper()
	q.MustPost(ctx, join.UD.AH, spec.SendWR{
		RemoteQPN: join.UD.QPNum, QKey: join.UD.QKey, Imm: &imm, Data: payload,
	})
}

// MustReceive waits for the next datagram.
func (q *QP) MustReceive(ctx context.Context) spec.Completion {
	ginkgo.GinkgoHelper()
	got, err := q.id.WaitCompletion(ctx, q.Handle, spec.RecvQueue)
	must(err, leansOnData)
	return got
}

// Receive waits for the datagram that the spec is about: that none comes is the spec's own failure, and not that of a
// step that it leans on.
func (q *QP) Receive(ctx context.Context) spec.Completion {
	ginkgo.GinkgoHelper()
	got, err := q.id.WaitCompletion(ctx, q.Handle, spec.RecvQueue)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "a datagram arrives")
	return got
}

// MustReceiveUntil waits for the datagram with this payload, the sentinel, and gives those that came before it.
func (q *QP) MustReceiveUntil(ctx context.Context, sentinel string) []spec.Completion {
	ginkgo.GinkgoHelper()
	var before []spec.Completion
	for range receiverRoom {
		got := q.MustReceive(ctx)
		if string(got.Data) == sentinel {
			return before
		}
		before = append(before, got)
	}
	ginkgo.Fail(fmt.Sprintf("%d datagrams came, and %q is not among them", len(before), sentinel))
	return before
}

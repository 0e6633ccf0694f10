package rig

import (
	"context"
	"encoding/binary"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"joinmcast/spec"
)

// RawID is an id that librdmacm knows nothing of, made by commands that are written to the rdma_cm device itself. It is
// gone when its process is.
type RawID struct {
	*Process
	File   spec.RawFile
	Handle uint32
}

// Sizes of what include/uapi/rdma/rdma_user_cm.h lays out, in bytes.
const (
	sizeofStorage       = 128 // struct __kernel_sockaddr_storage
	sizeofIDResponse    = 4   // struct rdma_ucm_create_id_resp, which answers a join too
	sizeofCountResponse = 4   // struct rdma_ucm_destroy_id_resp, which answers a leave too
	sizeofEventResponse = 336 // struct rdma_ucm_event_resp
)

// noResponse is RawCommand.ResponseAt of a command that has no answer.
const noResponse = -1

// MustOpenRaw opens the rdma_cm device.
func (p *Process) MustOpenRaw(ctx context.Context) spec.RawFile {
	ginkgo.GinkgoHelper()
	file, err := p.OpenRaw(ctx)
	must(err, leansOnUDPIds)
	return file
}

// MustShareRaw opens the rdma_cm device and gives it to an event channel, whose calls then read what happens on that
// file. Of the file's descriptor only its place is known: open(2) gives the lowest that is free, and that is the one of
// a channel just destroyed.
func (p *Process) MustShareRaw(ctx context.Context) (spec.Channel, spec.RawFile) {
	ginkgo.GinkgoHelper()
	ch := p.MustCreateChannel(ctx)
	last, err := p.CreateEventChannel(ctx)
	must(err, leansOnUDPIds)
	fd := p.mustSetFD(ctx, last, -1)
	p.mustSetFD(ctx, last, fd)
	must(p.DestroyEventChannel(ctx, last), leansOnUDPIds)
	file := p.MustOpenRaw(ctx)
	own := p.mustSetFD(ctx, ch, fd)
	p.cleanup(func(ctx context.Context) { p.mustSetFD(ctx, ch, own) })
	return ch, file
}

func (p *Process) mustSetFD(ctx context.Context, ch spec.Channel, fd int) (old int) {
	ginkgo.GinkgoHelper()
	old, err := p.SetFD(ctx, ch, fd)
	p.host.must(err, "change a channel's descriptor")
	return old
}

// MustRawID makes a RDMA_PS_UDP id on a file of its own, bound to the address of the process's host.
func (p *Process) MustRawID(ctx context.Context) *RawID {
	ginkgo.GinkgoHelper()
	return p.MustRawIDOn(ctx, p.MustOpenRaw(ctx))
}

// MustRawIDOn makes a RDMA_PS_UDP id on a file, bound to the address of the process's host.
func (p *Process) MustRawIDOn(ctx context.Context, file spec.RawFile) *RawID {
	ginkgo.GinkgoHelper()
	create := le.AppendUint64(nil, uint64(NewContext())) // uid: an id without one gets no event
	create = le.AppendUint64(create, 0)                  // response
	create = le.AppendUint16(create, uint16(spec.PSUDP)) // ps
	create = append(create, byte(spec.QPTypeUD))         // qp_type
	create = append(create, make([]byte, sizeofReserved)...)
	answer, err := p.WriteRaw(ctx, file, spec.RawCommand{
		Cmd: spec.RawCreateID, In: create, ResponseAt: 8, Room: sizeofIDResponse,
	})
	must(err, leansOnUDPIds)
	gomega.Expect(answer.Out).To(gomega.HaveLen(sizeofIDResponse), "the answer of CREATE_ID")
	id := &RawID{Process: p, File: file, Handle: le.Uint32(answer.Out)}
	addr := p.Addr(ctx)
	bind := le.AppendUint32(nil, id.Handle)
	bind = le.AppendUint16(bind, uint16(len(addr))) // addr_size
	bind = le.AppendUint16(bind, 0)                 // reserved
	bind = append(bind, storage(addr)...)
	_, err = p.WriteRaw(ctx, file, spec.RawCommand{Cmd: spec.RawBind, In: bind, ResponseAt: noResponse})
	must(err, leansOnBind)
	return id
}

// sizeofReserved is what struct rdma_ucm_create_id keeps for later.
const sizeofReserved = 5

// RawJoin is what a JOIN_MCAST command says; Size is addr_size.
type RawJoin struct {
	UID      uint64
	Addr     spec.Sockaddr
	Size     int
	Flags    spec.JoinFlags
	Unmapped bool // the answer's room is no memory
}

// NewRawJoin is a full member's join of a group, with a uid that no other join of the spec has.
func NewRawJoin(group Group) RawJoin {
	a := group.Sockaddr()
	return RawJoin{UID: uint64(NewContext()), Addr: a, Size: len(a)}
}

// Command is the JOIN_MCAST command.
func (id *RawID) Command(j RawJoin) spec.RawCommand {
	in := le.AppendUint64(nil, 0) // response
	in = le.AppendUint64(in, j.UID)
	in = le.AppendUint32(in, id.Handle)
	in = le.AppendUint16(in, uint16(j.Size))
	in = le.AppendUint16(in, uint16(j.Flags))
	in = append(in, storage(j.Addr)...)
	return spec.RawCommand{
		Cmd: spec.RawJoinMulticast, In: in, ResponseAt: 0, Room: sizeofIDResponse, Unmapped: j.Unmapped,
	}
}

// Join writes JOIN_MCAST and gives the membership's handle.
func (id *RawID) Join(ctx context.Context, j RawJoin) (handle uint32, err error) {
	ginkgo.GinkgoHelper()
	answer, err := id.WriteRaw(ctx, id.File, id.Command(j))
	if err != nil {
		return 0, err
	}
	gomega.Expect(answer.Out).To(gomega.HaveLen(sizeofIDResponse), "the answer of JOIN_MCAST")
	return le.Uint32(answer.Out), nil
}

// MustJoin writes JOIN_MCAST and gives the membership's handle.
func (id *RawID) MustJoin(ctx context.Context, j RawJoin) (handle uint32) {
	ginkgo.GinkgoHelper()
	handle, err := id.Join(ctx, j)
	must(err, leansOnBind)
	return handle
}

// RawLeave is the LEAVE_MCAST command of a membership's handle.
func RawLeave(handle uint32) spec.RawCommand { return rawEnd(spec.RawLeaveMulticast, handle) }

// RawDestroy is the DESTROY_ID command of an id's handle.
func RawDestroy(handle uint32) spec.RawCommand { return rawEnd(spec.RawDestroyID, handle) }

// rawEnd is a command that ends what a handle stands for, and answers how many events of it were told.
func rawEnd(cmd, handle uint32) spec.RawCommand {
	in := le.AppendUint64(nil, 0) // response
	in = le.AppendUint32(in, handle)
	in = le.AppendUint32(in, 0) // reserved
	return spec.RawCommand{Cmd: cmd, In: in, ResponseAt: 0, Room: sizeofCountResponse}
}

// Leave writes LEAVE_MCAST of a membership's handle.
func (id *RawID) Leave(ctx context.Context, handle uint32) error {
	_, err := id.WriteRaw(ctx, id.File, RawLeave(handle))
	return err
}

// RawEvent is the part of a struct rdma_ucm_event_resp that the law speaks of.
type RawEvent struct {
	UID    uint64
	Type   spec.EventType
	Status int
}

// MustGetRawEvent writes GET_EVENT, which waits for the file's next event.
func (p *Process) MustGetRawEvent(ctx context.Context, file spec.RawFile) RawEvent {
	ginkgo.GinkgoHelper()
	answer, err := p.WriteRaw(ctx, file, spec.RawCommand{
		Cmd: spec.RawGetEvent, In: make(spec.Bytes, 8), ResponseAt: 0, Room: sizeofEventResponse,
	})
	must(err, leansOnEvent)
	gomega.Expect(answer.Out).To(gomega.HaveLen(sizeofEventResponse), "the answer of GET_EVENT")
	return RawEvent{
		UID: le.Uint64(answer.Out), Type: spec.EventType(le.Uint32(answer.Out[12:])),
		Status: int(int32(le.Uint32(answer.Out[16:]))),
	}
}

// le is the byte order of the machines this suite supports.
var le = binary.LittleEndian

// storage is an address in a struct sockaddr_storage.
func storage(a spec.Sockaddr) []byte {
	room := make([]byte, sizeofStorage)
	copy(room, a)
	return room
}

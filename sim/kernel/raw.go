package kernel

import (
	"encoding/binary"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// Sizes of the structs of include/uapi/rdma/rdma_user_cm.h that are read and written here, in bytes.
const (
	sizeofIDResponse    = 4   // of CREATE_ID, and of JOIN_MCAST
	sizeofCountResponse = 4   // of DESTROY_ID, and of LEAVE_MCAST: the events that were read
	sizeofEventResponse = 336 // of GET_EVENT
	oldestEventResponse = 324 // what of it every kernel has written
	sizeofLargestIn     = 152 // JOIN_MCAST
)

// rawHandlers are the commands by number. Each tells how much room its answer takes, and has the answer taken back when
// it cannot be written.
var rawHandlers = map[uint32]func(f *cmFile, c rawCommand) error{
	spec.RawCreateID:       (*cmFile).rawCreateID,
	spec.RawDestroyID:      (*cmFile).rawDestroyID,
	spec.RawGetEvent:       (*cmFile).rawGetEvent,
	spec.RawLeaveMulticast: (*cmFile).rawLeaveMulticast,
	spec.RawBind:           (*cmFile).rawBind,
	spec.RawJoinMulticast:  (*cmFile).rawJoinMulticast,
}

// Write is write(2) of one command to a descriptor; the answer is what the kernel wrote into the room for it.
func (p *Process) Write(fd int, c spec.RawCommand) (spec.Bytes, error) {
	f, ok := p.file(fd)
	if !ok {
		return nil, spec.EBADF
	}
	if err := f.write(); err != nil {
		return nil, err
	}
	handler, ok := rawHandlers[c.Cmd]
	switch {
	case !ok && p.kernel.deviates.File.UnknownIsENOSYS:
		return nil, spec.ENOSYS
	case !ok:
		return nil, spec.EINVAL
	}
	raw := rawCommand{in: make([]byte, sizeofLargestIn), room: int(c.Room), mapped: !c.Unmapped && c.ResponseAt >= 0}
	copy(raw.in, c.In)
	if !c.Unmapped {
		raw.out = make([]byte, c.Room)
	}
	err := handler(f, raw)
	return raw.out, err
}

// rawCommand is a command as it lies in memory, with the room for its answer.
type rawCommand struct {
	in     []byte
	out    []byte
	room   int
	mapped bool // whether the kernel is told of the room, and it is memory
}

func (c rawCommand) u16(at int) uint16 { return binary.LittleEndian.Uint16(c.in[at:]) }

func (c rawCommand) u32(at int) uint32 { return binary.LittleEndian.Uint32(c.in[at:]) }

func (c rawCommand) u64(at int) uint64 { return binary.LittleEndian.Uint64(c.in[at:]) }

// sockaddr is a struct sockaddr_storage.
func (c rawCommand) sockaddr(at int) spec.Sockaddr { return spec.Sockaddr(c.in[at : at+128]) }

// hasRoom checks the room that the caller claims for the answer.
func (c rawCommand) hasRoom(size int) error {
	if c.room < size {
		return spec.ENOSPC
	}
	return nil
}

// answer writes as much of the answer as there is room for (copy_to_user).
func (c rawCommand) answer(b []byte) error {
	if !c.mapped {
		return spec.EFAULT
	}
	copy(c.out, b)
	return nil
}

func (c rawCommand) answerU32(v uint32) error {
	return c.answer(binary.LittleEndian.AppendUint32(nil, v))
}

func (f *cmFile) rawCreateID(c rawCommand) error {
	if err := c.hasRoom(sizeofIDResponse); err != nil {
		return err
	}
	h, err := f.CreateID(uabi.CreateID{
		UID: c.u64(0), PS: spec.PortSpace(c.u16(16)), QPType: spec.QPType(c.in[18]),
	})
	if err != nil {
		return err
	}
	if err := c.answerU32(uint32(h)); err != nil {
		id, _ := f.kernel.ids.get(h)
		id.free()
		return err
	}
	return nil
}

func (f *cmFile) rawDestroyID(c rawCommand) error {
	if err := c.hasRoom(sizeofCountResponse); err != nil {
		return err
	}
	reported, err := f.DestroyID(uabi.CMID(c.u32(8)))
	if err != nil {
		return err
	}
	return c.answerU32(reported)
}

func (f *cmFile) rawBind(c rawCommand) error {
	a := c.sockaddr(8)
	if c.u16(6) != 0 || int(c.u16(4)) != sockaddrSize(a) {
		return spec.EINVAL
	}
	return f.BindAddr(uabi.CMID(c.u32(0)), a)
}

func (f *cmFile) rawJoinMulticast(c rawCommand) error {
	a := c.sockaddr(24)
	if sockaddrSize(a) == 0 {
		return spec.EINVAL
	}
	if err := c.hasRoom(sizeofIDResponse); err != nil {
		return err
	}
	h, err := f.JoinMulticast(uabi.JoinMulticast{
		ID: uabi.CMID(c.u32(16)), UID: c.u64(8), Addr: a, AddrSize: int(c.u16(20)), Flags: spec.JoinFlags(c.u16(22)),
	})
	if err != nil {
		return err
	}
	if err := c.answerU32(uint32(h)); err != nil {
		if m, _ := f.kernel.members.get(h); !f.kernel.deviates.File.KeepsLostAnswers {
			f.end(m)
		}
		return err
	}
	return nil
}

func (f *cmFile) rawLeaveMulticast(c rawCommand) error {
	if err := c.hasRoom(sizeofCountResponse); err != nil {
		return err
	}
	reported, err := f.LeaveMulticast(uabi.Multicast(c.u32(8)))
	if err != nil {
		return err
	}
	return c.answerU32(reported)
}

func (f *cmFile) rawGetEvent(c rawCommand) error {
	if err := c.hasRoom(oldestEventResponse); err != nil {
		return err
	}
	e, err := f.awaitEvent()
	if err != nil {
		return err
	}
	if err := c.answer(eventResponse(e.Event)); err != nil {
		return err // the event stays
	}
	e.read()
	e.free()
	return nil
}

// eventResponse is a struct rdma_ucm_event_resp.
func eventResponse(e uabi.Event) []byte {
	le := binary.LittleEndian
	b := make([]byte, sizeofEventResponse)
	le.PutUint64(b, e.UID)
	le.PutUint32(b[8:], uint32(e.ID))
	le.PutUint32(b[12:], uint32(e.Type))
	le.PutUint32(b[16:], uint32(e.Status))
	ud := b[20:]
	le.PutUint32(ud, e.QPNum)
	le.PutUint32(ud[4:], e.QKey)
	copy(ud[8:], e.AH.GRH.DGID[:])
	le.PutUint32(ud[24:], e.AH.GRH.FlowLabel)
	ud[28], ud[29], ud[30] = e.AH.GRH.SGIDIndex, e.AH.GRH.HopLimit, e.AH.GRH.TrafficClass
	le.PutUint16(ud[32:], e.AH.DLID)
	ud[34], ud[36], ud[38] = e.AH.SL, e.AH.StaticRate, e.AH.PortNum
	if e.AH.IsGlobal {
		ud[37] = 1
	}
	return b
}

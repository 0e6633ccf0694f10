package sim_test

import (
	"encoding/binary"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// rawFile is an open file of the rdma_cm device that no library knows of.
type rawFile struct {
	*world
	spec.Mischief
	file spec.RawFile
}

// rawFile opens the rdma_cm device in a process of its own.
func (w *world) rawFile() *rawFile {
	f := &rawFile{world: w, Mischief: w.mischief().(spec.Mischief)}
	f.opens()
	return f
}

// opens opens the device once more.
func (f *rawFile) opens() {
	var err error
	f.file, err = f.OpenRaw(f.ctx)
	f.Expect(err).NotTo(HaveOccurred())
}

// writes writes a command and gives the number that answers it.
func (f *rawFile) writes(c spec.RawCommand) uint32 {
	answer, err := f.WriteRaw(f.ctx, f.file, c)
	f.Expect(err).NotTo(HaveOccurred())
	if len(answer.Out) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(answer.Out)
}

// boundID makes an id of RDMA_PS_UDP with uid 7, bound to the host's address.
func (f *rawFile) boundID() uint32 {
	le := binary.LittleEndian
	create := make([]byte, 24)
	le.PutUint64(create, 7)
	le.PutUint16(create[16:], uint16(spec.PSUDP))
	create[18] = byte(spec.QPTypeUD)
	id := f.writes(spec.RawCommand{Cmd: spec.RawCreateID, In: create, ResponseAt: 8, Room: 4})
	bind := make([]byte, 136)
	le.PutUint32(bind, id)
	le.PutUint16(bind[4:], spec.SizeofSockaddrIn)
	copy(bind[8:], f.addrOf(0))
	f.writes(spec.RawCommand{Cmd: spec.RawBind, In: bind, ResponseAt: -1})
	return id
}

// joinCommand makes an id a full member of a group.
func (f *rawFile) joinCommand(id uint32, a spec.Sockaddr) spec.RawCommand {
	le := binary.LittleEndian
	in := make([]byte, 152)
	le.PutUint64(in[8:], 8)
	le.PutUint32(in[16:], id)
	le.PutUint16(in[20:], spec.SizeofSockaddrIn)
	copy(in[24:], a)
	return spec.RawCommand{Cmd: spec.RawJoinMulticast, In: in, Room: 4}
}

// leaves is the answer to a leave.
func (f *rawFile) leaves(member uint32) string {
	in := make([]byte, 16)
	binary.LittleEndian.PutUint32(in[8:], member)
	_, err := f.WriteRaw(f.ctx, f.file, spec.RawCommand{Cmd: spec.RawLeaveMulticast, In: in, Room: 4})
	return spec.Outcome(err)
}

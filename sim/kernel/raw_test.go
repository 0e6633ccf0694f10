package kernel_test

import (
	"encoding/binary"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// raw is a file of the host's process that is written to without a library.
type raw struct {
	*host
	fd int
}

func newRaw(t *testing.T) *raw {
	r := &raw{host: newHost(t)}
	r.Expect(r.do(func() (err error) {
		r.fd, err = r.process.OpenCM()
		return err
	})).To(Succeed())
	return r
}

// write writes a command; the address of the answer's room is the first field of those that have one.
func (r *raw) write(c spec.RawCommand) (out spec.Bytes, err error) {
	err = r.do(func() (err error) {
		out, err = r.process.Write(r.fd, c)
		return err
	})
	return out, err
}

func u16(v uint16) []byte { return binary.LittleEndian.AppendUint16(nil, v) }
func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

func concat(fields ...[]byte) (b spec.Bytes) {
	for _, f := range fields {
		b = append(b, f...)
	}
	return b
}

func storage(a spec.Sockaddr) []byte { return append(a.Clone(), make([]byte, 128-len(a))...) }

// bound makes an id on the file, bound to the host's address.
func (r *raw) bound() uint32 {
	out, err := r.write(spec.RawCommand{
		Cmd: spec.RawCreateID, ResponseAt: 8, Room: 4,
		In: concat(u64(7), u64(0), u16(uint16(spec.PSUDP)), make([]byte, 6)),
	})
	r.Expect(err).NotTo(HaveOccurred())
	id := binary.LittleEndian.Uint32(out)
	_, err = r.write(spec.RawCommand{
		Cmd: spec.RawBind, ResponseAt: -1, In: concat(u32(id), u16(16), u16(0), storage(local)),
	})
	r.Expect(err).NotTo(HaveOccurred())
	return id
}

func joinCommand(id uint32, a spec.Sockaddr, size, flags uint16) spec.RawCommand {
	return spec.RawCommand{
		Cmd: spec.RawJoinMulticast, Room: 4,
		In: concat(u64(0), u64(9), u32(id), u16(size), u16(flags), storage(a)),
	}
}

func TestRawJoinChecksInOrder(t *testing.T) {
	const unknown = 99
	for name, c := range map[string]struct {
		ask  func(*spec.RawCommand)
		want error
	}{
		"family before room": {func(c *spec.RawCommand) { c.In[24], c.Room = 0xff, 0 }, spec.EINVAL},
		"room before size":   {func(c *spec.RawCommand) { c.Room, c.In[20] = 3, 28 }, spec.ENOSPC},
		"size before id":     {func(c *spec.RawCommand) { c.In[20], c.In[16] = 28, unknown }, spec.EINVAL},
		"flags before id":    {func(c *spec.RawCommand) { c.In[22], c.In[16] = 2, unknown }, spec.EINVAL},
		"an unknown id":      {func(c *spec.RawCommand) { c.In[16] = unknown }, spec.ENOENT},
		"an unknown command": {func(c *spec.RawCommand) { c.Cmd = 99 }, spec.EINVAL},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRaw(t)
			command := joinCommand(r.bound(), group, 16, 0)
			c.ask(&command)
			_, err := r.write(command)
			r.Expect(err).To(MatchError(c.want))
		})
	}
}

func TestARawJoinWhoseAnswerCannotBeWrittenIsUndone(t *testing.T) {
	r := newRaw(t)
	command := joinCommand(r.bound(), group, 16, 0)
	command.Unmapped = true
	_, err := r.write(command)
	r.Expect(err).To(MatchError(spec.EFAULT))
	r.Expect(r.kernel.Observe().IGMP).To(HaveLen(1), "only 224.0.0.1")
	command.Unmapped = false
	_, err = r.write(command)
	r.Expect(err).NotTo(HaveOccurred())
}

func TestRawMembershipsFromJoinToLeave(t *testing.T) {
	r := newRaw(t)
	out, err := r.write(joinCommand(r.bound(), group, 16, 0))
	r.Expect(err).NotTo(HaveOccurred())
	handle := binary.LittleEndian.Uint32(out)

	out, err = r.write(spec.RawCommand{Cmd: spec.RawGetEvent, In: u64(0), Room: 336})
	r.Expect(err).NotTo(HaveOccurred())
	r.Expect(binary.LittleEndian.Uint64(out)).To(Equal(uint64(9)), "uid")
	r.Expect(binary.LittleEndian.Uint32(out[12:])).To(Equal(uint32(spec.MulticastJoin)))
	r.Expect(spec.GID(out[28:44])).To(Equal(spec.MGIDOf(group.Addr())))

	leave := spec.RawCommand{Cmd: spec.RawLeaveMulticast, In: concat(u64(0), u32(handle), u32(0)), Room: 4}
	other := *r
	other.Expect(r.do(func() (err error) {
		other.fd, err = r.process.OpenCM()
		return err
	})).To(Succeed())
	_, err = other.write(leave)
	r.Expect(err).To(MatchError(spec.EINVAL), "on another file")
	out, err = r.write(leave)
	r.Expect(err).NotTo(HaveOccurred())
	r.Expect(binary.LittleEndian.Uint32(out)).To(Equal(uint32(1)), "events that were read")
	_, err = r.write(leave)
	r.Expect(err).To(MatchError(spec.ENOENT))
}

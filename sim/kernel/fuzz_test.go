package kernel_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// Whatever bytes a process writes to the rdma_cm device, the kernel answers with an errno or within the room, and goes
// on serving.
func FuzzWrite(f *testing.F) {
	f.Add(spec.RawCreateID, uint16(4), 8, false, []byte(concat(u64(7), u64(0), u16(uint16(spec.PSUDP)))))
	join := concat(u64(9), u32(0), u16(16), u16(0), storage(local))
	f.Add(spec.RawJoinMulticast, uint16(4), 8, false, []byte(join))
	f.Add(spec.RawGetEvent, uint16(336), 0, true, []byte{})
	f.Add(spec.RawLeaveMulticast, uint16(3), -1, false, []byte{1})
	f.Fuzz(func(t *testing.T, cmd uint32, room uint16, at int, unmapped bool, in []byte) {
		if cmd == spec.RawGetEvent {
			return // it sleeps until there is an event
		}
		r := newRaw(t)
		r.bound()
		room %= 1 << 10
		out, err := r.write(spec.RawCommand{Cmd: cmd, Room: room, ResponseAt: at, Unmapped: unmapped, In: in})
		if err != nil {
			r.Expect(err).To(BeAssignableToTypeOf(spec.Errno(0)))
		}
		r.Expect(len(out)).To(BeNumerically("<=", room))
		r.bound()
	})
}

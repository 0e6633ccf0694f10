package sim_test

import (
	"fmt"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfProcesses show the quirks of processes and their files.
var probesOfProcesses = map[string]probe{
	"no-device-enosys":       {seeChannelWithoutDevice, "ENODEV", "ENOSYS"},
	"channel-without-device": {seeChannelWithoutDevice, "ENODEV", "0"},
	"child-inherits": {func(w *world) string {
		p := w.mischief()
		return spec.Outcome(p.(spec.Mischief).JoinInChild(w.ctx, w.boundOf(p, 0).id, group))
	}, "EACCES", "0"},
	"credentials-forgiven": {func(w *world) string {
		p := w.mischief()
		m := w.boundOf(p, 0)
		for _, uid := range []uint32{1000, 0} {
			m.Expect(p.(spec.Mischief).SetEUID(m.ctx, uid)).To(Succeed())
		}
		return spec.Outcome(m.join(group))
	}, "EACCES", "0"},
	"refused-join-told": {func(w *world) string {
		m := w.unbound(spec.PSUDP)
		m.Expect(m.join(group)).NotTo(Succeed())
		return fmt.Sprint(m.eventsLeft())
	}, "HANG", "MULTICAST_ERROR HANG"},
	"unknown-command-enosys": {func(w *world) string {
		f := w.rawFile()
		_, err := f.WriteRaw(w.ctx, f.file, spec.RawCommand{Cmd: 1000, In: make([]byte, 8), Room: 8})
		return spec.Outcome(err)
	}, "EINVAL", "ENOSYS"},
}

// seeChannelWithoutDevice is the answer of a process that asks for an event channel on a host without RDMA devices.
func seeChannelWithoutDevice(w *world) string {
	w.configure(spec.Change{RemoveDevice: &spec.DeviceChange{Device: "rxe0"}})
	_, err := w.procs[0].CreateEventChannel(w.ctx)
	return spec.Outcome(err)
}

package sim_test

import (
	"encoding/binary"
	"fmt"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// probesOfAddress show the quirks of the address of a join and of the id's port space.
var probesOfAddress = map[string]probe{
	"class-e-attaches":     {seeAttach("255.255.255.255"), "EINVAL", "0"},
	"gid-joins":            {seeJoin(spec.NewSockaddrIB(spec.GID{0: 0xff, 15: 1})), "EOPNOTSUPP", "0"},
	"hosts-group-refused":  {seeJoin(addr("224.0.0.1")), "0", "EADDRINUSE"},
	"ipv6-joins":           {seeJoin(addr("ff1e::1")), "EOPNOTSUPP", "0"},
	"iwarp-joins-nothing":  {seeJoin(group), "ENOSYS", "0"},
	"mapped-attaches":      {seeAttach("192.168.1.1"), "EINVAL", "0"},
	"mapped-joins":         {seeJoin(addr("::ffff:239.1.2.3")), "EOPNOTSUPP", "0"},
	"ps-ib-joins":          {seeJoinIn(spec.PSIB), "EINVAL", "0"},
	"rc-join-unsupported":  {seeJoinIn(spec.PSTCP), "EINVAL", "EOPNOTSUPP"},
	"rocev1-refuses-ipv6":  {seeJoin(addr("ff1e::1")), "0", "EOPNOTSUPP"},
	"zero-joins":           {seeJoin(addr("0.0.0.0")), "EINVAL", "0"},
	"ipoib-binds-ethernet": {seeBind(spec.PSIPoIB, "192.168.100.1"), "EINVAL", "0"},
	"join-ignores-mtu": {func(w *world) string {
		m := w.bound(0)
		w.configure(spec.Change{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 200}})
		return spec.Outcome(m.join(group))
	}, "EINVAL", "0"},
	"join-ignores-size": {func(w *world) string {
		return spec.Outcome(w.rawJoin(spec.SizeofSockaddrIn6))
	}, "EINVAL", "0"},
	"ps-ib-without-qkey": {func(w *world) string {
		m := w.endpoint(spec.EPAttr{Passive: true, PS: spec.PSIB, QPType: spec.QPTypeUD, Src: w.addrOf(0)})
		m.Expect(m.join(group)).To(Succeed())
		return fmt.Sprintf("%#x", m.read().Event.UD.QKey)
	}, "0x1234567", "0x0"},
}

// seeJoin is the outcome of a join on a bound id.
func seeJoin(a spec.Sockaddr) func(*world) string {
	return func(w *world) string { return spec.Outcome(w.bound(0).join(a)) }
}

// seeJoinIn is the outcome of a join on a bound id of a port space.
func seeJoinIn(ps spec.PortSpace) func(*world) string {
	return func(w *world) string { return spec.Outcome(w.boundIn(ps).join(group)) }
}

// seeAttach is the outcome of an attach to the v4-mapped GID of an address.
func seeAttach(a string) func(*world) string {
	return func(w *world) string {
		m := w.bound(0).withQP()
		return spec.Outcome(m.p.AttachMulticast(m.ctx, m.qp, spec.MGIDOf(addr(a).Addr()), 0))
	}
}

// seeBind is the outcome of the binding of an id to an address.
func seeBind(ps spec.PortSpace, a string) func(*world) string {
	return func(w *world) string {
		m := w.unbound(ps)
		return spec.Outcome(m.p.BindAddr(m.ctx, m.id, addr(a)))
	}
}

// rawJoin writes commands that make an id, bind it, and join the group with an addr_size.
func (w *world) rawJoin(size int) error {
	const storage = 128
	le, mischief := binary.LittleEndian, w.mischief().(spec.Mischief)
	f, err := mischief.OpenRaw(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	create := le.AppendUint16(append(le.AppendUint64(nil, 1), make([]byte, 8)...), uint16(spec.PSUDP))
	create = append(create, byte(spec.QPTypeUD), 0, 0, 0, 0, 0)
	made, err := mischief.WriteRaw(w.ctx, f, spec.RawCommand{Cmd: spec.RawCreateID, In: create, ResponseAt: 8, Room: 4})
	w.Expect(err).NotTo(HaveOccurred())
	id := le.Uint32(made.Out)

	bind := le.AppendUint32(le.AppendUint32(nil, id), spec.SizeofSockaddrIn)
	bind = append(append(bind, w.addrOf(0)...), make([]byte, storage-spec.SizeofSockaddrIn)...)
	_, err = mischief.WriteRaw(w.ctx, f, spec.RawCommand{Cmd: spec.RawBind, In: bind, ResponseAt: -1})
	w.Expect(err).NotTo(HaveOccurred())

	join := le.AppendUint32(le.AppendUint64(make([]byte, 8), 1), id)
	join = le.AppendUint16(le.AppendUint16(join, uint16(size)), 0)
	join = append(append(join, group...), make([]byte, storage-spec.SizeofSockaddrIn)...)
	_, err = mischief.WriteRaw(w.ctx, f, spec.RawCommand{Cmd: spec.RawJoinMulticast, In: join, ResponseAt: 0, Room: 4})
	return err
}

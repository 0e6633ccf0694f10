package fault

import (
	"slices"

	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// Between is a process's kernel whose commands fail as its faults say. A command that fails does not reach it.
func Between(k uabi.Kernel, faults Sets) uabi.Kernel { return &kernel{k, faults} }

type kernel struct {
	uabi.Kernel
	faults Sets
}

// CM is the kernel's own file while nothing is to fail.
func (k *kernel) CM(fd int) uabi.CM {
	if !k.faults.any() {
		return k.Kernel.CM(fd)
	}
	return cm{k.Kernel.CM(fd), k.faults}
}

func (k *kernel) OpenDevice(name string) (uabi.Verbs, error) {
	v, err := k.Kernel.OpenDevice(name)
	if err != nil {
		return nil, err
	}
	return verbs{v, k.faults}, nil
}

// do makes a command unless it fails.
func do(faults Sets, c spec.Command, command func() error) error {
	if err := faults.strike(string(c)); err != nil {
		return err
	}
	return command()
}

// ask makes a command that has an answer, unless it fails.
func ask[T any](faults Sets, c spec.Command, command func() (T, error)) (answer T, err error) {
	if err := faults.strike(string(c)); err != nil {
		return answer, err
	}
	return command()
}

// cm is an open rdma_cm file; what is no command of the device, as poll(2), passes through.
type cm struct {
	uabi.CM
	faults Sets
}

// writes are the commands that cm makes, each a write(2) to the device.
var writes = []spec.Command{
	"CREATE_ID", "DESTROY_ID", "BIND", "RESOLVE_ADDR", "RESOLVE_ROUTE", "LISTEN", "MIGRATE_ID", "QUERY_ROUTE",
	"INIT_QP_ATTR", "JOIN_MCAST", "JOIN_IP_MCAST", "LEAVE_MCAST", "GET_EVENT",
}

func isWrite(call string) bool { return slices.Contains(writes, spec.Command(call)) }

func (f cm) CreateID(r uabi.CreateID) (uabi.CMID, error) {
	return ask(f.faults, "CREATE_ID", func() (uabi.CMID, error) { return f.CM.CreateID(r) })
}

func (f cm) DestroyID(id uabi.CMID) (uint32, error) {
	return ask(f.faults, "DESTROY_ID", func() (uint32, error) { return f.CM.DestroyID(id) })
}

func (f cm) BindAddr(id uabi.CMID, a spec.Sockaddr) error {
	return do(f.faults, "BIND", func() error { return f.CM.BindAddr(id, a) })
}

func (f cm) ResolveAddr(r uabi.ResolveAddr) error {
	return do(f.faults, "RESOLVE_ADDR", func() error { return f.CM.ResolveAddr(r) })
}

func (f cm) ResolveRoute(id uabi.CMID, timeoutMS int) error {
	return do(f.faults, "RESOLVE_ROUTE", func() error { return f.CM.ResolveRoute(id, timeoutMS) })
}

func (f cm) Listen(id uabi.CMID, backlog int) error {
	return do(f.faults, "LISTEN", func() error { return f.CM.Listen(id, backlog) })
}

func (f cm) MigrateID(id uabi.CMID, fromFD int) (uint32, error) {
	return ask(f.faults, "MIGRATE_ID", func() (uint32, error) { return f.CM.MigrateID(id, fromFD) })
}

func (f cm) QueryRoute(id uabi.CMID) (uabi.Route, error) {
	return ask(f.faults, "QUERY_ROUTE", func() (uabi.Route, error) { return f.CM.QueryRoute(id) })
}

func (f cm) InitQPAttr(id uabi.CMID, s uabi.QPState) (uabi.QPAttr, error) {
	return ask(f.faults, "INIT_QP_ATTR", func() (uabi.QPAttr, error) { return f.CM.InitQPAttr(id, s) })
}

func (f cm) JoinMulticast(r uabi.JoinMulticast) (uabi.Multicast, error) {
	return ask(f.faults, "JOIN_MCAST", func() (uabi.Multicast, error) { return f.CM.JoinMulticast(r) })
}

func (f cm) JoinIPMulticast(r uabi.JoinMulticast) (uabi.Multicast, error) {
	return ask(f.faults, "JOIN_IP_MCAST", func() (uabi.Multicast, error) { return f.CM.JoinIPMulticast(r) })
}

func (f cm) LeaveMulticast(m uabi.Multicast) (uint32, error) {
	return ask(f.faults, "LEAVE_MCAST", func() (uint32, error) { return f.CM.LeaveMulticast(m) })
}

func (f cm) GetEvent() (uabi.Event, error) { return ask(f.faults, "GET_EVENT", f.CM.GetEvent) }

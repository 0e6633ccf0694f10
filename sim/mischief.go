package sim

import (
	"context"
	"errors"

	"joinmcast/spec"
)

// saboteur is a process that is a spec.Mischief too.
type saboteur struct{ *process }

var _ spec.Mischief = saboteur{}

// Script runs sequences of calls, mischief among them.
func (p saboteur) Script(ctx context.Context, s spec.Script) ([][]spec.Tally, error) {
	return p.script(ctx, s, saboteur{p.asThread()})
}

// SetFD is channel->fd = fd.
func (p saboteur) SetFD(ctx context.Context, ch spec.Channel, fd int) (old int, err error) {
	return ask(ctx, p.process, "set_fd", func() (int, error) { return p.lib.SetFD(ch, fd), nil })
}

// SetEUID is seteuid(2).
func (p saboteur) SetEUID(ctx context.Context, uid uint32) error {
	return p.call(ctx, "seteuid", func() error {
		p.kernel.SetEUID(uid)
		return nil
	})
}

// JoinInChild is rdma_join_multicast after fork(2), in the child.
func (p saboteur) JoinInChild(ctx context.Context, id spec.ID, a spec.Sockaddr) error {
	const method = "fork"
	return p.call(ctx, method, func() (err error) {
		p.kernel.InChild(func() { p.faults.InChild(func() { err = p.lib.JoinMulticast(id, a, 0) }) })
		var refused *spec.CallError
		if errors.As(err, &refused) {
			refused.Method = method
		}
		return err
	})
}

// FailNext makes one call of the library to a C function fail.
func (p saboteur) FailNext(ctx context.Context, f spec.CFunction, skip int, errno spec.Errno) error {
	return p.call(ctx, "fail_next", func() error {
		p.faults.FailNext(f, skip, errno)
		return nil
	})
}

// Allocations is how many blocks the library holds.
func (p saboteur) Allocations(ctx context.Context) (int, error) {
	return ask(ctx, p.process, "allocations", func() (int, error) { return p.lib.Allocations(), nil })
}

// OpenRaw opens the rdma_cm device beside the library.
func (p saboteur) OpenRaw(ctx context.Context) (spec.RawFile, error) {
	return ask(ctx, p.process, "open", func() (spec.RawFile, error) {
		fd, err := p.kernel.OpenCM()
		return spec.RawFile(fd), err
	})
}

// WriteRaw writes a command to an open file.
func (p saboteur) WriteRaw(ctx context.Context, f spec.RawFile, c spec.RawCommand) (spec.RawAnswer, error) {
	return ask(ctx, p.process, "write", func() (spec.RawAnswer, error) {
		out, err := p.kernel.Write(int(f), c)
		var refused spec.Errno
		if errors.As(err, &refused) {
			return spec.RawAnswer{Out: out}, &spec.CallError{Method: "write", Ret: -1, Errno: refused}
		}
		return spec.RawAnswer{Out: out}, err
	})
}

package sim

import (
	"joinmcast/sim/fifo"
	"joinmcast/spec"
)

// loans is memory that calls of a process hand sockaddrs over in: a block each.
type loans struct{ back fifo.Queue[spec.Sockaddr] }

// scribble is what a sockaddr's memory is overwritten with.
const scribble = 0xA5

// rest is how many blocks come back before one is lent again: a library that kept a pointer finds the scribble there,
// and not the sockaddr of the next call.
const rest = 16

// lend hands a sockaddr over in memory of the call's own and overwrites that memory when the call has returned. It is
// used under the world's lock.
func (l *loans) lend(a spec.Sockaddr, call func(spec.Sockaddr) error) error {
	if a == nil {
		return call(nil)
	}
	var own spec.Sockaddr
	if l.back.Len() >= rest {
		own = l.back.Pop()
	} else {
		own = make(spec.Sockaddr, 0, spec.SizeofSockaddrIB)
	}
	own = append(own, a...)
	err := call(own)
	for i := range own {
		own[i] = scribble
	}
	l.back.Push(own[:0])
	return err
}

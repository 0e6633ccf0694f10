package sim

import (
	"bytes"

	"joinmcast/spec"
)

// loans is memory that calls of a process hand sockaddrs over in: blocks in the order in which they came back. Each is
// lent again only when as many others have been, so that a library that kept a pointer finds the scribble there, and
// not the sockaddr of the next call.
type loans struct {
	back   [16]spec.Sockaddr
	oldest int
}

// scribble is what a sockaddr's memory is overwritten with.
var scribble = bytes.Repeat([]byte{0xA5}, spec.SizeofSockaddrIB)

// lend is a sockaddr in memory of a call's own, until takeBack; NULL stays NULL. Both are used under the world's lock.
func (l *loans) lend(a spec.Sockaddr) spec.Sockaddr {
	if a == nil {
		return nil
	}
	block := l.back[l.oldest]
	l.back[l.oldest] = nil // another that is lent meanwhile has memory of its own
	if block == nil {
		block = make(spec.Sockaddr, 0, spec.SizeofSockaddrIB)
	}
	return a.AppendTo(block)
}

// takeBack overwrites that memory when the call has returned.
func (l *loans) takeBack(own spec.Sockaddr) {
	if own == nil {
		return
	}
	if len(own) == spec.SizeofSockaddrIn {
		*(*[spec.SizeofSockaddrIn]byte)(own) = [spec.SizeofSockaddrIn]byte(scribble)
	} else {
		for rest := own; len(rest) > 0; {
			rest = rest[copy(rest, scribble):]
		}
	}
	l.back[l.oldest] = own[:0]
	l.oldest = (l.oldest + 1) % len(l.back)
}

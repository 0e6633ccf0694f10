package sim

import (
	"bytes"

	"joinmcast/spec"
)

// loans is memory that calls of a process hand sockaddrs over in: blocks in the order in which they came back. Each is
// lent again only when as many others have been, so that a library that kept a pointer finds the scribble there, and not
// the sockaddr of the next call.
type loans struct {
	back   [16]spec.Sockaddr
	oldest int
}

// scribble is what a sockaddr's memory is overwritten with.
var scribble = bytes.Repeat([]byte{0xA5}, spec.SizeofSockaddrIB)

// lend hands a sockaddr over in memory of the call's own and overwrites that memory when the call has returned. It is
// used under the world's lock.
func (l *loans) lend(a spec.Sockaddr, call func(spec.Sockaddr) error) error {
	if a == nil {
		return call(nil)
	}
	own := append(l.back[l.oldest], a...)
	l.back[l.oldest] = nil // a call within this one has memory of its own
	err := call(own)
	for rest := own; len(rest) > 0; {
		rest = rest[copy(rest, scribble):]
	}
	l.back[l.oldest] = own[:0]
	l.oldest = (l.oldest + 1) % len(l.back)
	return err
}

package sim

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// A library that kept a pointer to a sockaddr finds scribble, until many others have been handed over.
func TestLentMemoryIsOverwrittenAndRests(t *testing.T) {
	g := NewWithT(t)
	var l loans
	a := spec.EmptySockaddr(spec.AFUnix) // longer than the blocks are
	kept := l.lend(a)
	g.Expect(kept).To(Equal(a))
	l.takeBack(kept)
	g.Expect(kept).To(HaveEach(byte(0xA5)))
	for range len(l.back) - 1 {
		l.takeBack(l.lend(a))
		g.Expect(kept).To(HaveEach(byte(0xA5)))
	}
	l.lend(a)
	g.Expect(kept).To(Equal(a), "its turn has come again")
}

func TestSockaddrsLentAtOnceShareNoMemory(t *testing.T) {
	g := NewWithT(t)
	var l loans
	a, b := l.lend(spec.EmptySockaddr(spec.AFInet)), l.lend(spec.EmptySockaddr(spec.AFIB))
	g.Expect(a.Family()).To(Equal(spec.AFInet))
	l.takeBack(b)
	g.Expect(a.Family()).To(Equal(spec.AFInet))
	l.takeBack(a)
}

func TestAnEmptySockaddrIsNotNULL(t *testing.T) {
	g := NewWithT(t)
	var l loans
	g.Expect(l.lend(spec.Sockaddr{})).NotTo(BeNil())
	g.Expect(l.lend(nil)).To(BeNil())
}

package kernel

import (
	"encoding/binary"
	"iter"
	"net/netip"

	"joinmcast/sim/chain"
	"joinmcast/sim/fabric"
	"joinmcast/sim/spare"
)

// ipv4Groups are the IPv4 groups of a network device with their users, kept by the 23 bits that go into a group's
// link-layer address: so they tell what the filter lets in as well. A join and a leave are mostly the finding of
// things, and this is one thing to find.
type ipv4Groups struct {
	all   chain.Table[ipv4Group]
	spare spare.List[ipv4Group] // without users
}

type ipv4Group struct {
	number uint32
	users  uint32
	place  chain.Place[ipv4Group]
}

// macBits of an IPv4 group go into its link-layer address (RFC 1112).
const macBits = 1<<23 - 1

// ipv4Filter is what that address begins with.
const ipv4Filter = 0x01005e000000

func ipv4Number(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// find is a group that has a user; nil for another.
func (s *ipv4Groups) find(number uint32) *ipv4Group {
	g := s.all.First(uint64(number & macBits))
	for g != nil && g.number != number {
		g = s.all.Next(&g.place)
	}
	return g
}

// has tells whether a group has a user.
func (s *ipv4Groups) has(a netip.Addr) bool { return a.Is4() && s.find(ipv4Number(a)) != nil }

// lets tells whether a link-layer address is a group's.
func (s *ipv4Groups) lets(m fabric.MAC) bool {
	number := macNumber(m)
	return number&^macBits == ipv4Filter && s.all.First(number&macBits) != nil
}

// add counts a user of a group and tells whether it is the first.
func (s *ipv4Groups) add(a netip.Addr) (isFirst bool) {
	number := ipv4Number(a)
	g := s.find(number)
	if isFirst = g == nil; isFirst {
		g = s.spare.Take()
		g.number = number
		s.all.Add(g, &g.place, uint64(number&macBits))
	}
	g.users++
	return isFirst
}

// remove takes a user off a group, if it has one, and tells whether it was the last.
func (s *ipv4Groups) remove(a netip.Addr) (wasLast bool) {
	g := s.find(ipv4Number(a))
	if g == nil {
		return false
	}
	g.users--
	if g.users > 0 {
		return false
	}
	s.all.Remove(&g.place)
	s.spare.Free(g)
	return true
}

// users goes through the groups and how many users each has.
func (s *ipv4Groups) users() iter.Seq2[netip.Addr, uint32] {
	return func(yield func(netip.Addr, uint32) bool) {
		for g := range s.all.All() {
			var b [4]byte
			binary.BigEndian.PutUint32(b[:], g.number)
			if !yield(netip.AddrFrom4(b), g.users) {
				return
			}
		}
	}
}

package kernel

import (
	"encoding/binary"
	"iter"
	"net/netip"

	"joinmcast/sim/fabric"
)

// ipv4Groups are the IPv4 groups of a network device with their users, kept by the 23 bits that go into a group's
// link-layer address: so they tell what the filter lets in as well. A join and a leave are mostly the finding of
// things, and this is one thing to find.
type ipv4Groups map[uint32]ipv4Users

// ipv4Users are the users of a group, and of those that share its link-layer address.
type ipv4Users struct {
	group  uint32
	users  uint32
	others *ipv4Users
}

// macBits of an IPv4 group go into its link-layer address (RFC 1112).
const macBits = 1<<23 - 1

// ipv4Filter is what that address begins with.
const ipv4Filter = 0x01005e000000

func ipv4Number(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// has tells whether a group has a user.
func (g ipv4Groups) has(a netip.Addr) bool {
	if !a.Is4() {
		return false
	}
	group := ipv4Number(a)
	first := g[group&macBits]
	for e := &first; e != nil; e = e.others {
		if e.group == group && e.users > 0 {
			return true
		}
	}
	return false
}

// lets tells whether a link-layer address is a group's.
func (g ipv4Groups) lets(m fabric.MAC) bool {
	number := macNumber(m)
	_, ok := g[uint32(number&macBits)]
	return ok && number&^macBits == ipv4Filter
}

// add counts a user of a group and tells whether it is the first.
func (g ipv4Groups) add(a netip.Addr) (isFirst bool) {
	group := ipv4Number(a)
	first, ok := g[group&macBits]
	if !ok {
		g[group&macBits] = ipv4Users{group: group, users: 1}
		return true
	}
	for e := &first; e != nil; e = e.others {
		if e.group == group {
			e.users++
			g[group&macBits] = first
			return false
		}
	}
	first.others = &ipv4Users{group: group, users: 1, others: first.others}
	g[group&macBits] = first
	return true
}

// remove takes a user off a group, if it has one, and tells whether it was the last.
func (g ipv4Groups) remove(a netip.Addr) (wasLast bool) {
	group := ipv4Number(a)
	first, ok := g[group&macBits]
	if !ok {
		return false
	}
	if first.group == group && first.users == 1 && first.others == nil {
		delete(g, group&macBits)
		return true
	}
	head := &first
	for at := &head; *at != nil; at = &(*at).others {
		if e := *at; e.group == group {
			e.users--
			if wasLast = e.users == 0; wasLast {
				*at = e.others
			}
			break
		}
	}
	g[group&macBits] = *head
	return wasLast
}

// all goes through the groups and their users.
func (g ipv4Groups) all() iter.Seq2[netip.Addr, uint32] {
	return func(yield func(netip.Addr, uint32) bool) {
		for _, first := range g {
			for e := &first; e != nil; e = e.others {
				var b [4]byte
				binary.BigEndian.PutUint32(b[:], e.group)
				if !yield(netip.AddrFrom4(b), e.users) {
					return
				}
			}
		}
	}
}

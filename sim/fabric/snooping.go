package fabric

import (
	"maps"
	"net/netip"
	"slices"
)

// Snooping is how a switch listens to what hosts say of their groups by IGMP and MLD (RFC 4541).
//
// The world has no clock, so the switch tells time by the datagrams that it carries: one is a second.
type Snooping struct {
	Querier  bool // it asks in every interval which groups have members; without, nobody does
	Interval int  // datagrams from one query to the next; 0: QueryInterval
}

// QueryInterval is how many datagrams lie between two queries unless Snooping says another number (RFC 3376, section
// 8.2).
const QueryInterval = 125

// robustness is how many intervals without a word a membership outlives (RFC 3376, section 8.1).
const robustness = 2

// snooping is what a switch knows by it. It tells groups apart by their link-layer addresses, as many do: those that
// share one are forwarded together.
type snooping struct {
	Snooping
	of        *Switch
	members   map[channel]*listeners
	routers   *listeners // of all groups: where queries come from
	vlans     []uint16   // on which hosts have spoken, untagged among them
	carried   int        // datagrams in this interval
	intervals int        // that have ended
}

// channel is a group's link-layer address on a VLAN.
type channel struct {
	vlan uint16
	mac  MAC
}

// Snoop makes the switch forward a group's frames to the ports of its members only. What hosts take in without a word
// of it is flooded still, and so is all that is not IP.
func (s *Switch) Snoop(how Snooping) {
	if how.Interval == 0 {
		how.Interval = QueryInterval
	}
	s.snooping = &snooping{Snooping: how, of: s, members: map[channel]*listeners{}, routers: newListeners()}
}

// floods tells what goes to all ports (RFC 4541, sections 2.1.2 and 3).
func (s *snooping) floods(f Frame) bool {
	isIP := f.Type == IPv4 || f.Type == IPv6
	return !isIP || f.IP.Dst == allNodes || f.IP.Dst.Is4() && f.IP.Dst.IsLinkLocalMulticast()
}

// forward hands a frame to the members of its group, and to routers.
func (s *snooping) forward(from *Link, f Frame) {
	members := s.members[channel{f.VLAN, f.Dst}]
	members.deliver(from, f)
	for _, router := range s.routers.links {
		if !members.has(router) {
			router.deliver(from, f)
		}
	}
}

// hear learns from a host's word on its groups, and lets routers know of it; a query tells where a router is, and all
// hosts are to hear it.
func (s *snooping) hear(from *Link, f Frame) {
	if !slices.Contains(s.vlans, f.VLAN) {
		s.vlans = append(s.vlans, f.VLAN)
	}
	if f.Membership.Query {
		s.routers.add(from, netip.Addr{}, s.intervals)
		s.of.flood(from, f)
		return
	}
	for _, r := range f.Membership.Records {
		if r.Group.IsMulticast() {
			s.learn(from, channel{f.VLAN, GroupMAC(r.Group)}, r)
		}
	}
	s.routers.deliver(from, f)
}

// learn notes a record. A port has one station, so when that leaves a group nobody else is asked.
func (s *snooping) learn(from *Link, c channel, r GroupRecord) {
	members := s.members[c]
	switch {
	case r.Type == ChangeToInclude:
		members.remove(from, r.Group)
	case members == nil:
		members = newListeners()
		s.members[c] = members
		fallthrough
	default:
		members.add(from, r.Group, s.intervals)
	}
}

// tick counts a datagram. At the end of an interval memberships grow old: after the answers to a query, which are on
// their way when it is sent.
func (s *snooping) tick() {
	if s.carried++; s.carried < s.Interval {
		return
	}
	s.carried = 0
	s.intervals++
	if !s.Querier {
		s.age()
		return
	}
	for _, vlan := range s.vlans {
		s.of.ask(query(IPv4, vlan))
		s.of.ask(query(IPv6, vlan))
	}
	s.of.arrive(arrival{done: s.age})
}

// age drops what was not heard of for too long.
func (s *snooping) age() {
	oldest := s.intervals - robustness
	s.routers.age(oldest)
	for c, members := range s.members {
		if members.age(oldest); len(members.links) == 0 {
			delete(s.members, c)
		}
	}
}

// listeners are the links that want what comes on a channel. A nil one has none.
type listeners struct {
	links []*Link                      // in the order they spoke up
	heard map[*Link]map[netip.Addr]int // when, in intervals, by group
}

func newListeners() *listeners { return &listeners{heard: map[*Link]map[netip.Addr]int{}} }

func (l *listeners) has(link *Link) bool { return l != nil && l.heard[link] != nil }

// add notes that one spoke of a group.
func (l *listeners) add(link *Link, group netip.Addr, now int) {
	if l.heard[link] == nil {
		l.heard[link] = map[netip.Addr]int{}
		l.links = append(l.links, link)
	}
	l.heard[link][group] = now
}

// remove takes a link's interest in a group back.
func (l *listeners) remove(link *Link, group netip.Addr) {
	if !l.has(link) {
		return
	}
	if delete(l.heard[link], group); len(l.heard[link]) == 0 {
		delete(l.heard, link)
		l.links = slices.DeleteFunc(l.links, func(o *Link) bool { return o == link })
	}
}

// age drops what was heard before the oldest that counts.
func (l *listeners) age(oldest int) {
	l.links = slices.DeleteFunc(l.links, func(link *Link) bool {
		maps.DeleteFunc(l.heard[link], func(_ netip.Addr, heard int) bool { return heard < oldest })
		gone := len(l.heard[link]) == 0
		if gone {
			delete(l.heard, link)
		}
		return gone
	})
}

// deliver hands a frame to all but its sender.
func (l *listeners) deliver(from *Link, f Frame) {
	if l == nil {
		return
	}
	for _, to := range l.links {
		to.deliver(from, f)
	}
}

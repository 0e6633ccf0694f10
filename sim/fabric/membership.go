package fabric

import "net/netip"

// Membership is a message of IGMPv3 on IPv4 groups (RFC 3376), or of MLDv2 on IPv6 ones (RFC 3810).
type Membership struct {
	Query   bool          // which groups have members here?
	Records []GroupRecord // of a report; of a query, the group it asks for, none for all
}

// GroupRecord is what a report says of one group.
type GroupRecord struct {
	Type  RecordType
	Group netip.Addr
}

// RecordType is the type of a group record. Its sources are always none: to exclude none is to be a member, to include
// none is not to be one.
type RecordType uint8

// Types of a group record (RFC 3376, section 4.2.12; RFC 3810, section 5.2.12).
const (
	ModeIsExclude   RecordType = 2 // the answer to a query
	ChangeToInclude RecordType = 3 // the end of a membership
	ChangeToExclude RecordType = 4 // its beginning
)

// Addresses that membership messages go to (RFC 3376, sections 4.1.12 and 4.2.14; RFC 3810, sections 5.1.15 and
// 5.2.14).
var (
	allSystems    = netip.MustParseAddr("224.0.0.1")
	allNodes      = netip.MustParseAddr("ff02::1")
	igmpv3Routers = netip.MustParseAddr("224.0.0.22")
	mldv2Routers  = netip.MustParseAddr("ff02::16")
)

// Source addresses of the querier within the switch, which has no IPv4 address of its own (RFC 4541, section 2.1.1).
var (
	querierMAC  = MAC{0x02, 0, 0, 0xff, 0xff, 0xff}
	querierIPv6 = netip.MustParseAddr("fe80::ff:feff:ffff")
)

// internetworkControl is the type of service of IGMP messages.
const internetworkControl = 0xc0

// query is the switch's general query on a VLAN.
func query(t EtherType, vlan uint16) Frame {
	f := Frame{Src: querierMAC, VLAN: vlan, Type: t, Membership: &Membership{Query: true}}
	f.IP = Header{Src: netip.IPv4Unspecified(), Dst: allSystems, TrafficClass: internetworkControl, HopLimit: 1}
	if t == IPv6 {
		f.IP = Header{Src: querierIPv6, Dst: allNodes, HopLimit: 1}
	}
	f.Dst = GroupMAC(f.IP.Dst)
	return f
}

// Report is the frame by which a station tells of its groups; from decides between IGMP and MLD.
func Report(src MAC, vlan uint16, from netip.Addr, records ...GroupRecord) Frame {
	f := Frame{Src: src, VLAN: vlan, Type: IPv4, Membership: &Membership{Records: records}}
	f.IP = Header{Src: from, Dst: igmpv3Routers, TrafficClass: internetworkControl, HopLimit: 1}
	if from.Is6() {
		f.Type = IPv6
		f.IP = Header{Src: from, Dst: mldv2Routers, HopLimit: 1}
	}
	f.Dst = GroupMAC(f.IP.Dst)
	return f
}

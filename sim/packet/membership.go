package packet

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"joinmcast/sim/fabric"
)

// What a querier says of itself by default (RFC 3376 and RFC 3810, sections 8 and 9).
const (
	robustness     = 2
	queryInterval  = 125 // seconds
	generalWithin  = 10  // seconds to answer a general query
	specificWithin = 1   // seconds to answer for one group
)

// within is how long a query's hosts have to answer, in seconds, and the group that it asks for.
func within(m fabric.Membership, all netip.Addr) (seconds int, group netip.Addr) {
	if len(m.Records) == 0 {
		return generalWithin, all
	}
	return specificWithin, m.Records[0].Group
}

// Types of IGMPv3 messages (RFC 3376, section 4).
const (
	igmpQuery  = 0x11
	igmpReport = 0x22
)

// igmp is an IGMPv3 message in its IPv4 packet, which alerts routers (RFC 3376, section 4). Of a query with several
// records only the first can be written.
func igmp(h fabric.Header, m fabric.Membership) ([]byte, error) {
	header := ipv4(h, layers.IPProtocolIGMP)
	header.Options = []layers.IPv4Option{{OptionType: 148, OptionLength: 4, OptionData: []byte{0, 0}}}
	var message []byte
	if m.Query {
		const tenths = 10
		seconds, group := within(m, netip.IPv4Unspecified())
		message = append(message, igmpQuery, byte(seconds*tenths), 0, 0)
		message = append(message, group.AsSlice()...)
		message = append(message, robustness, queryInterval, 0, 0)
	} else {
		message = append(message, igmpReport, 0, 0, 0, 0, 0)
		message = binary.BigEndian.AppendUint16(message, uint16(len(m.Records)))
		for _, r := range m.Records {
			if !r.Group.Is4() {
				return nil, errors.New("IGMP has no group " + r.Group.String())
			}
			message = append(message, byte(r.Type), 0, 0, 0)
			message = append(message, r.Group.AsSlice()...)
		}
	}
	binary.BigEndian.PutUint16(message[2:], gopacket.FoldChecksum(gopacket.ComputeChecksum(message, 0)))
	return serialize(header, gopacket.Payload(message))
}

// mld is an MLDv2 message in its IPv6 packet, which alerts routers (RFC 3810, section 5).
func mld(h fabric.Header, m fabric.Membership) ([]byte, error) {
	header := grh(h, layers.IPProtocolIPv6HopByHop)
	header.HopByHop = &layers.IPv6HopByHop{Options: []*layers.IPv6HopByHopOption{
		{OptionType: 5, OptionData: []byte{0, 0}}, // router alert: MLD (RFC 2711)
		{OptionType: 1}, // padding
	}}
	header.HopByHop.NextHeader = layers.IPProtocolICMPv6
	icmp := &layers.ICMPv6{}
	if err := icmp.SetNetworkLayerForChecksum(header); err != nil {
		return nil, err
	}
	if !m.Query {
		icmp.TypeCode = layers.CreateICMPv6TypeCode(layers.ICMPv6TypeMLDv2MulticastListenerReportMessageV2, 0)
		report := &layers.MLDv2MulticastListenerReportMessage{}
		for _, r := range m.Records {
			report.MulticastAddressRecords = append(report.MulticastAddressRecords, layers.MLDv2MulticastAddressRecord{
				RecordType:       layers.MLDv2MulticastAddressRecordType(r.Type),
				MulticastAddress: net.IP(r.Group.AsSlice()),
			})
		}
		return serialize(header, icmp, report)
	}
	icmp.TypeCode = layers.CreateICMPv6TypeCode(layers.ICMPv6TypeMLDv1MulticastListenerQueryMessage, 0)
	const thousandths = 1000
	seconds, group := within(m, netip.IPv6Unspecified())
	return serialize(header, icmp, &layers.MLDv2MulticastListenerQueryMessage{
		MaximumResponseCode: uint16(seconds * thousandths), MulticastAddress: net.IP(group.AsSlice()),
		QueriersRobustnessVariable: robustness, QueriersQueryIntervalCode: queryInterval,
	})
}

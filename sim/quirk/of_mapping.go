package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/spec"
)

// ofMapping are the kernel's quirks in the way of the MGID and the link-layer address of a group on RoCE.
var ofMapping = []Quirk{
	{
		Name:     "filter-stays",
		Does:     "a leave does not take the group's link-layer address out of the filter",
		CaughtBy: "JM-MAP-04",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Mapping.KeepsMAC = true }),
	},
	{
		Name:     "mgid-has-port",
		Does:     "the port number of the address goes into the MGID",
		CaughtBy: "JM-ARG-06",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Mapping.MapsPort = true }),
	},
	{
		Name:     "mgid-of-mac-bits",
		Does:     "the MGID has of an IPv4 group the 23 bits that the link-layer address has",
		CaughtBy: "JM-MAP-06",
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Mapping.MapsMACBits = true }),
	},
	{
		Name:     "rocev1-cuts-ipv6",
		Does:     "an IPv6 group has on RoCEv1 the MGID of an IPv4 group with its last 32 bits",
		CaughtBy: "JM-MAP-07",
		On:       spec.RoCEv1,
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Mapping.CutsIPv6 = true }),
	},
	{
		Name:     "rocev1-leaves-by-mode",
		Does:     "a leave gives no IGMP membership back while the port is in the mode RoCEv1",
		CaughtBy: "JM-MAP-12",
		On:       spec.RoCEv1,
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Mapping.LeavesByMode = true }),
	},
	{
		Name:     "rocev1-maps-as-rocev2",
		Does:     "an IPv4 group has on RoCEv1 the MGID that it has on RoCEv2",
		CaughtBy: "JM-MAP-02",
		On:       spec.RoCEv1,
		apply:    kernelDoes(func(d *kernel.Deviations) { d.Mapping.MapsAsRoCEv2 = true }),
	},
}

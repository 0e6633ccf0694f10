package kernel

import (
	"maps"
	"net/netip"

	"joinmcast/sim/fabric"
)

// Groups that every host is in and says nothing of (RFC 3376, section 6; RFC 3810, section 6).
var (
	allSystems        = netip.MustParseAddr("224.0.0.1")
	allNodes          = netip.MustParseAddr("ff02::1")
	allNodesInterface = netip.MustParseAddr("ff01::1")
)

// joinGroup adds a user to a group. An IPv4 address need not be one of a group (ip_mc_inc_group does not look).
func (n *netdev) joinGroup(a netip.Addr) {
	if isFirst := a.Is4() && n.igmp.add(a) || a.Is6() && n.mld.add(a); isFirst {
		n.letIn(a)
		n.report(fabric.ChangeToExclude, a)
	}
}

// leaveGroup takes a user off a group; nothing happens when there is none (ip_mc_dec_group).
func (n *netdev) leaveGroup(a netip.Addr) {
	if wasLast := a.Is4() && n.igmp.remove(a) || a.Is6() && n.mld.remove(a); wasLast {
		n.dropFilter(a)
		n.report(fabric.ChangeToInclude, a)
	}
}

// letIn lets a group's frames in. The IPv4 groups of a device that is no VLAN do that by themselves.
func (n *netdev) letIn(a netip.Addr) {
	if !n.letsIn(a) {
		n.addFilter(fabric.GroupMAC(a))
	}
}

// shutOut takes a letIn back.
func (n *netdev) shutOut(a netip.Addr) {
	if !n.letsIn(a) {
		n.removeFilter(fabric.GroupMAC(a))
	}
}

// letsIn tells a group whose membership is what lets its frames in, or that no frame is sent to (igmp6_group_added).
func (n *netdev) letsIn(a netip.Addr) bool {
	return n.parent == nil && a.Is4() || a.IsInterfaceLocalMulticast()
}

// joinAllNodes makes the IPv6 memberships that Linux makes by itself.
func (n *netdev) joinAllNodes() {
	for _, a := range []netip.Addr{allNodes, allNodesInterface} {
		if !n.mld.has(a) {
			n.joinGroup(a)
		}
	}
}

// leaveAllMLD ends all IPv6 memberships.
func (n *netdev) leaveAllMLD() {
	for a, users := range maps.Collect(n.mld.all()) {
		for range users {
			n.leaveGroup(a)
		}
	}
}

// addFilter lets frames to a link-layer address in. What a VLAN lets in its parent must, and the VLAN counts that too
// (dev_mc_sync).
func (n *netdev) addFilter(a fabric.MAC) {
	if n.filters.add(a) && n.parent != nil {
		n.filters.add(a)
		n.parent.addFilter(a)
	}
}

// removeFilter takes an addFilter back.
func (n *netdev) removeFilter(a fabric.MAC) {
	n.filters.remove(a)
	if n.parent != nil && n.filters.users(a) == 1 {
		n.filters.remove(a)
		n.parent.removeFilter(a)
	}
}

// robustness is how often a change is told, in case that a message is lost (RFC 3376, section 8.1).
const robustness = 2

// report tells the wire that the device is a member of a group now, or no longer.
func (n *netdev) report(t fabric.RecordType, a netip.Addr) {
	if link := n.lowest().link; link == nil || !link.Attentive() || !n.running() || !isReported(a) {
		return // nobody listens, or it does not speak
	}
	for range robustness {
		n.say(a.Is4(), fabric.GroupRecord{Type: t, Group: a})
	}
}

// isReported tells a group that a host must say it is in.
func isReported(a netip.Addr) bool {
	return a != allSystems && a != allNodes && !a.IsInterfaceLocalMulticast()
}

// answerQuery tells the wire of every group of a family (RFC 3376, section 5.2).
func (n *netdev) answerQuery(t fabric.EtherType) {
	groups := n.mld.all()
	if t == fabric.IPv4 {
		groups = n.igmp.users()
	}
	var records []fabric.GroupRecord
	for _, m := range memberships(n, groups) {
		if isReported(m.Group) {
			records = append(records, fabric.GroupRecord{Type: fabric.ModeIsExclude, Group: m.Group})
		}
	}
	if len(records) > 0 {
		n.say(t == fabric.IPv4, records...)
	}
}

// say sends a report: by IGMP from the device's first IPv4 address, by MLD from its link-local one, and from the
// unspecified address when there is none.
func (n *netdev) say(isIGMP bool, records ...fabric.GroupRecord) {
	from := netip.IPv6Unspecified()
	if isIGMP {
		from = netip.IPv4Unspecified()
	}
	for _, p := range n.addrs {
		if p.Addr().Is4() == isIGMP && (isIGMP || p.Addr().IsLinkLocalUnicast()) {
			from = p.Addr()
			break
		}
	}
	n.send(fabric.Report(n.MAC(), n.vlan, from, records...))
}

package rig

import (
	"fmt"

	"joinmcast/spec"
)

// NameIGMPChange says how a host's IGMP memberships differ: "none", "group -1" when the group's users on one network
// device are all that changed, and by how many, else "other".
func NameIGMPChange(before, after spec.HostState, group Group) string {
	type key struct{ netdev, group string }
	users := map[key]int{}
	for _, m := range after.IGMP {
		users[key{m.Netdev, m.Group.String()}] += m.Users
	}
	for _, m := range before.IGMP {
		users[key{m.Netdev, m.Group.String()}] -= m.Users
	}
	change := "none"
	for k, n := range users {
		switch {
		case n == 0:
		case change == "none" && k.group == group.Addr.String():
			change = fmt.Sprintf("group %+d", n)
		default:
			return "other"
		}
	}
	return change
}

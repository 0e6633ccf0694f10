package suite

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// view is how a requirement of chapter CLEAN sees a host before and after a spec that used these groups: symbols for
// the observation, and for a person what is left, a line each.
type view func(before, after spec.HostState, groups map[netip.Addr]bool) (map[string]string, []string)

// leftovers are the views by requirement.
var leftovers = map[string]view{
	"JM-CLEAN-01": func(before, after spec.HostState, _ map[netip.Addr]bool) (map[string]string, []string) {
		seen := map[string]string{"log": "quiet", "taint": "same"}
		var evidence []string
		if added := after.KernelLog[min(len(before.KernelLog), len(after.KernelLog)):]; len(added) > 0 {
			seen["log"] = "defect"
			evidence = append(evidence, added...)
		}
		if before.Taint != after.Taint {
			seen["taint"] = "changed"
			evidence = append(evidence, fmt.Sprintf("taint %d -> %d", before.Taint, after.Taint))
		}
		return seen, evidence
	},
	"JM-CLEAN-02": func(before, after spec.HostState, _ map[netip.Addr]bool) (map[string]string, []string) {
		evidence := changes(before.Resources, after.Resources)
		return map[string]string{"resources": sameOrKinds(evidence)}, evidence
	},
	"JM-CLEAN-03": func(before, after spec.HostState, _ map[netip.Addr]bool) (map[string]string, []string) {
		igmp := changes(members(before.IGMP), members(after.IGMP))
		mld := changes(members(before.MLD), members(after.MLD))
		return map[string]string{"igmp": sameOrChanged(igmp), "mld": sameOrChanged(mld)},
			slices.Concat(igmp, mld)
	},
	"JM-CLEAN-04": func(before, after spec.HostState, groups map[netip.Addr]bool) (map[string]string, []string) {
		evidence := changes(filters(before.Filters), filters(after.Filters))
		return map[string]string{"filter": nameFilters(evidence, groups)}, evidence
	},
}

// comparison is one host before and after the spec.
type comparison struct {
	name          string
	before, after spec.HostState
}

// compare observes again every host that the spec has used.
func (j *judged) compare(ctx context.Context) ([]comparison, error) {
	var used []comparison
	for _, host := range j.world.Hosts() {
		before := host.Before()
		if before == nil {
			continue
		}
		after, err := host.Observe(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be observed: %w", host.Name(), err)
		}
		used = append(used, comparison{host.Name(), *before, after})
	}
	return used, nil
}

// judgeLeftovers judges the hosts that the spec has used, and says what is left of it, if anything. What the
// requirements of chapter CLEAN need are capabilities like any other's; without them nothing was seen.
func (j *judged) judgeLeftovers(ctx context.Context) (dirt string, err error) {
	used, err := j.compare(ctx)
	if err != nil || len(used) == 0 {
		return "", err
	}
	var dirty []string
	for _, q := range j.run.law.All() {
		view, ok := leftovers[q.ID]
		if !ok {
			continue
		}
		finding, err := j.find(q, view, used)
		if err != nil {
			return "", err
		}
		if finding.Verdict == verdict.Fail {
			dirty = append(dirty, fmt.Sprintf("%s: %s It left: %s", q.ID, q.Says, finding.Evidence))
		}
		j.result.Clean = append(j.result.Clean, finding)
	}
	return strings.Join(dirty, "\n"), nil
}

// linesKept is how many lines of what a spec left on a host a report keeps: a limit's spec may leave thousands.
const linesKept = 100

// find takes one requirement's view of the hosts that the spec has used.
func (j *judged) find(q catalogue.Requirement, view view, used []comparison) (reports.CleanFinding, error) {
	finding := reports.CleanFinding{Requirement: q.ID, Verdict: verdict.Pass}
	need, why, err := j.run.lacks(q)
	if need != "" || err != nil {
		finding.Verdict, finding.Evidence = verdict.Skip, why
		return finding, err
	}
	for _, host := range used {
		seen, left := view(host.before, host.after, j.world.Groups())
		if finding.Observed == nil || len(left) > 0 {
			finding.Observed = seen
		}
		if more := len(left) - linesKept; more > 0 {
			left = append(left[:linesKept], fmt.Sprintf("and %d more", more))
		}
		for _, line := range left {
			finding.Left = append(finding.Left, host.name+": "+line)
		}
	}
	if len(finding.Left) == 0 {
		return finding, nil
	}
	finding.Verdict, finding.Evidence = verdict.Fail, strings.Join(finding.Left, "; ")
	issue, why := j.run.applying.Match(verdict.Outcome{
		Requirement: q.ID, During: j.law.ID, Verdict: verdict.Fail, Observed: finding.Observed,
	})
	if issue != nil {
		finding.Verdict, finding.KnownIssue = verdict.Known, issue.ID
	}
	finding.NotKnown = why
	return finding, nil
}

// changes are the keys whose counts differ, as in "qp 1 -> 2", sorted.
func changes(before, after map[string]int) []string {
	all := maps.Clone(before)
	if all == nil {
		all = map[string]int{}
	}
	maps.Copy(all, after)
	var differ []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if before[key] != after[key] {
			differ = append(differ, fmt.Sprintf("%s %d -> %d", key, before[key], after[key]))
		}
	}
	return differ
}

func members(list []spec.Membership) map[string]int {
	users := map[string]int{}
	for _, m := range list {
		users[m.Netdev+" "+m.Group.String()] += m.Users
	}
	return users
}

func filters(list []spec.LinkFilter) map[string]int {
	users := map[string]int{}
	for _, f := range list {
		users[f.Netdev+" "+f.Addr] += f.Users
	}
	return users
}

func sameOrChanged(changes []string) string {
	if len(changes) == 0 {
		return "same"
	}
	return "changed"
}

// sameOrKinds names the kinds of resources that changed, as in "cq qp".
func sameOrKinds(changes []string) string {
	if len(changes) == 0 {
		return "same"
	}
	kinds := make([]string, len(changes))
	for i, c := range changes {
		kinds[i], _, _ = strings.Cut(c, " ")
	}
	return strings.Join(kinds, " ")
}

// nameFilters says which kinds of link-layer addresses changed: "33:33+group" and "01:00:5e+group" are those that a
// group of the spec maps to by the IPv6 and the IPv4 rule (RFC 2464, RFC 1112), "other" any other.
func nameFilters(changes []string, groups map[netip.Addr]bool) string {
	if len(changes) == 0 {
		return "same"
	}
	known := map[string]string{}
	for g := range groups {
		b := g.As16()
		known[fmt.Sprintf("33:33:%02x:%02x:%02x:%02x", b[12], b[13], b[14], b[15])] = "33:33+group"
		known[fmt.Sprintf("01:00:5e:%02x:%02x:%02x", b[13]&0x7f, b[14], b[15])] = "01:00:5e+group"
	}
	kinds := map[string]bool{}
	for _, c := range changes {
		addr := strings.Fields(c)[1]
		if kind, ok := known[addr]; ok {
			kinds[kind] = true
		} else {
			kinds["other"] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(kinds)), " ")
}

package walk

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// theme is what a walk is about: what it begins with, and what calls it draws.
type theme struct {
	prelude func(d *drawer) []Step
	others  []string // processes beside p1
	stories []story
	storyIn int // one walk in so many tells a story
	draws   []string
}

// themeOf is which of the themes a seed's walk has: of walks in a row, each has its share.
func themeOf(seed uint64) int { return int(seed % uint64(len(themes))) }

// someStories are the theme's in any order, or none.
func (t theme) someStories(r *rand.Rand) []story {
	if r.IntN(t.storyIn) > 0 {
		return nil
	}
	stories := slices.Clone(t.stories)
	r.Shuffle(len(stories), func(i, k int) { stories[i], stories[k] = stories[k], stories[i] })
	return stories
}

// order is the order in which the calls are tried; the first one that finds something to act on is made. One call comes
// before another as often as their weights say, and the later the more often the walk has made it, so that walks differ
// little in how often they make each.
func (t theme) order(r *rand.Rand, weights Weights, made map[string]int) []string {
	names := slices.Clone(t.draws)
	comes := map[string]float64{}
	for _, name := range names {
		again := float64(1 + made[name])
		comes[name] = r.ExpFloat64() * again * again / weights[name]
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(comes[a], comes[b]) })
	return names
}

var (
	ofMembers = []story{
		twice, twice, raced, raced, byHand, misspelled, sendOnlyBeside, unicast, toASleeper, toASleeper, takenAlong,
		toNoChannel,
	}
	ofBinding = []story{
		attempt, attempt, joinBeforeRoute, joinBeforeRoute, stranger, routed, sourceGone, sourceGone, onVLAN, linkDown,
		tooSmall,
	}
	ofData = []story{exchange, exchange, exchange, overheard, overheard, twins, linkDown}
)

var (
	members = theme{member, []string{"p2"}, ofMembers, 2, []string{
		anew, Configure, "ibv_attach_mcast", "ibv_create_ah", "ibv_destroy_ah", "ibv_destroy_qp", "ibv_detach_mcast",
		"ibv_poll_cq", "ibv_post_recv", "ibv_post_send", "ibv_query_device", Observe, "poll", "rdma_ack_cm_event",
		"rdma_create_qp", "rdma_destroy_ep", "rdma_destroy_event_channel", "rdma_destroy_id", "rdma_destroy_qp",
		"rdma_get_cm_event", "rdma_join_multicast", "rdma_join_multicast_ex", "rdma_leave_multicast",
		"rdma_migrate_id", "read_id", "script",
	}}
	resolution = theme{unbound, nil, ofBinding, 3, []string{
		anew, Configure, "ibv_query_device", "poll", "rdma_ack_cm_event", "rdma_bind_addr", "rdma_create_ep",
		"rdma_create_id", "rdma_destroy_ep", "rdma_destroy_event_channel", "rdma_destroy_id", "rdma_get_cm_event",
		"rdma_join_multicast", "rdma_join_multicast_ex", "rdma_listen", "rdma_migrate_id", "rdma_resolve_addr",
		"rdma_resolve_route", "read_id", "script",
	}}
	data = theme{sender, []string{"p2", "q1", "q1"}, ofData, 4, []string{
		anew, "ibv_attach_mcast", "ibv_create_ah", "ibv_destroy_ah", "ibv_destroy_qp", "ibv_detach_mcast",
		"ibv_poll_cq", "ibv_post_recv", "ibv_post_send", "ibv_query_device", "poll", "rdma_ack_cm_event", "rdma_destroy_qp",
		"rdma_get_cm_event", "rdma_join_multicast_ex", "rdma_leave_multicast",
	}}
	mischief = theme{bound, []string{"p3"}, nil, 1, []string{
		"allocations", anew, "fail_next", "fork", Observe, "open", "rdma_create_ep", "rdma_create_qp",
		"rdma_destroy_id", "rdma_get_cm_event", "rdma_join_multicast", "rdma_join_multicast_ex", "rdma_leave_multicast",
		"rdma_listen", "script", "set_fd", "seteuid", "write",
	}}

	themes = []theme{
		members, members, members, resolution, resolution, resolution, resolution, resolution,
		data, data, data, data, mischief, mischief, mischief,
	}
)

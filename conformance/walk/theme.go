package walk

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
)

// theme is what a walk is about: what it begins with, and how often it draws each call.
type theme struct {
	prelude func(d *drawer) []Step
	others  []string // processes beside p1
	stories []story
	storyIn int                // one walk in so many tells a story
	weights map[string]float64 // of calls, and of beginning anew
}

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
// before another as often as their weights say, and the later the more often the walk has made it.
func (t theme) order(r *rand.Rand, made map[string]int) []string {
	names := slices.Sorted(maps.Keys(t.weights))
	comes := map[string]float64{}
	for _, name := range names {
		comes[name] = r.ExpFloat64() * float64(1+made[name]) / t.weights[name]
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

// The weights are such that over many walks every call has its share of the steps (Coverage).
var (
	members = theme{member, []string{"p2"}, ofMembers, 2, map[string]float64{
		anew: 0.0058, Configure: 0.0023, "ibv_attach_mcast": 58, "ibv_create_ah": 0.00098, "ibv_destroy_ah": 77,
		"ibv_destroy_qp": 640, "ibv_detach_mcast": 55, "ibv_poll_cq": 0.00098, "ibv_post_recv": 28, "ibv_post_send": 20000,
		"ibv_query_device": 10, Observe: 0.0087, "poll": 110, "rdma_ack_cm_event": 1.4, "rdma_create_qp": 0.00098,
		"rdma_destroy_ep": 16, "rdma_destroy_event_channel": 42, "rdma_destroy_id": 0.00098, "rdma_destroy_qp": 52,
		"rdma_get_cm_event": 0.048, "rdma_join_multicast": 0.00098, "rdma_join_multicast_ex": 7.5,
		"rdma_leave_multicast": 14, "rdma_migrate_id": 0.00098, "read_id": 17, "script": 77,
	}}
	resolution = theme{unbound, nil, ofBinding, 3, map[string]float64{
		anew: 0.029, Configure: 0.012, "ibv_query_device": 55, "poll": 610, "rdma_ack_cm_event": 7.5,
		"rdma_bind_addr": 0.00098, "rdma_create_ep": 0.00098, "rdma_create_id": 0.00098, "rdma_destroy_ep": 83,
		"rdma_destroy_event_channel": 230, "rdma_destroy_id": 0.00098, "rdma_get_cm_event": 0.27,
		"rdma_join_multicast": 0.00098, "rdma_join_multicast_ex": 39, "rdma_listen": 92, "rdma_migrate_id": 0.00098,
		"rdma_resolve_addr": 120, "rdma_resolve_route": 150, "read_id": 85, "script": 430,
	}}
	data = theme{sender, []string{"p2", "q1", "q1"}, ofData, 4, map[string]float64{
		anew: 0.0012, "ibv_attach_mcast": 13, "ibv_create_ah": 0.00098, "ibv_destroy_ah": 16, "ibv_destroy_qp": 130,
		"ibv_detach_mcast": 12, "ibv_poll_cq": 0.00098, "ibv_post_recv": 6.2, "ibv_post_send": 4300,
		"ibv_query_device": 2.2, "rdma_ack_cm_event": 0.32, "rdma_destroy_qp": 12, "rdma_get_cm_event": 0.01,
		"rdma_join_multicast_ex": 1.5, "rdma_leave_multicast": 3,
	}}
	mischief = theme{bound, []string{"p3"}, nil, 1, map[string]float64{
		"allocations": 19, anew: 0.0035, "fail_next": 14, "fork": 110, Observe: 0.0057, "open": 19, "poll": 71,
		"rdma_create_ep": 0.00098, "rdma_create_qp": 0.00098, "rdma_destroy_event_channel": 27, "rdma_destroy_id": 0.00098,
		"rdma_get_cm_event": 0.031, "rdma_join_multicast": 0.00098, "rdma_join_multicast_ex": 4.7,
		"rdma_leave_multicast": 8.6, "rdma_listen": 10, "script": 51, "set_fd": 180, "seteuid": 19, "write": 23,
	}}

	themes = []theme{
		members, members, members, resolution, resolution, resolution, resolution, data, data, data, data,
		mischief, mischief, mischief,
	}
)

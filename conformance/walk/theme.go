package walk

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// theme is what a walk is about: what it begins with, and how often it draws each call.
type theme struct {
	name    string
	prelude func(d *drawer) []Step
	others  []string // processes beside p1
	stories []story
	weights map[string]int
}

// pick draws a call by its weight, which shrinks with each time that the walk has made the call.
func (t theme) pick(r *rand.Rand, made map[string]int) string {
	weight := func(name string) int { return fine * t.weights[name] / (1 + made[name]) }
	total := 0
	for name := range t.weights {
		total += weight(name)
	}
	n := r.IntN(total)
	for _, name := range slices.Sorted(maps.Keys(t.weights)) {
		if n -= weight(name); n < 0 {
			return name
		}
	}
	return "" // not reached
}

// fine keeps a weight that has shrunk from becoming nothing.
const fine = 100

var (
	ofMembers = []story{
		twice, twice, twice, byHand, misspelled, sendOnlyBeside, unicast, toASleeper, takenAlong, toNoChannel, tooSmall,
	}
	ofBinding = []story{
		attempt, attempt, joinBeforeRoute, stranger, routed, sourceGone, sourceGone, onVLAN, linkDown, tooSmall,
	}
	ofData = []story{exchange, exchange, overheard, overheard, twins, linkDown}
)

// The weights are such that over many walks every call has its share of the steps (Coverage): a call that seldom finds
// something to act on weighs much.
var (
	members = theme{"members", member, []string{"p2"}, ofMembers, map[string]int{
		Configure: 1500, "ibv_attach_mcast": 2100000, "ibv_create_ah": 580, "ibv_destroy_ah": 1600000,
		"ibv_destroy_qp": 16000000, "ibv_detach_mcast": 1900000, "ibv_poll_cq": 2600, "ibv_post_recv": 720000,
		"ibv_post_send": 100000000, "ibv_query_device": 800000, Observe: 400, "poll": 7100000,
		"rdma_ack_cm_event": 330000, "rdma_create_qp": 200, "rdma_destroy_ep": 460000,
		"rdma_destroy_event_channel": 3800000, "rdma_destroy_id": 130000, "rdma_destroy_qp": 5600000,
		"rdma_get_cm_event": 93000, "rdma_join_multicast": 200, "rdma_join_multicast_ex": 1600000,
		"rdma_leave_multicast": 2300000, "rdma_migrate_id": 4500, "read_id": 1300000, "script": 6600000,
	}}
	resolution = theme{"resolution", unbound, nil, ofBinding, map[string]int{
		Configure: 200, "ibv_query_device": 800000, "poll": 2400000, "rdma_ack_cm_event": 180000, "rdma_bind_addr": 140,
		"rdma_create_ep": 200, "rdma_create_id": 200, "rdma_destroy_ep": 1800000, "rdma_destroy_event_channel": 910000,
		"rdma_destroy_id": 190000, "rdma_get_cm_event": 120000, "rdma_join_multicast": 200,
		"rdma_join_multicast_ex": 550000, "rdma_listen": 2400000, "rdma_migrate_id": 3300,
		"rdma_resolve_addr": 2400000, "rdma_resolve_route": 3000000, "read_id": 1300000, "script": 6600000,
	}}
	data = theme{"data", sender, []string{"p2", "q1", "q1"}, ofData, map[string]int{
		"ibv_attach_mcast": 930000, "ibv_create_ah": 740, "ibv_destroy_ah": 4000000, "ibv_destroy_qp": 960000,
		"ibv_detach_mcast": 930000, "ibv_poll_cq": 5200, "ibv_post_recv": 2100000, "ibv_post_send": 360000000,
		"ibv_query_device": 490000, "rdma_ack_cm_event": 68000, "rdma_destroy_qp": 860000, "rdma_get_cm_event": 76000,
		"rdma_join_multicast_ex": 240000, "rdma_leave_multicast": 470000,
	}}
	mischief = theme{"mischief", bound, []string{"p3"}, slices.Concat(ofMembers, ofBinding), map[string]int{
		"allocations": 1600000, "fail_next": 930000, "fork": 5900000, Observe: 300, "open": 1500000, "poll": 100000,
		"rdma_create_ep": 200, "rdma_create_qp": 200, "rdma_destroy_event_channel": 1100000, "rdma_destroy_id": 10000,
		"rdma_get_cm_event": 39000, "rdma_join_multicast": 200, "rdma_join_multicast_ex": 38000,
		"rdma_leave_multicast": 110000, "rdma_listen": 60000, "script": 900000, "set_fd": 7000000, "seteuid": 1600000,
		"write": 2000000,
	}}

	themes = []theme{
		members, members, members, members, resolution, resolution, resolution, resolution, data, data, data, data,
		mischief, mischief, mischief,
	}
)

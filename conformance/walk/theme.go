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

// The weights are such that over many walks every call has its share of the steps (Coverage): a call that seldom finds
// something to act on weighs much.
var (
	members = theme{"members", member, []string{"p2"}, map[string]int{
		Configure: 1500, "ibv_attach_mcast": 2000000, "ibv_create_ah": 1400, "ibv_destroy_ah": 1800000,
		"ibv_destroy_qp": 13000000, "ibv_detach_mcast": 1700000, "ibv_poll_cq": 8800, "ibv_post_recv": 830000,
		"ibv_post_send": 110000000, "ibv_query_device": 710000, Observe: 400, "poll": 5200000,
		"rdma_ack_cm_event": 280000, "rdma_create_qp": 200, "rdma_destroy_ep": 370000,
		"rdma_destroy_event_channel": 2700000, "rdma_destroy_id": 270000, "rdma_destroy_qp": 5300000,
		"rdma_get_cm_event": 92000, "rdma_join_multicast": 200, "rdma_join_multicast_ex": 1400000,
		"rdma_leave_multicast": 2100000, "rdma_migrate_id": 13000, "read_id": 1100000, "script": 5400000,
	}}
	resolution = theme{"resolution", unbound, nil, map[string]int{
		Configure: 200, "ibv_query_device": 710000, "poll": 1800000, "rdma_ack_cm_event": 160000, "rdma_bind_addr": 140,
		"rdma_create_ep": 200, "rdma_create_id": 200, "rdma_destroy_ep": 1400000, "rdma_destroy_event_channel": 660000,
		"rdma_destroy_id": 390000, "rdma_get_cm_event": 110000, "rdma_join_multicast": 200,
		"rdma_join_multicast_ex": 470000, "rdma_listen": 2200000, "rdma_migrate_id": 10000,
		"rdma_resolve_addr": 2100000, "rdma_resolve_route": 2700000, "read_id": 1100000, "script": 5400000,
	}}
	data = theme{"data", sender, []string{"p2", "q1", "q1"}, map[string]int{
		"ibv_attach_mcast": 900000, "ibv_create_ah": 1900, "ibv_destroy_ah": 4400000, "ibv_destroy_qp": 790000,
		"ibv_detach_mcast": 830000, "ibv_poll_cq": 18000, "ibv_post_recv": 2400000, "ibv_post_send": 430000000,
		"ibv_query_device": 440000, "rdma_ack_cm_event": 60000, "rdma_destroy_qp": 810000, "rdma_get_cm_event": 75000,
		"rdma_join_multicast_ex": 210000, "rdma_leave_multicast": 430000,
	}}
	mischief = theme{"mischief", bound, []string{"p3"}, map[string]int{
		"allocations": 1700000, "fail_next": 830000, "fork": 4000000, Observe: 300, "open": 1600000, "poll": 75000,
		"rdma_create_ep": 200, "rdma_create_qp": 200, "rdma_destroy_event_channel": 920000, "rdma_destroy_id": 26000,
		"rdma_get_cm_event": 39000, "rdma_join_multicast": 200, "rdma_join_multicast_ex": 33000,
		"rdma_leave_multicast": 140000, "rdma_listen": 75000, "script": 980000, "set_fd": 4800000, "seteuid": 1700000,
		"write": 1900000,
	}}

	themes = []theme{
		members, members, members, members, resolution, resolution, resolution, resolution, data, data, data, data,
		mischief, mischief, mischief,
	}
)

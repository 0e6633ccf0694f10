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

var (
	members = theme{"members", member, []string{"p2"}, map[string]int{
		"rdma_create_qp": 2, "rdma_join_multicast": 5, "rdma_join_multicast_ex": 80, "rdma_leave_multicast": 50,
		"rdma_get_cm_event": 8, "rdma_ack_cm_event": 8, "poll": 200, "read_id": 50, "rdma_destroy_id": 14,
		"rdma_destroy_ep": 10, "rdma_destroy_qp": 120, "ibv_attach_mcast": 26, "ibv_detach_mcast": 26,
		"ibv_destroy_qp": 130, "rdma_migrate_id": 50, Observe: 3, Configure: 4, "script": 60,
	}}
	resolution = theme{"resolution", bound, nil, map[string]int{
		"rdma_create_id": 2, "rdma_bind_addr": 3, "rdma_join_multicast": 2, "rdma_join_multicast_ex": 20,
		"rdma_get_cm_event": 6, "rdma_ack_cm_event": 3, "rdma_resolve_addr": 140, "rdma_resolve_route": 160,
		"rdma_listen": 130, "rdma_create_ep": 12, "rdma_destroy_ep": 90, "rdma_destroy_id": 40,
		"rdma_destroy_event_channel": 7, "ibv_query_device": 30, Configure: 1, "rdma_migrate_id": 40, "poll": 60,
		"read_id": 50, "script": 60,
	}}
	data = theme{"data", sender, []string{"p2", "q1", "q1"}, map[string]int{
		"rdma_join_multicast_ex": 6, "rdma_leave_multicast": 6, "rdma_get_cm_event": 6, "rdma_ack_cm_event": 1,
		"ibv_create_ah": 10, "ibv_destroy_ah": 60, "ibv_post_recv": 30, "ibv_post_send": 1200, "ibv_poll_cq": 20,
		"ibv_attach_mcast": 20, "ibv_detach_mcast": 20, "rdma_destroy_qp": 12, "ibv_query_device": 16,
		"ibv_destroy_qp": 6,
	}}
	mischief = theme{"mischief", bound, []string{"p3"}, map[string]int{
		"rdma_create_qp": 1, "rdma_join_multicast": 1, "rdma_join_multicast_ex": 1, "rdma_leave_multicast": 2,
		"rdma_get_cm_event": 1, "set_fd": 14, "seteuid": 14, "fork": 16, "fail_next": 12, "allocations": 12, "open": 11,
		"write": 16, "script": 12, "rdma_destroy_id": 1, "rdma_create_ep": 1, "fcntl": 1, Observe: 1,
	}}

	themes = []theme{members, members, members, members, resolution, resolution, resolution, data, data, data, mischief, mischief,
		mischief}
)

package walk

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// theme is what a walk is about: how often it draws each call. A call that no theme favours would hardly be reached in
// thirty steps, for it needs others before it.
type theme struct {
	name    string
	weights map[string]int
	others  []string // processes beside p1
}

// pick draws a call by its weight.
func (t theme) pick(r *rand.Rand) string {
	total := 0
	for _, w := range t.weights {
		total += w
	}
	n := r.IntN(total)
	for _, name := range slices.Sorted(maps.Keys(t.weights)) {
		if n -= t.weights[name]; n < 0 {
			return name
		}
	}
	return "" // not reached
}

// plain calls, which every theme makes.
var common = map[string]int{
	"rdma_create_event_channel": 4, "rdma_create_id": 10, "rdma_bind_addr": 12, "rdma_create_qp": 8,
	"rdma_join_multicast": 12, "rdma_join_multicast_ex": 6, "rdma_leave_multicast": 10, "rdma_get_cm_event": 14,
	"rdma_ack_cm_event": 12,
}

func about(name string, others []string, more map[string]int) theme {
	w := maps.Clone(common)
	maps.Copy(w, more)
	return theme{name, w, others}
}

var themes = []theme{
	about("members", []string{"p2"}, map[string]int{
		"poll": 3, "fcntl": 3, "read_id": 3, "rdma_destroy_id": 3, "rdma_destroy_qp": 4, "ibv_attach_mcast": 4,
		"ibv_detach_mcast": 4, "ibv_destroy_qp": 6, "rdma_migrate_id": 6, Observe: 3, Configure: 4, "script": 4,
	}),
	about("resolution", nil, map[string]int{
		"rdma_resolve_addr": 10, "rdma_resolve_route": 10, "rdma_listen": 8, "rdma_create_ep": 10, "rdma_destroy_ep": 8,
		"rdma_destroy_id": 4, "rdma_destroy_event_channel": 6, "ibv_query_device": 5, Observe: 2, Configure: 2,
		"rdma_migrate_id": 5, "poll": 3,
	}),
	about("data", []string{"p2"}, map[string]int{
		"ibv_create_ah": 14, "ibv_destroy_ah": 6, "ibv_post_recv": 16, "ibv_post_send": 20, "ibv_poll_cq": 6,
		"ibv_attach_mcast": 4, "ibv_detach_mcast": 3, "rdma_destroy_qp": 2, "ibv_query_device": 4,
	}),
	about("mischief", []string{"p2", "p3"}, map[string]int{
		"set_fd": 10, "seteuid": 8, "fork": 10, "fail_next": 10, "allocations": 8, "open": 10, "write": 14, "script": 10,
		"rdma_destroy_id": 5, "rdma_destroy_ep": 2, "rdma_create_ep": 3, Observe: 1,
	}),
}

package spec

import "slices"

// Command is a command of the rdma_cm device or of uverbs, as the kernel's headers spell it: RDMA_USER_CM_CMD_ and
// IB_USER_VERBS_CMD_ are left out (include/uapi/rdma/rdma_user_cm.h, ib_user_verbs.h).
type Command string

// commands are those that a library makes for multicast, the connection manager's first.
var commands = []Command{
	"CREATE_ID", "DESTROY_ID", "BIND", "RESOLVE_ADDR", "RESOLVE_ROUTE", "LISTEN", "MIGRATE_ID", "QUERY_ROUTE",
	"INIT_QP_ATTR", "JOIN_MCAST", "JOIN_IP_MCAST", "LEAVE_MCAST", "GET_EVENT",
	"QUERY_DEVICE", "ALLOC_PD", "DEALLOC_PD", "CREATE_CQ", "DESTROY_CQ", "CREATE_QP", "MODIFY_QP", "DESTROY_QP",
	"ATTACH_MCAST", "DETACH_MCAST", "CREATE_AH", "DESTROY_AH", "POST_SEND", "POST_RECV",
}

// Commands lists those that a CallFault can name.
func Commands() []Command { return slices.Clone(commands) }

package call

import "joinmcast/spec"

// CreateEventChannelAnswer is the answer of rdma_create_event_channel.
type CreateEventChannelAnswer struct {
	Channel spec.Channel `json:"channel"`
}

// DestroyEventChannelArgs are the arguments of rdma_destroy_event_channel.
type DestroyEventChannelArgs struct {
	Channel spec.Channel `json:"channel"`
}

// SetNonblockArgs are the arguments of fcntl.
type SetNonblockArgs struct {
	Channel spec.Channel `json:"channel"`
	On      bool         `json:"nonblock"`
}

// CreateIDArgs are the arguments of rdma_create_id.
type CreateIDArgs struct {
	Channel spec.Channel   `json:"channel"`
	Context spec.Context   `json:"context"`
	PS      spec.PortSpace `json:"ps"`
}

// CreateIDAnswer is the answer of rdma_create_id.
type CreateIDAnswer struct {
	ID spec.ID `json:"id"`
}

// DestroyIDArgs are the arguments of rdma_destroy_id.
type DestroyIDArgs struct {
	ID spec.ID `json:"id"`
}

// ReadIDArgs are the arguments of read_id.
type ReadIDArgs struct {
	ID spec.ID `json:"id"`
}

// ReadIDAnswer is the answer of read_id.
type ReadIDAnswer struct {
	State spec.IDState `json:"state"`
}

// BindAddrArgs are the arguments of rdma_bind_addr.
type BindAddrArgs struct {
	ID   spec.ID       `json:"id"`
	Addr spec.Sockaddr `json:"addr"`
}

// ResolveAddrArgs are the arguments of rdma_resolve_addr.
type ResolveAddrArgs struct {
	ID  spec.ID       `json:"id"`
	Src spec.Sockaddr `json:"src"`
	Dst spec.Sockaddr `json:"dst"`
	MS  int           `json:"timeout_ms"`
}

// ResolveRouteArgs are the arguments of rdma_resolve_route.
type ResolveRouteArgs struct {
	ID spec.ID `json:"id"`
	MS int     `json:"timeout_ms"`
}

// CreateQPArgs are the arguments of rdma_create_qp.
type CreateQPArgs struct {
	ID   spec.ID         `json:"id"`
	Attr spec.QPInitAttr `json:"attr"`
}

// CreateQPAnswer is the answer of rdma_create_qp.
type CreateQPAnswer struct {
	QP spec.QP `json:"qp"`
}

// DestroyQPArgs are the arguments of rdma_destroy_qp.
type DestroyQPArgs struct {
	ID spec.ID `json:"id"`
}

// JoinMulticastArgs are the arguments of rdma_join_multicast.
type JoinMulticastArgs struct {
	ID      spec.ID       `json:"id"`
	Addr    spec.Sockaddr `json:"addr"`
	Context spec.Context  `json:"context"`
}

// JoinMulticastExArgs are the arguments of rdma_join_multicast_ex.
type JoinMulticastExArgs struct {
	ID      spec.ID        `json:"id"`
	Attr    *spec.JoinAttr `json:"attr"`
	Context spec.Context   `json:"context"`
}

// LeaveMulticastArgs are the arguments of rdma_leave_multicast.
type LeaveMulticastArgs struct {
	ID   spec.ID       `json:"id"`
	Addr spec.Sockaddr `json:"addr"`
}

// PollChannelArgs are the arguments of poll.
type PollChannelArgs struct {
	Channel spec.Channel `json:"channel"`
}

// GetEventArgs are the arguments of rdma_get_cm_event.
type GetEventArgs struct {
	Channel spec.Channel `json:"channel"`
	Nowhere bool         `json:"nowhere"` // the event's place is NULL
}

// GetEventAnswer is the answer of rdma_get_cm_event.
type GetEventAnswer struct {
	Event spec.Event `json:"event"`
}

// AckEventArgs are the arguments of rdma_ack_cm_event.
type AckEventArgs struct {
	Event spec.EventRef `json:"event"`
}

// QueryDeviceArgs are the arguments of ibv_query_device.
type QueryDeviceArgs struct {
	ID spec.ID `json:"id"`
}

// QueryDeviceAnswer is the answer of ibv_query_device.
type QueryDeviceAnswer struct {
	Attr spec.DeviceAttr `json:"attr"`
}

// AttachMulticastArgs are the arguments of ibv_attach_mcast.
type AttachMulticastArgs struct {
	QP   spec.QP  `json:"qp"`
	GID  spec.GID `json:"gid"`
	MLID uint16   `json:"mlid"`
}

// DetachMulticastArgs are the arguments of ibv_detach_mcast.
type DetachMulticastArgs struct {
	QP   spec.QP  `json:"qp"`
	GID  spec.GID `json:"gid"`
	MLID uint16   `json:"mlid"`
}

// CreateAHArgs are the arguments of ibv_create_ah.
type CreateAHArgs struct {
	ID   spec.ID     `json:"id"`
	Attr spec.AHAttr `json:"attr"`
}

// CreateAHAnswer is the answer of ibv_create_ah.
type CreateAHAnswer struct {
	AH spec.AH `json:"ah"`
}

// DestroyAHArgs are the arguments of ibv_destroy_ah.
type DestroyAHArgs struct {
	AH spec.AH `json:"ah"`
}

// PostRecvArgs are the arguments of ibv_post_recv.
type PostRecvArgs struct {
	QP spec.QP     `json:"qp"`
	WR spec.RecvWR `json:"wr"`
}

// PostSendArgs are the arguments of ibv_post_send.
type PostSendArgs struct {
	QP spec.QP     `json:"qp"`
	WR spec.SendWR `json:"wr"`
}

// WaitCompletionArgs are the arguments of ibv_poll_cq.
type WaitCompletionArgs struct {
	QP    spec.QP    `json:"qp"`
	Queue spec.Queue `json:"queue"`
}

// WaitCompletionAnswer is the answer of ibv_poll_cq.
type WaitCompletionAnswer struct {
	Completion spec.Completion `json:"completion"`
}

// CreateEPArgs are the arguments of rdma_create_ep.
type CreateEPArgs struct {
	Attr spec.EPAttr `json:"attr"`
}

// CreateEPAnswer is the answer of rdma_create_ep.
type CreateEPAnswer struct {
	ID spec.ID `json:"id"`
}

// DestroyEPArgs are the arguments of rdma_destroy_ep.
type DestroyEPArgs struct {
	ID spec.ID `json:"id"`
}

// ListenArgs are the arguments of rdma_listen.
type ListenArgs struct {
	ID      spec.ID `json:"id"`
	Backlog int     `json:"backlog"`
}

// MigrateIDArgs are the arguments of rdma_migrate_id.
type MigrateIDArgs struct {
	ID      spec.ID      `json:"id"`
	Channel spec.Channel `json:"channel"`
}

// IBVDestroyQPArgs are the arguments of ibv_destroy_qp.
type IBVDestroyQPArgs struct {
	QP spec.QP `json:"qp"`
}

// ScriptArgs are the arguments of script.
type ScriptArgs struct {
	Script spec.Script `json:"script"`
}

// ScriptAnswer is the answer of script: a tally for each step of each sequence.
type ScriptAnswer struct {
	Tallies [][]spec.Tally `json:"tallies"`
}

// SetFDArgs are the arguments of set_fd.
type SetFDArgs struct {
	Channel spec.Channel `json:"channel"`
	FD      int          `json:"fd"`
}

// SetFDAnswer is the answer of set_fd.
type SetFDAnswer struct {
	Old int `json:"old"`
}

// SetEUIDArgs are the arguments of seteuid.
type SetEUIDArgs struct {
	UID uint32 `json:"uid"`
}

// JoinInChildArgs are the arguments of fork.
type JoinInChildArgs struct {
	ID   spec.ID       `json:"id"`
	Addr spec.Sockaddr `json:"addr"`
}

// FailNextArgs are the arguments of fail_next.
type FailNextArgs struct {
	Function spec.CFunction `json:"function"`
	Skip     int            `json:"skip"`
	Errno    spec.Errno     `json:"errno"`
}

// AllocationsAnswer is the answer of allocations.
type AllocationsAnswer struct {
	Blocks int `json:"blocks"`
}

// OpenRawAnswer is the answer of open.
type OpenRawAnswer struct {
	File spec.RawFile `json:"file"`
}

// WriteRawArgs are the arguments of write.
type WriteRawArgs struct {
	File    spec.RawFile    `json:"file"`
	Command spec.RawCommand `json:"command"`
}

// WriteRawAnswer is the answer of write.
type WriteRawAnswer struct {
	Answer spec.RawAnswer `json:"answer"`
}

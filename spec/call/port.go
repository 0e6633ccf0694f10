package call

import (
	"context"

	"joinmcast/spec"
)

// Port is spec.CM, spec.Verbs and spec.Mischief over a Caller: each method hands its arguments over as data.
type Port struct{ Caller }

var _ interface {
	spec.CM
	spec.Verbs
	spec.Mischief
} = Port{}

// CreateEventChannel is rdma_create_event_channel.
func (p Port) CreateEventChannel(ctx context.Context) (spec.Channel, error) {
	var r CreateEventChannelAnswer
	err := p.Call(ctx, "rdma_create_event_channel", &Void{}, &r)
	return r.Channel, err
}

// DestroyEventChannel is rdma_destroy_event_channel.
func (p Port) DestroyEventChannel(ctx context.Context, channel spec.Channel) error {
	return p.Call(ctx, "rdma_destroy_event_channel", &DestroyEventChannelArgs{channel}, &Void{})
}

// SetNonblock is fcntl.
func (p Port) SetNonblock(ctx context.Context, channel spec.Channel, on bool) error {
	return p.Call(ctx, "fcntl", &SetNonblockArgs{channel, on}, &Void{})
}

// CreateID is rdma_create_id.
func (p Port) CreateID(ctx context.Context, channel spec.Channel, c spec.Context, ps spec.PortSpace) (spec.ID, error) {
	var r CreateIDAnswer
	err := p.Call(ctx, "rdma_create_id", &CreateIDArgs{channel, c, ps}, &r)
	return r.ID, err
}

// DestroyID is rdma_destroy_id.
func (p Port) DestroyID(ctx context.Context, id spec.ID) error {
	return p.Call(ctx, "rdma_destroy_id", &DestroyIDArgs{id}, &Void{})
}

// ReadID is read_id.
func (p Port) ReadID(ctx context.Context, id spec.ID) (spec.IDState, error) {
	var r ReadIDAnswer
	err := p.Call(ctx, "read_id", &ReadIDArgs{id}, &r)
	return r.State, err
}

// BindAddr is rdma_bind_addr.
func (p Port) BindAddr(ctx context.Context, id spec.ID, addr spec.Sockaddr) error {
	return p.Call(ctx, "rdma_bind_addr", &BindAddrArgs{id, addr}, &Void{})
}

// ResolveAddr is rdma_resolve_addr.
func (p Port) ResolveAddr(ctx context.Context, id spec.ID, src spec.Sockaddr, dst spec.Sockaddr, ms int) error {
	return p.Call(ctx, "rdma_resolve_addr", &ResolveAddrArgs{id, src, dst, ms}, &Void{})
}

// ResolveRoute is rdma_resolve_route.
func (p Port) ResolveRoute(ctx context.Context, id spec.ID, ms int) error {
	return p.Call(ctx, "rdma_resolve_route", &ResolveRouteArgs{id, ms}, &Void{})
}

// CreateEP is rdma_create_ep.
func (p Port) CreateEP(ctx context.Context, attr spec.EPAttr) (spec.ID, error) {
	var r CreateEPAnswer
	err := p.Call(ctx, "rdma_create_ep", &CreateEPArgs{attr}, &r)
	return r.ID, err
}

// DestroyEP is rdma_destroy_ep.
func (p Port) DestroyEP(ctx context.Context, id spec.ID) error {
	return p.Call(ctx, "rdma_destroy_ep", &DestroyEPArgs{id}, &Void{})
}

// Listen is rdma_listen.
func (p Port) Listen(ctx context.Context, id spec.ID, backlog int) error {
	return p.Call(ctx, "rdma_listen", &ListenArgs{id, backlog}, &Void{})
}

// MigrateID is rdma_migrate_id.
func (p Port) MigrateID(ctx context.Context, id spec.ID, channel spec.Channel) error {
	return p.Call(ctx, "rdma_migrate_id", &MigrateIDArgs{id, channel}, &Void{})
}

// CreateQP is rdma_create_qp.
func (p Port) CreateQP(ctx context.Context, id spec.ID, attr spec.QPInitAttr) (spec.QP, error) {
	var r CreateQPAnswer
	err := p.Call(ctx, "rdma_create_qp", &CreateQPArgs{id, attr}, &r)
	return r.QP, err
}

// DestroyQP is rdma_destroy_qp.
func (p Port) DestroyQP(ctx context.Context, id spec.ID) error {
	return p.Call(ctx, "rdma_destroy_qp", &DestroyQPArgs{id}, &Void{})
}

// JoinMulticast is rdma_join_multicast.
func (p Port) JoinMulticast(ctx context.Context, id spec.ID, addr spec.Sockaddr, c spec.Context) error {
	return p.Call(ctx, "rdma_join_multicast", &JoinMulticastArgs{id, addr, c}, &Void{})
}

// JoinMulticastEx is rdma_join_multicast_ex.
func (p Port) JoinMulticastEx(ctx context.Context, id spec.ID, attr *spec.JoinAttr, c spec.Context) error {
	return p.Call(ctx, "rdma_join_multicast_ex", &JoinMulticastExArgs{id, attr, c}, &Void{})
}

// LeaveMulticast is rdma_leave_multicast.
func (p Port) LeaveMulticast(ctx context.Context, id spec.ID, addr spec.Sockaddr) error {
	return p.Call(ctx, "rdma_leave_multicast", &LeaveMulticastArgs{id, addr}, &Void{})
}

// PollChannel is poll.
func (p Port) PollChannel(ctx context.Context, channel spec.Channel) error {
	return p.Call(ctx, "poll", &PollChannelArgs{channel}, &Void{})
}

// GetEvent is rdma_get_cm_event.
func (p Port) GetEvent(ctx context.Context, channel spec.Channel) (spec.Event, error) {
	var r GetEventAnswer
	err := p.Call(ctx, "rdma_get_cm_event", &GetEventArgs{Channel: channel}, &r)
	return r.Event, err
}

// GetNoEvent is rdma_get_cm_event with NULL in the event's place.
func (p Port) GetNoEvent(ctx context.Context, channel spec.Channel) error {
	return p.Call(ctx, "rdma_get_cm_event", &GetEventArgs{channel, true}, &GetEventAnswer{})
}

// AckEvent is rdma_ack_cm_event.
func (p Port) AckEvent(ctx context.Context, event spec.EventRef) error {
	return p.Call(ctx, "rdma_ack_cm_event", &AckEventArgs{event}, &Void{})
}

// QueryDevice is ibv_query_device.
func (p Port) QueryDevice(ctx context.Context, id spec.ID) (spec.DeviceAttr, error) {
	var r QueryDeviceAnswer
	err := p.Call(ctx, "ibv_query_device", &QueryDeviceArgs{id}, &r)
	return r.Attr, err
}

// AttachMulticast is ibv_attach_mcast.
func (p Port) AttachMulticast(ctx context.Context, qp spec.QP, gid spec.GID, mlid uint16) error {
	return p.Call(ctx, "ibv_attach_mcast", &AttachMulticastArgs{qp, gid, mlid}, &Void{})
}

// DetachMulticast is ibv_detach_mcast.
func (p Port) DetachMulticast(ctx context.Context, qp spec.QP, gid spec.GID, mlid uint16) error {
	return p.Call(ctx, "ibv_detach_mcast", &DetachMulticastArgs{qp, gid, mlid}, &Void{})
}

// IBVDestroyQP is ibv_destroy_qp.
func (p Port) IBVDestroyQP(ctx context.Context, qp spec.QP) error {
	return p.Call(ctx, "ibv_destroy_qp", &IBVDestroyQPArgs{qp}, &Void{})
}

// CreateAH is ibv_create_ah.
func (p Port) CreateAH(ctx context.Context, id spec.ID, attr spec.AHAttr) (spec.AH, error) {
	var r CreateAHAnswer
	err := p.Call(ctx, "ibv_create_ah", &CreateAHArgs{id, attr}, &r)
	return r.AH, err
}

// DestroyAH is ibv_destroy_ah.
func (p Port) DestroyAH(ctx context.Context, ah spec.AH) error {
	return p.Call(ctx, "ibv_destroy_ah", &DestroyAHArgs{ah}, &Void{})
}

// PostRecv is ibv_post_recv.
func (p Port) PostRecv(ctx context.Context, qp spec.QP, wr spec.RecvWR) error {
	return p.Call(ctx, "ibv_post_recv", &PostRecvArgs{qp, wr}, &Void{})
}

// PostSend is ibv_post_send.
func (p Port) PostSend(ctx context.Context, qp spec.QP, wr spec.SendWR) error {
	return p.Call(ctx, "ibv_post_send", &PostSendArgs{qp, wr}, &Void{})
}

// WaitCompletion is ibv_poll_cq.
func (p Port) WaitCompletion(ctx context.Context, qp spec.QP, queue spec.Queue) (spec.Completion, error) {
	var r WaitCompletionAnswer
	err := p.Call(ctx, "ibv_poll_cq", &WaitCompletionArgs{qp, queue}, &r)
	return r.Completion, err
}

// Script is script.
func (p Port) Script(ctx context.Context, s spec.Script) ([][]spec.Tally, error) {
	var r ScriptAnswer
	err := p.Call(ctx, "script", &ScriptArgs{s}, &r)
	return r.Tallies, err
}

// SetFD is set_fd.
func (p Port) SetFD(ctx context.Context, channel spec.Channel, fd int) (int, error) {
	var r SetFDAnswer
	err := p.Call(ctx, "set_fd", &SetFDArgs{channel, fd}, &r)
	return r.Old, err
}

// SetEUID is seteuid.
func (p Port) SetEUID(ctx context.Context, uid uint32) error {
	return p.Call(ctx, "seteuid", &SetEUIDArgs{uid}, &Void{})
}

// JoinInChild is fork.
func (p Port) JoinInChild(ctx context.Context, id spec.ID, addr spec.Sockaddr) error {
	return p.Call(ctx, "fork", &JoinInChildArgs{id, addr}, &Void{})
}

// FailNext is fail_next.
func (p Port) FailNext(ctx context.Context, function spec.CFunction, skip int, errno spec.Errno) error {
	return p.Call(ctx, "fail_next", &FailNextArgs{function, skip, errno}, &Void{})
}

// Allocations is allocations.
func (p Port) Allocations(ctx context.Context) (int, error) {
	var r AllocationsAnswer
	err := p.Call(ctx, "allocations", &Void{}, &r)
	return r.Blocks, err
}

// OpenRaw is open.
func (p Port) OpenRaw(ctx context.Context) (spec.RawFile, error) {
	var r OpenRawAnswer
	err := p.Call(ctx, "open", &Void{}, &r)
	return r.File, err
}

// WriteRaw is write.
func (p Port) WriteRaw(ctx context.Context, file spec.RawFile, command spec.RawCommand) (spec.RawAnswer, error) {
	var r WriteRawAnswer
	err := p.Call(ctx, "write", &WriteRawArgs{file, command}, &r)
	return r.Answer, err
}

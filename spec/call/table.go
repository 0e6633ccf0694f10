package call

import (
	"context"
	"errors"

	"joinmcast/spec"
)

// table joins each C name to the port's method. read_id, fcntl and poll stand for what a program does without a call of
// librdmacm; ibv_poll_cq for the sleep on the completion channel that ends in one. Script is several calls at once; and
// what follows it is spec.Mischief's.
var table = map[string]method{
	"rdma_create_event_channel": row(func(
		ctx context.Context, p spec.Process, _ *Void, r *CreateEventChannelAnswer,
	) error {
		var err error
		r.Channel, err = p.CreateEventChannel(ctx)
		return err
	}),
	"rdma_destroy_event_channel": row(func(
		ctx context.Context, p spec.Process, a *DestroyEventChannelArgs, _ *Void,
	) error {
		return p.DestroyEventChannel(ctx, a.Channel)
	}),
	"fcntl": row(func(ctx context.Context, p spec.Process, a *SetNonblockArgs, _ *Void) error {
		return p.SetNonblock(ctx, a.Channel, a.On)
	}),
	"rdma_create_id": row(func(ctx context.Context, p spec.Process, a *CreateIDArgs, r *CreateIDAnswer) error {
		var err error
		r.ID, err = p.CreateID(ctx, a.Channel, a.Context, a.PS)
		return err
	}),
	"rdma_destroy_id": row(func(ctx context.Context, p spec.Process, a *DestroyIDArgs, _ *Void) error {
		return p.DestroyID(ctx, a.ID)
	}),
	"read_id": row(func(ctx context.Context, p spec.Process, a *ReadIDArgs, r *ReadIDAnswer) error {
		var err error
		r.State, err = p.ReadID(ctx, a.ID)
		return err
	}),
	"rdma_bind_addr": row(func(ctx context.Context, p spec.Process, a *BindAddrArgs, _ *Void) error {
		return p.BindAddr(ctx, a.ID, a.Addr)
	}),
	"rdma_resolve_addr": row(func(ctx context.Context, p spec.Process, a *ResolveAddrArgs, _ *Void) error {
		return p.ResolveAddr(ctx, a.ID, a.Src, a.Dst, a.MS)
	}),
	"rdma_resolve_route": row(func(ctx context.Context, p spec.Process, a *ResolveRouteArgs, _ *Void) error {
		return p.ResolveRoute(ctx, a.ID, a.MS)
	}),
	"rdma_create_ep": row(func(ctx context.Context, p spec.Process, a *CreateEPArgs, r *CreateEPAnswer) error {
		var err error
		r.ID, err = p.CreateEP(ctx, a.Attr)
		return err
	}),
	"rdma_destroy_ep": row(func(ctx context.Context, p spec.Process, a *DestroyEPArgs, _ *Void) error {
		return p.DestroyEP(ctx, a.ID)
	}),
	"rdma_listen": row(func(ctx context.Context, p spec.Process, a *ListenArgs, _ *Void) error {
		return p.Listen(ctx, a.ID, a.Backlog)
	}),
	"rdma_migrate_id": row(func(ctx context.Context, p spec.Process, a *MigrateIDArgs, _ *Void) error {
		return p.MigrateID(ctx, a.ID, a.Channel)
	}),
	"rdma_create_qp": row(func(ctx context.Context, p spec.Process, a *CreateQPArgs, r *CreateQPAnswer) error {
		var err error
		r.QP, err = p.CreateQP(ctx, a.ID, a.Attr)
		return err
	}),
	"rdma_destroy_qp": row(func(ctx context.Context, p spec.Process, a *DestroyQPArgs, _ *Void) error {
		return p.DestroyQP(ctx, a.ID)
	}),
	"rdma_join_multicast": row(func(ctx context.Context, p spec.Process, a *JoinMulticastArgs, _ *Void) error {
		return p.JoinMulticast(ctx, a.ID, a.Addr, a.Context)
	}),
	"rdma_join_multicast_ex": row(func(ctx context.Context, p spec.Process, a *JoinMulticastExArgs, _ *Void) error {
		return p.JoinMulticastEx(ctx, a.ID, a.Attr, a.Context)
	}),
	"rdma_leave_multicast": row(func(ctx context.Context, p spec.Process, a *LeaveMulticastArgs, _ *Void) error {
		return p.LeaveMulticast(ctx, a.ID, a.Addr)
	}),
	"poll": row(func(ctx context.Context, p spec.Process, a *PollChannelArgs, _ *Void) error {
		return p.PollChannel(ctx, a.Channel)
	}),
	"rdma_get_cm_event": row(func(ctx context.Context, p spec.Process, a *GetEventArgs, r *GetEventAnswer) error {
		if a.Nowhere {
			return p.GetNoEvent(ctx, a.Channel)
		}
		var err error
		r.Event, err = p.GetEvent(ctx, a.Channel)
		return err
	}),
	"rdma_ack_cm_event": row(func(ctx context.Context, p spec.Process, a *AckEventArgs, _ *Void) error {
		return p.AckEvent(ctx, a.Event)
	}),
	"ibv_query_device": row(func(ctx context.Context, p spec.Process, a *QueryDeviceArgs, r *QueryDeviceAnswer) error {
		var err error
		r.Attr, err = p.QueryDevice(ctx, a.ID)
		return err
	}),
	"ibv_attach_mcast": row(func(ctx context.Context, p spec.Process, a *AttachMulticastArgs, _ *Void) error {
		return p.AttachMulticast(ctx, a.QP, a.GID, a.MLID)
	}),
	"ibv_detach_mcast": row(func(ctx context.Context, p spec.Process, a *DetachMulticastArgs, _ *Void) error {
		return p.DetachMulticast(ctx, a.QP, a.GID, a.MLID)
	}),
	"ibv_destroy_qp": row(func(ctx context.Context, p spec.Process, a *IBVDestroyQPArgs, _ *Void) error {
		return p.IBVDestroyQP(ctx, a.QP)
	}),
	"ibv_create_ah": row(func(ctx context.Context, p spec.Process, a *CreateAHArgs, r *CreateAHAnswer) error {
		var err error
		r.AH, err = p.CreateAH(ctx, a.ID, a.Attr)
		return err
	}),
	"ibv_destroy_ah": row(func(ctx context.Context, p spec.Process, a *DestroyAHArgs, _ *Void) error {
		return p.DestroyAH(ctx, a.AH)
	}),
	"ibv_post_recv": row(func(ctx context.Context, p spec.Process, a *PostRecvArgs, _ *Void) error {
		return p.PostRecv(ctx, a.QP, a.WR)
	}),
	"ibv_post_send": row(func(ctx context.Context, p spec.Process, a *PostSendArgs, _ *Void) error {
		return p.PostSend(ctx, a.QP, a.WR)
	}),
	"ibv_poll_cq": row(func(ctx context.Context, p spec.Process, a *WaitCompletionArgs, r *WaitCompletionAnswer) error {
		var err error
		r.Completion, err = p.WaitCompletion(ctx, a.QP, a.Queue)
		return err
	}),
	"script": row(func(ctx context.Context, p spec.Process, a *ScriptArgs, r *ScriptAnswer) error {
		var err error
		r.Tallies, err = p.Script(ctx, a.Script)
		return err
	}),
	"set_fd": mischief(func(ctx context.Context, p spec.Mischief, a *SetFDArgs, r *SetFDAnswer) error {
		var err error
		r.Old, err = p.SetFD(ctx, a.Channel, a.FD)
		return err
	}),
	"seteuid": mischief(func(ctx context.Context, p spec.Mischief, a *SetEUIDArgs, _ *Void) error {
		return p.SetEUID(ctx, a.UID)
	}),
	"fork": mischief(func(ctx context.Context, p spec.Mischief, a *JoinInChildArgs, _ *Void) error {
		return p.JoinInChild(ctx, a.ID, a.Addr)
	}),
	"fail_next": mischief(func(ctx context.Context, p spec.Mischief, a *FailNextArgs, _ *Void) error {
		return p.FailNext(ctx, a.Function, a.Skip, a.Errno)
	}),
	"allocations": mischief(func(ctx context.Context, p spec.Mischief, _ *Void, r *AllocationsAnswer) error {
		var err error
		r.Blocks, err = p.Allocations(ctx)
		return err
	}),
	"open": mischief(func(ctx context.Context, p spec.Mischief, _ *Void, r *OpenRawAnswer) error {
		var err error
		r.File, err = p.OpenRaw(ctx)
		return err
	}),
	"write": mischief(func(ctx context.Context, p spec.Mischief, a *WriteRawArgs, r *WriteRawAnswer) error {
		var err error
		r.Answer, err = p.WriteRaw(ctx, a.File, a.Command)
		return err
	}),
}

// mischief is a row of a call that only a process of spec.Saboteur has.
func mischief[A, R any](perform func(ctx context.Context, p spec.Mischief, a *A, r *R) error) method {
	return row(func(ctx context.Context, p spec.Process, a *A, r *R) error {
		able, ok := p.(spec.Mischief)
		if !ok {
			return errors.New("this process was not started as a spec.Mischief")
		}
		return perform(ctx, able, a, r)
	})
}

package call

import "joinmcast/spec"

// Arguments and answers, named after the port's methods and in its order.
type (
	CreateEventChannelAnswer struct {
		Channel spec.Channel `json:"channel"`
	}
	DestroyEventChannelArgs struct {
		Channel spec.Channel `json:"channel"`
	}
	SetNonblockArgs struct {
		Channel spec.Channel `json:"channel"`
		On      bool         `json:"nonblock"`
	}
	CreateIDArgs struct {
		Channel spec.Channel   `json:"channel"`
		Context spec.Context   `json:"context"`
		PS      spec.PortSpace `json:"ps"`
	}
	CreateIDAnswer struct {
		ID spec.ID `json:"id"`
	}
	DestroyIDArgs struct {
		ID spec.ID `json:"id"`
	}
	ReadIDArgs struct {
		ID spec.ID `json:"id"`
	}
	ReadIDAnswer struct {
		State spec.IDState `json:"state"`
	}
	BindAddrArgs struct {
		ID   spec.ID       `json:"id"`
		Addr spec.Sockaddr `json:"addr"`
	}
	ResolveAddrArgs struct {
		ID  spec.ID       `json:"id"`
		Src spec.Sockaddr `json:"src"`
		Dst spec.Sockaddr `json:"dst"`
		MS  int           `json:"timeout_ms"`
	}
	ResolveRouteArgs struct {
		ID spec.ID `json:"id"`
		MS int     `json:"timeout_ms"`
	}
	CreateQPArgs struct {
		ID   spec.ID         `json:"id"`
		Attr spec.QPInitAttr `json:"attr"`
	}
	CreateQPAnswer struct {
		QP spec.QP `json:"qp"`
	}
	DestroyQPArgs struct {
		ID spec.ID `json:"id"`
	}
	JoinMulticastArgs struct {
		ID      spec.ID       `json:"id"`
		Addr    spec.Sockaddr `json:"addr"`
		Context spec.Context  `json:"context"`
	}
	JoinMulticastExArgs struct {
		ID      spec.ID        `json:"id"`
		Attr    *spec.JoinAttr `json:"attr"`
		Context spec.Context   `json:"context"`
	}
	LeaveMulticastArgs struct {
		ID   spec.ID       `json:"id"`
		Addr spec.Sockaddr `json:"addr"`
	}
	PollChannelArgs struct {
		Channel spec.Channel `json:"channel"`
	}
	GetEventArgs struct {
		Channel spec.Channel `json:"channel"`
	}
	GetEventAnswer struct {
		Event spec.Event `json:"event"`
	}
	AckEventArgs struct {
		Event spec.EventRef `json:"event"`
	}
	QueryDeviceArgs struct {
		ID spec.ID `json:"id"`
	}
	QueryDeviceAnswer struct {
		Attr spec.DeviceAttr `json:"attr"`
	}
	AttachMulticastArgs struct {
		QP   spec.QP  `json:"qp"`
		GID  spec.GID `json:"gid"`
		MLID uint16   `json:"mlid"`
	}
	DetachMulticastArgs struct {
		QP   spec.QP  `json:"qp"`
		GID  spec.GID `json:"gid"`
		MLID uint16   `json:"mlid"`
	}
	CreateAHArgs struct {
		ID   spec.ID     `json:"id"`
		Attr spec.AHAttr `json:"attr"`
	}
	CreateAHAnswer struct {
		AH spec.AH `json:"ah"`
	}
	DestroyAHArgs struct {
		AH spec.AH `json:"ah"`
	}
	PostRecvArgs struct {
		QP spec.QP     `json:"qp"`
		WR spec.RecvWR `json:"wr"`
	}
	PostSendArgs struct {
		QP spec.QP     `json:"qp"`
		WR spec.SendWR `json:"wr"`
	}
	WaitCompletionArgs struct {
		QP    spec.QP    `json:"qp"`
		Queue spec.Queue `json:"queue"`
	}
	WaitCompletionAnswer struct {
		Completion spec.Completion `json:"completion"`
	}
)

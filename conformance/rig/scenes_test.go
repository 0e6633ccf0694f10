package rig_test

import (
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	. "joinmcast/conformance/match"
	"joinmcast/conformance/rig"
	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/specmock"
	"joinmcast/spec/verdict"
)

// Handles of the mocked process.
const (
	channel = spec.Channel(1)
	handle  = spec.ID(2)
	qp      = spec.QP(3)
	first   = spec.EventRef(11)
	second  = spec.EventRef(12)
)

var (
	some = gomock.Any()
	one  = rig.Group{Addr: address.Addr().Next()}
	two  = rig.Group{Addr: one.Addr.Next()}
)

// scenes are by what the rig does in them.
var scenes = map[string]scene{
	"acknowledges once what the spec did not, and leaves before it destroys": {
		expect: func(s *stage) []any {
			return play(bound(s), joined(s, one, first), acked(s, first), joined(s, two, second),
				acked(s, second), left(s, two), left(s, one), destroyed(s), channelGone(s), killed(s))
		},
		body: func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustAck(ctx, id.MustGetJoin(ctx, one))
			id.MustGetJoin(ctx, two)
		},
	},
	"does not leave again what the spec left": {
		expect: func(s *stage) []any {
			return play(bound(s), joined(s, one, first), acked(s, first), joined(s, two, second), acked(s, second),
				left(s, one), left(s, two), destroyed(s), channelGone(s), killed(s))
		},
		body: func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustAck(ctx, id.MustGetJoin(ctx, one))
			id.MustAck(ctx, id.MustGetJoin(ctx, two))
			id.MustLeave(ctx, one)
		},
	},
	"does not destroy again what the spec destroyed": {
		expect: func(s *stage) []any { return play(bound(s), destroyed(s), channelGone(s), killed(s)) },
		body:   func(ctx SpecContext) { rig.BoundID(ctx).MustDestroy(ctx) },
	},
	"destroys a QP after its memberships and before its id": {
		expect: func(s *stage) []any {
			p := s.process.EXPECT()
			return play(bound(s), p.CreateQP(some, handle, some).Return(qp, nil).Call, joined(s, one, first),
				acked(s, first), left(s, one), p.DestroyQP(some, handle).Return(nil).Call, destroyed(s), channelGone(s),
				killed(s))
		},
		body: func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			id.MustCreateQP(ctx)
			id.MustGetJoin(ctx, one)
		},
	},
	"detaches what was attached by hand before it destroys the QP": {
		expect: func(s *stage) []any {
			p := s.process.EXPECT()
			return play(bound(s), p.CreateQP(some, handle, some).Return(qp, nil).Call,
				p.AttachMulticast(some, qp, one.GID(), some).Return(nil).Call,
				p.DetachMulticast(some, qp, one.GID(), some).Return(nil).Call,
				p.DestroyQP(some, handle).Return(nil).Call, destroyed(s), channelGone(s), killed(s))
		},
		body: func(ctx SpecContext) {
			Expect(rig.BoundID(ctx).MustCreateQP(ctx).AttachTo(ctx, one)).To(ReturnZero())
		},
	},
	"asks nothing more of a process whose spec has failed, and ends it": {
		expect: func(s *stage) []any { return play(bound(s), joined(s, one, first), killed(s)) },
		body: func(ctx SpecContext) {
			rig.BoundID(ctx).MustGetJoin(ctx, one)
			Expect("this").To(Equal("that"))
		},
		fails: "that",
	},
	"ends the process of a spec that panics": {
		expect: func(s *stage) []any { return play(bound(s), killed(s)) },
		body: func(ctx SpecContext) {
			rig.BoundID(ctx)
			panic("at the disco")
		},
		fails: "at the disco",
	},
	"ends a process that has crashed, and asks nothing of it": {
		expect: func(s *stage) []any {
			crashed := &spec.Crashed{Method: "rdma_get_cm_event", Exit: spec.Exit{Signal: "SIGSEGV"}}
			get := s.process.EXPECT().GetEvent(some, channel).Return(spec.Event{}, crashed)
			return play(bound(s), get.Call, killed(s))
		},
		body:    func(ctx SpecContext) { _, _ = rig.BoundID(ctx).GetEvent(ctx) }, // the spec itself does not look
		trouble: verdict.Crash,
	},
	"kills the process of a call that ends with its deadline alone": {
		expect: func(s *stage) []any {
			return play(bound(s), s.process.EXPECT().DestroyID(some, handle).DoAndReturn(untilDeadline).Call, killed(s))
		},
		body: func(ctx SpecContext) {
			began := time.Now()
			Expect(rig.BoundID(ctx).Destroy(ctx)).To(MatchError(ContainSubstring("rdma_destroy_id did not return")))
			Expect(time.Since(began)).To(BeNumerically(">=", callDeadline))
		},
		trouble: verdict.Hang,
	},
	"kills a process with a call under way": {
		expect: func(s *stage) []any {
			polling, over := make(chan struct{}), make(chan struct{})
			p := s.process.EXPECT()
			poll := p.PollChannel(some, channel).DoAndReturn(func(context.Context, spec.Channel) error {
				close(polling)
				<-over
				return &spec.Crashed{Method: "poll", Exit: spec.Exit{Signal: "SIGKILL"}}
			})
			look := p.InFlight(some).DoAndReturn(func(context.Context) ([]spec.InFlight, error) {
				<-polling
				return []spec.InFlight{{Method: "poll", Blocked: true}}, nil
			})
			kill := p.Kill(some).DoAndReturn(func(context.Context) (spec.Exit, error) {
				close(over)
				return spec.Exit{Signal: "SIGKILL"}, nil
			})
			poll.AnyTimes()
			return play(bound(s), look.Call, kill.Call)
		},
		body: func(ctx SpecContext) {
			id := rig.BoundID(ctx)
			polling := id.Begin(ctx, "poll", func(ctx context.Context) error { return id.PollChannel(ctx, id.Channel) })
			Expect(polling.Settle(ctx)).To(Equal("blocked"))
			Fail("with a call under way")
		},
		fails: "with a call under way",
	},
	"lets a process end by its own will where it can": {
		starts: func(s *stage) spec.Process { return orderly{s.process, s} },
		expect: func(s *stage) []any { return play(bound(s), destroyed(s), channelGone(s)) },
		body:   func(ctx SpecContext) { rig.BoundID(ctx) },
		closed: 1,
	},
	"kills a process that hangs where others end by their own will": {
		starts: func(s *stage) spec.Process { return orderly{s.process, s} },
		expect: func(s *stage) []any {
			return play(bound(s), s.process.EXPECT().DestroyID(some, handle).DoAndReturn(untilDeadline).Call, killed(s))
		},
		body:    func(ctx SpecContext) { _ = rig.BoundID(ctx).Destroy(ctx) },
		trouble: verdict.Hang,
	},
	"kills every process though one cannot be, and tells the first reason": {
		expect: func(s *stage) []any {
			kill := s.process.EXPECT()
			return play(kill.Kill(some).Return(spec.Exit{}, errStuck).Call,
				kill.Kill(some).Return(spec.Exit{}, errors.New("stuck as well")).Call)
		},
		body: func(ctx SpecContext) {
			rig.Start(ctx)
			rig.Start(ctx)
		},
		err: errStuck,
	},
	"gives every call a deadline": {
		starts: func(s *stage) spec.Process { return watched{call.Port{Caller: s}} },
		expect: func(*stage) []any { return nil },
		body: func(ctx SpecContext) {
			p := rig.Start(ctx)
			for _, method := range call.Methods() {
				args, answer, _ := call.New(method)
				Expect(p.Call(ctx, method, args, answer)).To(Succeed(), method)
			}
		},
	},
	"takes a change of a host back when the spec has failed": {
		expect: func(s *stage) []any {
			return play(s.host.EXPECT().Configure(some, some).Return(s.undo, nil).Call)
		},
		body: func(ctx SpecContext) {
			rig.HostAt(0).MustConfigure(ctx, spec.Change{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 600}})
			Fail("after the change")
		},
		fails: "after the change",
		undos: 1,
	},
	"takes a change of a host back once": {
		expect: func(s *stage) []any {
			return play(s.host.EXPECT().Configure(some, some).Return(s.undo, nil).Call)
		},
		body: func(ctx SpecContext) {
			rig.HostAt(0).MustConfigure(ctx, spec.Change{SetMTU: &spec.MTUChange{Netdev: "eth0", MTU: 600}})(ctx)
		},
		undos: 1,
	},
}

// errStuck is why a process cannot be killed.
var errStuck = errors.New("the process is asleep in the kernel")

// orderly is a process that can end by its own will.
type orderly struct {
	*specmock.MockProcess
	stage *stage
}

func (o orderly) Close(context.Context) (spec.Exit, error) {
	o.stage.closed++
	return spec.Exit{}, nil
}

// watched is a process whose calls its caller sees.
type watched struct{ call.Port }

func (watched) InFlight(context.Context) ([]spec.InFlight, error) { return nil, nil }

func (watched) Kill(context.Context) (spec.Exit, error) { return spec.Exit{}, nil }

// Call implements call.Caller.
func (s *stage) Call(ctx context.Context, method string, _, _ any) error {
	if s.seen == nil {
		s.seen = map[string]time.Duration{}
	}
	if deadline, ok := ctx.Deadline(); ok {
		s.seen[method] = time.Until(deadline)
	}
	return nil
}

// play is what is expected, one after the other.
func play(steps ...any) []any {
	var all []any
	for _, step := range steps {
		switch step := step.(type) {
		case []*gomock.Call:
			for _, c := range step {
				all = append(all, c)
			}
		case *gomock.Call:
			all = append(all, step)
		}
	}
	return all
}

func bound(s *stage) []*gomock.Call {
	p := s.process.EXPECT()
	return []*gomock.Call{
		p.CreateEventChannel(some).Return(channel, nil).Call,
		p.CreateID(some, channel, spec.Context(0), spec.PSUDP).Return(handle, nil).Call,
		p.BindAddr(some, handle, spec.NewSockaddr(address.Addr(), 0)).Return(nil).Call,
	}
}

// joined is a join with its event.
func joined(s *stage, group rig.Group, event spec.EventRef) []*gomock.Call {
	p := s.process.EXPECT()
	return []*gomock.Call{
		p.JoinMulticast(some, handle, group.Sockaddr(), some).Return(nil).Call,
		p.GetEvent(some, channel).Return(spec.Event{Ref: event, ID: handle, Type: spec.MulticastJoin}, nil).Call,
	}
}

func acked(s *stage, event spec.EventRef) *gomock.Call {
	return s.process.EXPECT().AckEvent(some, event).Return(nil).Call
}

func left(s *stage, group rig.Group) *gomock.Call {
	return s.process.EXPECT().LeaveMulticast(some, handle, group.Sockaddr()).Return(nil).Call
}

func destroyed(s *stage) *gomock.Call {
	return s.process.EXPECT().DestroyID(some, handle).Return(nil).Call
}

func channelGone(s *stage) *gomock.Call {
	return s.process.EXPECT().DestroyEventChannel(some, channel).Return(nil).Call
}

func killed(s *stage) *gomock.Call {
	return s.process.EXPECT().Kill(some).Return(spec.Exit{Signal: "SIGKILL"}, nil).Call
}

// untilDeadline is a call that only its context ends.
func untilDeadline(ctx context.Context, _ spec.ID) error {
	<-ctx.Done()
	return &spec.Hung{Method: "rdma_destroy_id", Proof: "deadline"}
}

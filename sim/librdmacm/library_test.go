package librdmacm_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/sim/librdmacm"
	"joinmcast/sim/uabi"
	"joinmcast/sim/uabi/uabimock"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// Handles the mocked kernel gives out.
const (
	kernelID    uabi.CMID      = 5
	kernelGroup uabi.Multicast = 6
	kernelQP    uabi.QP        = 17

	fd = 3
)

// enough memory for everything.
func enough(spec.CFunction) error { return nil }

// program is a process whose library runs on a mocked kernel.
type program struct {
	*WithT
	t     *testing.T
	run   *world.Process
	lib   *librdmacm.Library
	cm    *uabimock.MockCM
	verbs *uabimock.MockVerbs
	ch    spec.Channel
	id    spec.ID
	uid   uint64 // of the last join
}

// newProgram has an id on a channel, bound to the device.
func newProgram(t *testing.T) *program {
	t.Helper()
	ctrl := gomock.NewController(t)
	k := uabimock.NewMockKernel(ctrl)
	p := &program{WithT: NewWithT(t), t: t, cm: uabimock.NewMockCM(ctrl), verbs: uabimock.NewMockVerbs(ctrl)}
	w := world.New(1)
	p.run = w.NewProcess(func() {})
	t.Cleanup(func() { p.run.Kill() })
	p.lib = librdmacm.New(w, k, enough, librdmacm.Deviations{})

	k.EXPECT().Devices().Return([]string{"rxe0"})
	k.EXPECT().OpenCM().Return(fd, nil).AnyTimes()
	k.EXPECT().CM(fd).Return(p.cm).AnyTimes()
	p.triesAFIB(nil)
	k.EXPECT().OpenDevice("rxe0").Return(p.verbs, nil).MaxTimes(1)
	p.cm.EXPECT().CreateID(gomock.Any()).Return(kernelID, nil)
	p.cm.EXPECT().BindAddr(kernelID, local).Return(nil)
	p.cm.EXPECT().QueryRoute(kernelID).Return(uabi.Route{Device: "rxe0", PortNum: 1}, nil).Times(2)
	p.verbs.EXPECT().AllocPD().Return(uabi.PD(1), nil)
	p.Expect(p.do(func() (err error) {
		if p.ch, err = p.lib.CreateEventChannel(); err != nil {
			return err
		}
		if p.id, err = p.lib.CreateID(p.ch, 0, spec.PSUDP); err != nil {
			return err
		}
		return p.lib.BindAddr(p.id, local)
	})).To(Succeed())
	return p
}

// triesAFIB is how the library starts: on an id of its own it tries whether the kernel knows AF_IB.
func (p *program) triesAFIB(answer error) {
	const trial uabi.CMID = 4
	p.cm.EXPECT().CreateID(gomock.Any()).Return(trial, nil)
	p.cm.EXPECT().BindAddr(trial, spec.NewSockaddrIB(spec.GID{})).Return(answer)
	p.cm.EXPECT().QueryRoute(trial).Return(uabi.Route{}, nil).MaxTimes(2)
	p.cm.EXPECT().DestroyID(trial).Return(uint32(0), nil)
	p.cm.EXPECT().Close().Return(nil)
}

// do makes a call.
func (p *program) do(f func() error) error { return p.run.Call(p.t.Context(), "call", f) }

// withQP gives the id a QP.
func (p *program) withQP() *program {
	p.verbs.EXPECT().CreateCQ(gomock.Any()).Return(uabi.CQ(2), nil).Times(2)
	p.verbs.EXPECT().CreateQP(gomock.Any()).Return(kernelQP, nil)
	init := uabi.QPAttr{State: uabi.QPInit, HasQKey: true, QKey: spec.UDPQKey}
	p.cm.EXPECT().InitQPAttr(kernelID, uabi.QPInit).Return(init, nil)
	gomock.InOrder(
		p.verbs.EXPECT().ModifyQP(kernelQP, init).Return(nil).Call,
		p.verbs.EXPECT().ModifyQP(kernelQP, uabi.QPAttr{State: uabi.QPRTR}).Return(nil).Call,
		p.verbs.EXPECT().ModifyQP(kernelQP, uabi.QPAttr{State: uabi.QPRTS}).Return(nil).Call,
	)
	p.Expect(p.do(func() error {
		_, err := p.lib.CreateQP(p.id, spec.QPInitAttr{Type: spec.QPTypeUD})
		return err
	})).To(Succeed())
	return p
}

// kernelJoins makes the kernel accept the next join.
func (p *program) kernelJoins(flags spec.JoinFlags) {
	p.cm.EXPECT().JoinMulticast(gomock.Any()).DoAndReturn(func(r uabi.JoinMulticast) (uabi.Multicast, error) {
		p.uid = r.UID
		r.UID = 0
		p.Expect(r).To(Equal(uabi.JoinMulticast{ID: kernelID, Addr: group, AddrSize: 16, Flags: flags}))
		return kernelGroup, nil
	})
}

func (p *program) join() error {
	return p.do(func() error { return p.lib.JoinMulticast(p.id, group, joinContext) })
}

func (p *program) joinEx(attr *spec.JoinAttr) error {
	return p.do(func() error { return p.lib.JoinMulticastEx(p.id, attr, joinContext) })
}

func (p *program) leave(a spec.Sockaddr) error {
	return p.do(func() error { return p.lib.LeaveMulticast(p.id, a) })
}

// retrieve gets an event that the kernel tells of the last join.
func (p *program) retrieve(e uabi.Event) spec.Event {
	e.UID, e.ID = p.uid, kernelID
	p.cm.EXPECT().GetEvent().Return(e, nil)
	var got *spec.Event
	p.Expect(p.do(func() (err error) {
		got, err = p.lib.GetEvent(p.ch)
		return err
	})).To(Succeed())
	return *got
}

func addr(a string) spec.Sockaddr { return spec.NewSockaddr(netip.MustParseAddr(a), 0) }

const joinContext spec.Context = 0xC0FFEE

var (
	local = addr("192.168.100.1")
	group = addr("239.1.2.3")
	mgid  = spec.MGIDOf(group.Addr())

	joinEvent = uabi.Event{
		Type: spec.MulticastJoin, QPNum: spec.MulticastQPN, QKey: spec.UDPQKey,
		AH: spec.AHAttr{IsGlobal: true, GRH: spec.GlobalRoute{DGID: mgid}, PortNum: 1},
	}
)

// The mock fails the test on a call that nobody expects, so these refusals never reach the kernel.
func TestRefusedBeforeTheKernel(t *testing.T) {
	unix := spec.EmptySockaddr(spec.AFUnix)
	join := func(id spec.ID, a spec.Sockaddr) func(*librdmacm.Library) error {
		return func(l *librdmacm.Library) error { return l.JoinMulticast(id, a, 0) }
	}
	leave := func(id spec.ID, a spec.Sockaddr) func(*librdmacm.Library) error {
		return func(l *librdmacm.Library) error { return l.LeaveMulticast(id, a) }
	}
	ex := func(mask uint32, flags spec.JoinFlags, a spec.Sockaddr) func(*librdmacm.Library) error {
		return func(l *librdmacm.Library) error {
			return l.JoinMulticastEx(0, &spec.JoinAttr{CompMask: mask, JoinFlags: flags, Addr: a}, 0)
		}
	}
	for name, c := range map[string]struct {
		call func(*librdmacm.Library) error
		want spec.Errno
	}{
		"join NULL address":               {join(1, nil), spec.EINVAL},
		"join AF_UNIX":                    {join(1, unix), spec.EINVAL},
		"join address before id":          {join(0, nil), spec.EINVAL},
		"leave NULL address":              {leave(1, nil), spec.EINVAL},
		"leave AF_UNIX":                   {leave(1, unix), spec.EINVAL},
		"leave address before id":         {leave(0, nil), spec.EINVAL},
		"join_ex mask 0":                  {ex(0, 0, group), spec.EINVAL},
		"join_ex mask 1":                  {ex(1, 0, group), spec.EINVAL},
		"join_ex mask 2":                  {ex(2, 0, group), spec.EINVAL},
		"join_ex mask 4":                  {ex(4, 0, group), spec.ENOTSUP},
		"join_ex mask 7 and NULL address": {ex(7, 0, nil), spec.ENOTSUP},
		"join_ex all bits":                {ex(1<<32-1, 0, group), spec.ENOTSUP},
		"join_ex flags 2":                 {ex(3, 2, group), spec.EINVAL},
		"join_ex flags that 16 bits lose": {ex(3, 0x10000, group), spec.EINVAL},
		"join_ex NULL address":            {ex(3, 0, nil), spec.EINVAL},
		"join_ex AF_UNIX":                 {ex(3, 1, unix), spec.EINVAL},
		"ack NULL":                        {func(l *librdmacm.Library) error { return l.AckEvent(0) }, spec.EINVAL},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t)
			err := p.do(func() error { return c.call(p.lib) })
			p.Expect(err).To(And(HaveField("Ret", -1), HaveField("Errno", c.want)))
		})
	}
}

func TestLeaveOfNoMembershipNeverReachesTheKernel(t *testing.T) {
	p := newProgram(t).withQP()
	p.Expect(p.leave(group)).To(MatchError(
		&spec.CallError{Method: "rdma_leave_multicast", Ret: -1, Errno: spec.EADDRNOTAVAIL}))
}

func TestLeaveComparesEveryByte(t *testing.T) {
	p := newProgram(t)
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	dirty := group.Clone()
	dirty[15] = 1
	for _, other := range []spec.Sockaddr{spec.NewSockaddr(group.Addr(), 7777), dirty, addr("239.1.2.4")} {
		p.Expect(p.leave(other)).To(MatchError(ContainSubstring("EADDRNOTAVAIL")))
	}
}

func TestWhatNULLEndsTheProcess(t *testing.T) {
	for name, call := range map[string]func(p *program) error{
		"join id":      func(p *program) error { return p.lib.JoinMulticast(0, group, 0) },
		"leave id":     func(p *program) error { return p.lib.LeaveMulticast(0, group) },
		"join_ex attr": func(p *program) error { return p.lib.JoinMulticastEx(p.id, nil, 0) },
		"destroy id":   func(p *program) error { return p.lib.DestroyID(0) },
		"get channel": func(p *program) error {
			_, err := p.lib.GetEvent(0)
			return err
		},
		"destroy the QP of an id that has none": func(p *program) error { return p.lib.DestroyQP(p.id) },
		"ack of an event that is gone":          func(p *program) error { return p.lib.AckEvent(999) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t)
			want := &spec.Crashed{Method: "call", Exit: spec.Exit{Signal: "SIGSEGV"}}
			p.Expect(p.do(func() error { return call(p) })).To(MatchError(want))
		})
	}
}

func TestAnIDWithoutADeviceIsDereferenced(t *testing.T) {
	for name, call := range map[string]func(*librdmacm.Library, spec.ID) error{
		"resolve_route": func(l *librdmacm.Library, id spec.ID) error { return l.ResolveRoute(id, 1) },
		"create_qp": func(l *librdmacm.Library, id spec.ID) error {
			_, err := l.CreateQP(id, spec.QPInitAttr{Type: spec.QPTypeUD})
			return err
		},
		"query_device": func(l *librdmacm.Library, id spec.ID) error {
			_, err := l.QueryDevice(id)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t)
			p.cm.EXPECT().CreateID(gomock.Any()).Return(uabi.CMID(8), nil)
			err := p.do(func() error {
				id, err := p.lib.CreateID(p.ch, 0, spec.PSUDP)
				p.Expect(err).NotTo(HaveOccurred())
				return call(p.lib, id)
			})
			p.Expect(err).To(BeAssignableToTypeOf(&spec.Crashed{}))
		})
	}
}

func TestARefusedJoinIsForgotten(t *testing.T) {
	p := newProgram(t)
	p.cm.EXPECT().JoinMulticast(gomock.Any()).Return(uabi.Multicast(0), spec.ENOTSUPP)
	p.Expect(p.join()).To(MatchError(&spec.CallError{Method: "rdma_join_multicast", Ret: -1, Errno: spec.ENOTSUPP}))
	p.Expect(p.leave(group)).To(MatchError(ContainSubstring("EADDRNOTAVAIL")))
}

func TestTheEventAttachesAndCarriesTheContext(t *testing.T) {
	p := newProgram(t).withQP()
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	p.verbs.EXPECT().AttachMulticast(kernelQP, mgid, uint16(0)).Return(nil)
	e := p.retrieve(joinEvent)
	p.Expect(e).To(Equal(spec.Event{
		Ref: e.Ref, ID: p.id, Type: spec.MulticastJoin,
		UD: spec.UDParam{PrivateData: joinContext, AH: joinEvent.AH, QPNum: spec.MulticastQPN, QKey: spec.UDPQKey},
	}))
}

func TestAnEventWithUIDZeroIsDropped(t *testing.T) {
	p := newProgram(t)
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	p.cm.EXPECT().GetEvent().Return(uabi.Event{Type: spec.MulticastJoin}, nil)
	p.Expect(p.retrieve(joinEvent)).To(HaveField("UD.PrivateData", joinContext))
}

func TestAFailingAttachIsAnErrorEventWithItsErrno(t *testing.T) {
	p := newProgram(t).withQP()
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	p.verbs.EXPECT().AttachMulticast(kernelQP, mgid, uint16(0)).Return(spec.ENOMEM)
	e := p.retrieve(joinEvent)
	p.Expect(e.Type).To(Equal(spec.MulticastError))
	p.Expect(e.Status).To(Equal(-1))
	p.Expect(e.Errno).To(Equal(spec.ENOMEM))
	p.Expect(e.UD.AH).To(Equal(joinEvent.AH))
}

func TestAKernelErrorEventCarriesTheContextAlone(t *testing.T) {
	p := newProgram(t).withQP()
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	e := p.retrieve(uabi.Event{Type: spec.MulticastError, Status: -22, QPNum: 1, QKey: 2})
	p.Expect(e.Status).To(Equal(-22))
	p.Expect(e.UD).To(Equal(spec.UDParam{PrivateData: joinContext}))
}

func TestSendOnlyIsNeitherAttachedNorDetached(t *testing.T) {
	p := newProgram(t).withQP()
	p.kernelJoins(spec.SendOnlyMember)
	p.Expect(p.joinEx(&spec.JoinAttr{CompMask: 3, JoinFlags: spec.SendOnlyMember, Addr: group})).To(Succeed())
	e := p.retrieve(joinEvent)
	p.Expect(p.do(func() error { return p.lib.AckEvent(e.Ref) })).To(Succeed())
	p.cm.EXPECT().LeaveMulticast(kernelGroup).Return(uint32(1), nil)
	p.Expect(p.leave(group)).To(Succeed())
}

func TestDetachComesBeforeLeaveAndItsResultDoesNotMatter(t *testing.T) {
	p := newProgram(t).withQP()
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	gomock.InOrder(
		p.verbs.EXPECT().DetachMulticast(kernelQP, spec.GID{}, uint16(0)).Return(spec.EINVAL).Call,
		p.cm.EXPECT().LeaveMulticast(kernelGroup).Return(uint32(0), nil).Call,
	)
	p.Expect(p.leave(group)).To(Succeed())
}

func TestLeaveWaitsForAsManyAcksAsEventsWereRead(t *testing.T) {
	p := newProgram(t)
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	first := p.retrieve(joinEvent)
	second := p.retrieve(uabi.Event{Type: spec.MulticastError, Status: -102})
	p.cm.EXPECT().LeaveMulticast(kernelGroup).Return(uint32(2), nil)
	p.Expect(p.leave(group)).To(BeAssignableToTypeOf(&spec.Hung{}))
	p.Expect(p.do(func() error { return p.lib.AckEvent(first.Ref) })).To(Succeed())
	p.Expect(p.run.InFlight()).To(HaveLen(1), "one ack is not enough")
	p.Expect(p.do(func() error { return p.lib.AckEvent(second.Ref) })).To(Succeed())
	p.Expect(p.run.InFlight()).To(BeEmpty())
}

func TestDestroyWaitsForAsManyAcksAsEventsWereRead(t *testing.T) {
	p := newProgram(t)
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	e := p.retrieve(joinEvent)
	p.cm.EXPECT().DestroyID(kernelID).Return(uint32(1), nil)
	p.Expect(p.do(func() error { return p.lib.DestroyID(p.id) })).To(BeAssignableToTypeOf(&spec.Hung{}))
	p.verbs.EXPECT().DeallocPD(uabi.PD(1)).Return(nil)
	p.Expect(p.do(func() error { return p.lib.AckEvent(e.Ref) })).To(Succeed())
	p.Expect(p.run.InFlight()).To(BeEmpty())
}

func TestAFailedLeaveForgetsTheMembership(t *testing.T) {
	p := newProgram(t)
	p.kernelJoins(spec.FullMember)
	p.Expect(p.join()).To(Succeed())
	p.cm.EXPECT().LeaveMulticast(kernelGroup).Return(uint32(0), spec.EBADF)
	p.Expect(p.leave(group)).To(MatchError(ContainSubstring("EBADF")))
	p.Expect(p.leave(group)).To(MatchError(ContainSubstring("EADDRNOTAVAIL")))
}

func TestDestroyQPOfABusyQPLosesIt(t *testing.T) {
	p := newProgram(t).withQP()
	p.verbs.EXPECT().DestroyQP(kernelQP).Return(spec.EBUSY)
	p.verbs.EXPECT().DestroyCQ(uabi.CQ(2)).Return(spec.EBUSY).Times(2)
	p.Expect(p.do(func() error { return p.lib.DestroyQP(p.id) })).To(Succeed())
	p.Expect(p.do(func() error {
		s, err := p.lib.ReadID(p.id)
		p.Expect(s.QP).To(BeZero())
		return err
	})).To(Succeed())
}

func TestASecondQPIsEINVAL(t *testing.T) {
	p := newProgram(t).withQP()
	p.Expect(p.do(func() error {
		_, err := p.lib.CreateQP(p.id, spec.QPInitAttr{Type: spec.QPTypeUD})
		return err
	})).To(MatchError(&spec.CallError{Method: "rdma_create_qp", Ret: -1, Errno: spec.EINVAL}))
}

func TestVerbsReturnAPositiveErrno(t *testing.T) {
	p := newProgram(t).withQP()
	p.verbs.EXPECT().AttachMulticast(kernelQP, mgid, uint16(0)).Return(spec.EINVAL)
	p.Expect(p.do(func() error {
		s, err := p.lib.ReadID(p.id)
		p.Expect(err).NotTo(HaveOccurred())
		return p.lib.AttachMulticast(s.QP, mgid, 0)
	})).To(MatchError(&spec.CallError{Method: "ibv_attach_mcast", Ret: 22, Errno: spec.EINVAL}))
}

func TestNoRDMADevice(t *testing.T) {
	g := NewWithT(t)
	k := uabimock.NewMockKernel(gomock.NewController(t))
	k.EXPECT().Devices().Return(nil).Times(2)
	w := world.New(1)
	run := w.NewProcess(func() {})
	lib := librdmacm.New(w, k, enough, librdmacm.Deviations{})
	g.Expect(run.Call(t.Context(), "call", func() error {
		_, err := lib.CreateEventChannel()
		return err
	})).To(MatchError(&spec.CallError{Method: "rdma_create_event_channel", Ret: 0, Errno: spec.ENODEV}))
	g.Expect(run.Call(t.Context(), "call", func() error {
		_, err := lib.CreateID(0, 0, spec.PSUDP)
		return err
	})).To(MatchError(&spec.CallError{Method: "rdma_create_id", Ret: -1, Errno: spec.ENODEV}))
}

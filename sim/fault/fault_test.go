package fault_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/sim/fault"
	"joinmcast/sim/uabi"
	"joinmcast/sim/uabi/uabimock"
	"joinmcast/spec"
)

const fd = 3

// seam is a mocked kernel with the faults between it and the test.
type seam struct {
	*WithT
	host, process fault.Set
	kernel        uabi.Kernel
	cm            *uabimock.MockCM
	verbs         *uabimock.MockVerbs
}

func newSeam(t *testing.T) *seam {
	t.Helper()
	ctrl := gomock.NewController(t)
	s := &seam{WithT: NewWithT(t), cm: uabimock.NewMockCM(ctrl), verbs: uabimock.NewMockVerbs(ctrl)}
	k := uabimock.NewMockKernel(ctrl)
	k.EXPECT().CM(fd).Return(s.cm).AnyTimes()
	k.EXPECT().OpenDevice("rxe0").Return(s.verbs, nil).AnyTimes()
	s.kernel = fault.Between(k, fault.Sets{Host: &s.host, Own: &s.process})
	return s
}

// reaches expects one command to reach the kernel.
func (s *seam) reaches(c spec.Command) {
	cm, verbs, any := s.cm.EXPECT(), s.verbs.EXPECT(), gomock.Any()
	map[spec.Command]func(){
		"CREATE_ID":     func() { cm.CreateID(any) },
		"DESTROY_ID":    func() { cm.DestroyID(any) },
		"BIND":          func() { cm.BindAddr(any, any) },
		"RESOLVE_ADDR":  func() { cm.ResolveAddr(any) },
		"RESOLVE_ROUTE": func() { cm.ResolveRoute(any, any) },
		"LISTEN":        func() { cm.Listen(any, any) },
		"MIGRATE_ID":    func() { cm.MigrateID(any, any) },
		"QUERY_ROUTE":   func() { cm.QueryRoute(any) },
		"INIT_QP_ATTR":  func() { cm.InitQPAttr(any, any) },
		"JOIN_MCAST":    func() { cm.JoinMulticast(any) },
		"JOIN_IP_MCAST": func() { cm.JoinIPMulticast(any) },
		"LEAVE_MCAST":   func() { cm.LeaveMulticast(any) },
		"GET_EVENT":     func() { cm.GetEvent() },
		"QUERY_DEVICE":  func() { verbs.QueryDevice() },
		"ALLOC_PD":      func() { verbs.AllocPD() },
		"DEALLOC_PD":    func() { verbs.DeallocPD(any) },
		"CREATE_CQ":     func() { verbs.CreateCQ(any) },
		"DESTROY_CQ":    func() { verbs.DestroyCQ(any) },
		"CREATE_QP":     func() { verbs.CreateQP(any) },
		"MODIFY_QP":     func() { verbs.ModifyQP(any, any) },
		"DESTROY_QP":    func() { verbs.DestroyQP(any) },
		"ATTACH_MCAST":  func() { verbs.AttachMulticast(any, any, any) },
		"DETACH_MCAST":  func() { verbs.DetachMulticast(any, any, any) },
		"CREATE_AH":     func() { verbs.CreateAH(any, any) },
		"DESTROY_AH":    func() { verbs.DestroyAH(any) },
		"POST_SEND":     func() { verbs.PostSend(any, any) },
		"POST_RECV":     func() { verbs.PostRecv(any, any) },
	}[c]()
}

// make makes a command.
func (s *seam) make(c spec.Command) error {
	cm := s.kernel.CM(fd)
	verbs, err := s.kernel.OpenDevice("rxe0")
	s.Expect(err).NotTo(HaveOccurred())
	return map[spec.Command]func() error{
		"CREATE_ID":     func() error { return last(cm.CreateID(uabi.CreateID{})) },
		"DESTROY_ID":    func() error { return last(cm.DestroyID(1)) },
		"BIND":          func() error { return cm.BindAddr(1, nil) },
		"RESOLVE_ADDR":  func() error { return cm.ResolveAddr(uabi.ResolveAddr{}) },
		"RESOLVE_ROUTE": func() error { return cm.ResolveRoute(1, 0) },
		"LISTEN":        func() error { return cm.Listen(1, 0) },
		"MIGRATE_ID":    func() error { return last(cm.MigrateID(1, fd)) },
		"QUERY_ROUTE":   func() error { return last(cm.QueryRoute(1)) },
		"INIT_QP_ATTR":  func() error { return last(cm.InitQPAttr(1, uabi.QPInit)) },
		"JOIN_MCAST":    func() error { return last(cm.JoinMulticast(uabi.JoinMulticast{})) },
		"JOIN_IP_MCAST": func() error { return last(cm.JoinIPMulticast(uabi.JoinMulticast{})) },
		"LEAVE_MCAST":   func() error { return last(cm.LeaveMulticast(1)) },
		"GET_EVENT":     func() error { return last(cm.GetEvent()) },
		"QUERY_DEVICE":  func() error { return last(verbs.QueryDevice()) },
		"ALLOC_PD":      func() error { return last(verbs.AllocPD()) },
		"DEALLOC_PD":    func() error { return verbs.DeallocPD(1) },
		"CREATE_CQ":     func() error { return last(verbs.CreateCQ(1)) },
		"DESTROY_CQ":    func() error { return verbs.DestroyCQ(1) },
		"CREATE_QP":     func() error { return last(verbs.CreateQP(uabi.CreateQP{})) },
		"MODIFY_QP":     func() error { return verbs.ModifyQP(1, uabi.QPAttr{}) },
		"DESTROY_QP":    func() error { return verbs.DestroyQP(1) },
		"ATTACH_MCAST":  func() error { return verbs.AttachMulticast(1, spec.GID{}, 0) },
		"DETACH_MCAST":  func() error { return verbs.DetachMulticast(1, spec.GID{}, 0) },
		"CREATE_AH":     func() error { return last(verbs.CreateAH(1, spec.AHAttr{})) },
		"DESTROY_AH":    func() error { return verbs.DestroyAH(1) },
		"POST_SEND":     func() error { return verbs.PostSend(1, uabi.SendWR{}) },
		"POST_RECV":     func() error { return verbs.PostRecv(1, spec.RecvWR{}) },
	}[c]()
}

func last[T any](_ T, err error) error { return err }

func TestTheNthCommandOfAKindFailsAndDoesNotReachTheKernel(t *testing.T) {
	for _, c := range spec.Commands() {
		t.Run(string(c), func(t *testing.T) {
			s := newSeam(t)
			s.host.Fail(spec.CallFault{Command: c, Nth: 2, Errno: spec.EIO})
			s.reaches(c)
			s.Expect(s.make(c)).To(Succeed())
			s.Expect(s.make(c)).To(MatchError(spec.EIO))
			s.reaches(c)
			s.Expect(s.make(c)).To(Succeed())
		})
	}
}

func TestOtherCommandsAreNotCounted(t *testing.T) {
	s := newSeam(t)
	s.host.Fail(spec.CallFault{Command: "JOIN_MCAST", Nth: 1, Errno: spec.EIO})
	s.reaches("LEAVE_MCAST")
	s.Expect(s.make("LEAVE_MCAST")).To(Succeed())
	s.Expect(s.make("JOIN_MCAST")).To(MatchError(spec.EIO))
}

func TestAFaultThatIsUndoneIsGone(t *testing.T) {
	s := newSeam(t)
	undo := s.host.Fail(spec.CallFault{Command: "JOIN_MCAST", Nth: 1, Errno: spec.EIO})
	undo()
	s.reaches("JOIN_MCAST")
	s.Expect(s.make("JOIN_MCAST")).To(Succeed())
}

func TestEveryFaultCountsWhatAnotherMakesFail(t *testing.T) {
	s := newSeam(t)
	s.host.Fail(spec.CallFault{Command: "JOIN_MCAST", Nth: 1, Errno: spec.EIO})
	s.process.Fail(spec.CallFault{Command: "JOIN_MCAST", Nth: 2, Errno: spec.EBUSY})
	s.Expect(s.make("JOIN_MCAST")).To(MatchError(spec.EIO))
	s.Expect(s.make("JOIN_MCAST")).To(MatchError(spec.EBUSY))
}

func TestWritesAreTheCommandsOfTheConnectionManager(t *testing.T) {
	s := newSeam(t)
	s.process.FailNext(spec.Write, 1, spec.EIO)
	s.reaches("ATTACH_MCAST")
	s.Expect(s.make("ATTACH_MCAST")).To(Succeed())
	s.reaches("BIND")
	s.Expect(s.make("BIND")).To(Succeed())
	s.Expect(s.make("JOIN_MCAST")).To(MatchError(spec.EIO))
}

func TestMemoryIsWithheldOnce(t *testing.T) {
	g := NewWithT(t)
	var host, process fault.Set
	both := fault.Sets{Host: &host, Own: &process}
	host.Withhold(spec.MemoryFault{Function: spec.Calloc, Skip: 1})
	g.Expect(both.Allocate(spec.Malloc)).To(Succeed())
	g.Expect(both.Allocate(spec.Calloc)).To(Succeed())
	g.Expect(both.Allocate(spec.Calloc)).To(MatchError(spec.ENOMEM))
	g.Expect(both.Allocate(spec.Calloc)).To(Succeed())
}

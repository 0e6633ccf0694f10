package sa_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/sa"
	"joinmcast/sim/sm"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

var (
	own  = spec.GID{0: 0xfe, 1: 0x80, 15: 1}
	far  = spec.GID{0: 0xfe, 1: 0x80, 15: 2}
	mgid = spec.GID{0: 0xff, 1: 0x12, 2: 0x40, 3: 0x01, 15: 9}
)

// stand is a port in a subnet with another one.
type stand struct {
	*WithT
	world   *world.World
	manager *sm.Manager
	port    *sa.Port
}

func newStand(t *testing.T) *stand {
	t.Helper()
	w, m := world.New(1), sm.New(sm.Default())
	m.AddPort(own, 4096)
	m.AddPort(far, 4096)
	return &stand{NewWithT(t), w, m, sa.NewPort(w, m, own, 0xFFFF)}
}

// settle lets all happen that is under way.
func (s *stand) settle() { s.world.Settled(func() {}) }

// user is one user of the port and what it was told.
type user struct {
	*sa.Member
	statuses []spec.Errno
	record   sm.Record
}

func (s *stand) join(change func(*sm.Record)) *user {
	r := sm.Record{MGID: mgid, QKey: spec.UDPQKey, PKey: 0xFFFF, JoinState: sm.Full}
	if change != nil {
		change(&r)
	}
	u := &user{}
	u.Member = s.port.Join(r, sm.ToCreate, func(status spec.Errno, r sm.Record) {
		u.statuses, u.record = append(u.statuses, status), r
	})
	return u
}

// hears tells whether the port is sent what the other port sends to the group.
func (s *stand) hears(mlid uint16) bool {
	_, err := s.manager.Join(sm.Record{MGID: mgid, PortGID: far, JoinState: sm.SendOnlyNonMember}, 0)
	if err != nil {
		return false // there is no such group any more
	}
	defer s.manager.Leave(mgid, far, sm.SendOnlyNonMember)
	return len(s.manager.Route(mlid, far)) == 1
}

func TestUsersOfAPortShareOneMembership(t *testing.T) {
	s := newStand(t)
	first, second := s.join(nil), s.join(nil)
	s.settle()
	s.Expect(first.statuses).To(Equal([]spec.Errno{0}))
	s.Expect(second.record.MLID).To(Equal(first.record.MLID))

	first.Leave()
	s.settle()
	s.Expect(s.hears(first.record.MLID)).To(BeTrue(), "the other user is still a member")
	second.Leave()
	s.settle()

	s.Expect(s.hears(first.record.MLID)).To(BeFalse())
}

func TestNothingIsToldBeforeJoinReturns(t *testing.T) {
	s := newStand(t)

	u := s.join(nil)

	s.Expect(u.statuses).To(BeEmpty())
}

func TestLeaveBeforeTheAnswerIsToldNothingAndLeavesNothing(t *testing.T) {
	s := newStand(t)
	u := s.join(nil)

	u.Leave()
	s.settle()

	s.Expect(u.statuses).To(BeEmpty())
	s.Expect(s.hears(sm.FirstMLID + 1)).To(BeFalse())
	_, ok := s.port.Record(mgid)
	s.Expect(ok).To(BeFalse())
}

func TestUserWhoAsksForAnotherGroupOfTheSameMGIDIsRefused(t *testing.T) {
	s := newStand(t)
	s.join(nil)
	s.settle()

	u := s.join(func(r *sm.Record) { r.QKey++ })
	s.settle()

	s.Expect(u.statuses).To(Equal([]spec.Errno{spec.EINVAL}))
}

func TestRefusalAndSilenceAreToldApart(t *testing.T) {
	s := newStand(t)
	s.manager.Refuse(0x0700)
	refused := s.join(nil)
	s.settle()
	s.manager.Refuse(0)
	s.manager.Silence(true)
	unanswered := s.join(nil)
	s.settle()
	s.manager.Silence(false)

	s.Expect(refused.statuses).To(Equal([]spec.Errno{spec.EINVAL}))
	s.Expect(unanswered.statuses).To(Equal([]spec.Errno{spec.ETIMEDOUT}))
}

func TestLeaveOfARefusedJoinTakesNothingFromAnother(t *testing.T) {
	s := newStand(t)
	member := s.join(nil)
	s.settle()
	refused := s.join(func(r *sm.Record) { r.QKey++ })
	s.settle()

	refused.Leave()
	s.settle()

	s.Expect(s.hears(member.record.MLID)).To(BeTrue())
}

func TestSendOnlyUserDoesNotHear(t *testing.T) {
	s := newStand(t)
	sender := s.join(func(r *sm.Record) { r.JoinState = sm.SendOnlyFull })
	full := s.join(nil)
	s.settle()
	s.Expect(s.hears(full.record.MLID)).To(BeTrue(), "control: the full member does")

	full.Leave()
	s.settle()

	s.Expect(s.hears(sender.record.MLID)).To(BeFalse())
	s.Expect(sender.statuses).To(Equal([]spec.Errno{0}))
}

func TestZeroMGIDIsAGroupOfItsOwnThatOthersCanJoin(t *testing.T) {
	s := newStand(t)
	zero := func(r *sm.Record) { r.MGID = spec.GID{} }
	first, second := s.join(zero), s.join(zero)
	s.settle()
	joiner := s.join(func(r *sm.Record) { r.MGID = first.record.MGID })
	s.settle()

	s.Expect(first.record.MGID).NotTo(Equal(spec.GID{}))
	s.Expect(second.record.MGID).NotTo(Equal(first.record.MGID))
	s.Expect(joiner.record.MLID).To(Equal(first.record.MLID))
}

func TestLossIsToldToEveryMemberOnce(t *testing.T) {
	for name, lose := range map[string]func(*sa.Port){
		"an event of the port": (*sa.Port).Lose, "a P_Key": (*sa.Port).MovePKey,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			first, second := s.join(nil), s.join(nil)
			s.settle()

			lose(s.port)
			s.settle()

			s.Expect(first.statuses).To(Equal([]spec.Errno{0, spec.ENETRESET}))
			s.Expect(second.statuses).To(Equal([]spec.Errno{0, spec.ENETRESET}))
			_, ok := s.port.Record(mgid)
			s.Expect(ok).To(BeFalse())
		})
	}
}

func TestJoinAfterALossAsksAgain(t *testing.T) {
	s := newStand(t)
	lost := s.join(nil)
	s.settle()
	s.manager.Forget(own)
	s.port.Lose()
	s.settle()

	again := s.join(nil)
	s.settle()
	lost.Leave()
	s.settle()

	s.Expect(again.statuses).To(Equal([]spec.Errno{0}))
	s.Expect(s.hears(again.record.MLID)).To(BeTrue(), "the leave of what was lost takes nothing away")
}

// A port that is a member in two ways and leaves them one by one leaves no group behind, however often (opensm#43).
func TestPartialLeavesLeakNoGroup(t *testing.T) {
	s := newStand(t)
	policy := s.manager.Policy()
	policy.MLIDs = 2 // one is the broadcast group's
	s.manager.SetPolicy(policy)
	for i := range 1100 {
		numbered := func(r *sm.Record) { r.MGID[13], r.MGID[14] = byte(i>>8), byte(i) }
		full := s.join(numbered)
		sender := s.join(func(r *sm.Record) {
			numbered(r)
			r.JoinState = sm.SendOnlyFull
		})
		s.settle()
		s.Expect(full.statuses).To(Equal([]spec.Errno{0}), "cycle %d", i)
		s.Expect(sender.statuses).To(Equal([]spec.Errno{0}), "cycle %d", i)
		full.Leave()
		s.settle()
		sender.Leave()
		s.settle()
	}
}

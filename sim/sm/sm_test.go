package sm_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/sm"
	"joinmcast/spec"
)

// Ports of the tests' subnet, and a group.
var (
	one   = spec.GID{0: 0xfe, 1: 0x80, 15: 1}
	two   = spec.GID{0: 0xfe, 1: 0x80, 15: 2}
	mgid  = spec.GID{0: 0xff, 1: 0x12, 2: 0x40, 3: 0x01, 4: 0xff, 5: 0xff, 15: 9}
	other = spec.GID{0: 0xff, 1: 0x12, 2: 0x40, 3: 0x01, 4: 0xff, 5: 0xff, 15: 10}
)

// subnet is a manager of two ports.
func subnet(change func(*sm.Policy)) *sm.Manager {
	policy := sm.Default()
	if change != nil {
		change(&policy)
	}
	m := sm.New(policy)
	m.AddPort(one, 4096)
	m.AddPort(two, 2048)
	return m
}

// request is a join that creates the group if need be.
func request(mgid, port spec.GID, state sm.JoinState) sm.Record {
	return sm.Record{MGID: mgid, PortGID: port, QKey: spec.UDPQKey, PKey: 0xFFFF, JoinState: state}
}

func TestJoinCreatesTheGroup(t *testing.T) {
	g := NewWithT(t)

	got, err := subnet(nil).Join(request(mgid, one, sm.Full), sm.ToCreate)

	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.MGID).To(Equal(mgid))
	g.Expect(got.PortGID).To(Equal(one))
	g.Expect(got.JoinState).To(Equal(sm.Full))
	g.Expect(got.QKey).To(Equal(uint32(spec.UDPQKey)))
	g.Expect(sm.IsMLID(got.MLID)).To(BeTrue())
}

func TestMembersOfAGroupShareItsMLIDAndGroupsDoNot(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)

	first, err1 := m.Join(request(mgid, one, sm.Full), sm.ToCreate)
	second, err2 := m.Join(request(mgid, two, sm.Full), sm.ToCreate)
	elsewhere, err3 := m.Join(request(other, two, sm.Full), sm.ToCreate)

	g.Expect([]error{err1, err2, err3}).To(HaveEach(BeNil()))
	g.Expect(second.MLID).To(Equal(first.MLID))
	g.Expect(elsewhere.MLID).NotTo(Equal(first.MLID))
}

func TestJoinStatesOfAPortAddUp(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)
	_, err := m.Join(request(mgid, one, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())

	got, err := m.Join(request(mgid, one, sm.SendOnlyFull), sm.ToCreate)

	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.JoinState).To(Equal(sm.Full | sm.SendOnlyFull))
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		policy  func(*sm.Policy)
		change  func(*sm.Record)
		given   sm.Components
		refusal sm.Refusal
	}{
		"a Q_Key that is not the group's": {
			change: func(r *sm.Record) { r.MGID, r.QKey = mgid, 1 }, given: sm.ToCreate, refusal: sm.InvalidRequest,
		},
		"a service level that is not the group's": {
			change: func(r *sm.Record) { r.MGID, r.SL = mgid, 3 }, given: sm.ToCreate, refusal: sm.InvalidRequest,
		},
		"another partition": {
			change: func(r *sm.Record) { r.PKey = 0x8001 }, given: sm.ToCreate, refusal: sm.InvalidRequest,
		},
		"a group to create without all it needs": {given: sm.ToCreate &^ sm.QKey, refusal: sm.InsufficientComponents},
		"a group to create by a non-member": {
			change: func(r *sm.Record) { r.JoinState = sm.NonMember }, given: sm.ToCreate, refusal: sm.InvalidRequest,
		},
		"an MTU that the port has not": {
			change: func(r *sm.Record) { r.PortGID, r.MTU = two, 4096 }, given: sm.ToCreate | sm.MTU,
			refusal: sm.InvalidRequest,
		},
		"a port of another subnet": {
			change: func(r *sm.Record) { r.PortGID = spec.GID{15: 7} }, given: sm.ToCreate, refusal: sm.InvalidGID,
		},
		"a GID that is not multicast": {
			change: func(r *sm.Record) { r.MGID = two }, given: sm.ToCreate, refusal: sm.InvalidGID,
		},
		"a send-only member without support": {
			policy: func(p *sm.Policy) { p.SendOnly = false },
			change: func(r *sm.Record) { r.JoinState = sm.SendOnlyFull }, given: sm.ToCreate, refusal: sm.InvalidRequest,
		},
		"a group beyond the last MLID": {
			policy: func(p *sm.Policy) { p.MLIDs = 2 }, given: sm.ToCreate, refusal: sm.NoResources,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m := subnet(c.policy)
			_, err := m.Join(request(mgid, one, sm.Full), sm.ToCreate)
			g.Expect(err).NotTo(HaveOccurred(), "control: a group can be created")
			r := request(other, one, sm.Full)
			if c.change != nil {
				c.change(&r)
			}

			_, err = m.Join(r, c.given)

			g.Expect(err).To(MatchError(c.refusal))
		})
	}
}

func TestPartitionIsTheSameForLimitedMembers(t *testing.T) {
	r := request(mgid, one, sm.Full)
	r.PKey = 0x7FFF

	_, err := subnet(nil).Join(r, sm.ToCreate)

	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func TestRequestMayLeaveOutWhatDiffersFromAGroupThatIsThere(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)
	_, err := m.Join(request(mgid, one, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())
	r := request(mgid, two, sm.NonMember)
	r.QKey = 1

	got, err := m.Join(r, 0)

	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.QKey).To(Equal(uint32(spec.UDPQKey)))
}

func TestLastFullMembersLeaveFreesTheMLID(t *testing.T) {
	g := NewWithT(t)
	m := subnet(func(p *sm.Policy) { p.MLIDs = 2 })
	first, err := m.Join(request(mgid, one, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = m.Join(request(mgid, two, sm.NonMember), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())

	m.Leave(mgid, one, sm.Full)

	second, err := m.Join(request(other, one, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second.MLID).To(Equal(first.MLID))
}

func TestSendOnlyFullMemberKeepsTheGroup(t *testing.T) {
	g := NewWithT(t)
	m := subnet(func(p *sm.Policy) { p.MLIDs = 2 })
	_, err := m.Join(request(mgid, one, sm.Full|sm.SendOnlyFull), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())

	m.Leave(mgid, one, sm.Full)

	_, err = m.Join(request(other, one, sm.Full), sm.ToCreate)
	g.Expect(err).To(MatchError(sm.NoResources))
}

func TestZeroMGIDIsAssignedAndNeverTwice(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)

	first, err1 := m.Join(request(spec.GID{}, one, sm.Full), sm.ToCreate)
	second, err2 := m.Join(request(spec.GID{}, one, sm.Full), sm.ToCreate)
	joined, err3 := m.Join(request(first.MGID, two, sm.Full), sm.ToCreate)

	g.Expect([]error{err1, err2, err3}).To(HaveEach(BeNil()))
	g.Expect(first.MGID[:4]).To(Equal([]byte{0xff, 0x12, 0xa0, 0x1b}))
	g.Expect(second.MGID).NotTo(Equal(first.MGID))
	g.Expect(joined.MLID).To(Equal(first.MLID))
}

func TestDatagramsGoToThoseWhoReceive(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)
	three := spec.GID{0: 0xfe, 1: 0x80, 15: 3}
	m.AddPort(three, 4096)
	r, err := m.Join(request(mgid, two, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Route(r.MLID, one)).To(BeEmpty(), "the sender is no member")
	_, err = m.Join(request(mgid, one, sm.SendOnlyFull), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = m.Join(request(mgid, three, sm.NonMember), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())

	g.Expect(m.Route(r.MLID, one)).To(Equal([]spec.GID{two, three}))
	g.Expect(m.Route(r.MLID, two)).To(Equal([]spec.GID{three}), "one only sends, and nobody hears himself")
}

func TestForgottenPortIsNoMember(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)
	r, err := m.Join(request(mgid, one, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = m.Join(request(mgid, two, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())

	m.Forget(two)

	g.Expect(m.Route(r.MLID, one)).To(BeEmpty())
}

func TestFaultsLastUntilTheyAreTakenBack(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)
	join := func() error {
		_, err := m.Join(request(mgid, one, sm.Full), sm.ToCreate)
		return err
	}

	m.Refuse(0x0700)
	g.Expect(join()).To(MatchError(sm.Refusal(0x0700)))
	m.Refuse(0)
	m.Silence(true)
	g.Expect(join()).To(MatchError(sm.ErrSilent))
	m.Silence(false)

	g.Expect(join()).To(Succeed())
}

func TestBroadcastGroupIsThereWithoutMembers(t *testing.T) {
	g := NewWithT(t)
	m := subnet(func(p *sm.Policy) { p.PKey, p.Scope, p.QKey = 0x8001, 5, 0xB1B })
	r := request(m.Broadcast(), one, sm.Full)
	r.PKey = 0x8001

	got, err := m.Join(r, 0)

	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.QKey).To(Equal(uint32(0xB1B)))
	g.Expect(got.MGID.String()).To(Equal("ff15:401b:8001::ffff:ffff"))
}

func TestMovedPortIsFoundAtItsNewLIDOnly(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)
	old := m.LID(one)

	m.Relocate(one)

	_, still := m.PortAt(old)
	gid, ok := m.PortAt(m.LID(one))
	g.Expect(still).To(BeFalse())
	g.Expect(ok).To(BeTrue())
	g.Expect(gid).To(Equal(one))
}

func TestNewPolicyForgetsTheGroups(t *testing.T) {
	g := NewWithT(t)
	m := subnet(nil)
	r, err := m.Join(request(mgid, one, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = m.Join(request(mgid, two, sm.Full), sm.ToCreate)
	g.Expect(err).NotTo(HaveOccurred())
	policy := m.Policy()
	policy.QKey = 0x80010B1B

	m.SetPolicy(policy)

	g.Expect(m.Route(r.MLID, one)).To(BeEmpty())
	broadcast, err := m.Join(request(m.Broadcast(), one, sm.Full), 0)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(broadcast.QKey).To(Equal(uint32(0x80010B1B)))
}

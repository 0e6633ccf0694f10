package sm

import (
	"fmt"

	"joinmcast/spec"
)

// Record is an MCMemberRecord: a group, and one port's part in it.
type Record struct {
	MGID         spec.GID // zero asks for one that the manager chooses
	PortGID      spec.GID
	QKey         uint32
	MLID         uint16 // given by the manager
	MTU          int    // in bytes
	TrafficClass uint8
	PKey         uint16
	SL           uint8
	FlowLabel    uint32
	HopLimit     uint8
	JoinState    JoinState
}

// Components are the fields of a request that count, beside MGID, PortGID and JoinState, which always do.
type Components uint

// Components of a request.
const (
	QKey Components = 1 << iota
	MTU
	TrafficClass
	PKey
	SL
	FlowLabel
	HopLimit
)

// ToCreate are the components without which a request creates no group.
const ToCreate = QKey | TrafficClass | PKey | SL | FlowLabel

// Differs tells whether r is not what a request asks for in the components given.
func (r Record) Differs(request Record, given Components) bool {
	asks := func(c Components) bool { return given&c != 0 }
	return asks(QKey) && r.QKey != request.QKey ||
		asks(MTU) && r.MTU != request.MTU ||
		asks(TrafficClass) && r.TrafficClass != request.TrafficClass ||
		asks(PKey) && !SamePartition(r.PKey, request.PKey) ||
		asks(SL) && r.SL != request.SL ||
		asks(FlowLabel) && r.FlowLabel != request.FlowLabel ||
		asks(HopLimit) && r.HopLimit != request.HopLimit
}

// SamePartition tells whether two P_Keys name one partition: the top bit tells full members from limited ones.
func SamePartition(a, b uint16) bool { return a<<1 == b<<1 }

// JoinState is the set of ways in which a port is a member.
type JoinState uint8

// Ways to be a member. A non-member receives and does not keep the group alive.
const (
	Full JoinState = 1 << iota
	NonMember
	SendOnlyNonMember
	SendOnlyFull
)

const (
	receives   = Full | NonMember
	keepsAlive = Full | SendOnlyFull
)

// Refusal is the MAD status of an answer that is none (IBTA, status of the class SubnAdm).
type Refusal uint16

// Refusals of the manager itself.
const (
	NoResources            Refusal = 0x0100
	InvalidRequest         Refusal = 0x0200
	InvalidGID             Refusal = 0x0500
	InsufficientComponents Refusal = 0x0600
)

func (r Refusal) Error() string {
	return fmt.Sprintf("the subnet manager refuses with MAD status %#04x", uint16(r))
}

package match_test

import (
	"errors"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"joinmcast/conformance/match"
	"joinmcast/spec"
)

var (
	group  = spec.MGIDOf(netip.MustParseAddr("239.1.2.3"))
	einval = &spec.CallError{Method: "rdma_join_multicast", Ret: -1, Errno: spec.EINVAL}
	minus  = &spec.CallError{Ret: -22, Errno: spec.EINVAL}
	null   = &spec.CallError{Method: "rdma_create_event_channel", Errno: spec.ENODEV}
	plus   = &spec.CallError{Ret: 22, Errno: spec.EINVAL}
	joined = spec.Event{
		Type: spec.MulticastJoin,
		UD:   spec.UDParam{PrivateData: 7, AH: spec.AHAttr{GRH: spec.GlobalRoute{DGID: group}}},
	}
	lost     = spec.Event{Type: spec.AddrError, Status: -int(spec.ENODEV)}
	positive = spec.Event{Type: spec.AddrError, Status: int(spec.ENODEV)}
	imm      = uint32(5)
	plain    = spec.Completion{ByteLen: 43, HasGRH: true, Data: spec.Bytes("abc")}
	tooLong  = spec.Completion{Status: spec.WCLocLenErr}
	datagram = spec.Completion{ByteLen: 43, HasGRH: true, Imm: &imm, Data: spec.Bytes("abc")}
)

func TestMatchersTakeExactlyWhatTheyName(t *testing.T) {
	failed := joined
	failed.Type, failed.Status = spec.MulticastError, -1
	short := datagram
	short.ByteLen = 3
	for name, c := range map[string]struct {
		matcher types.GomegaMatcher
		actual  any
		matches bool
	}{
		"-1 and the errno":                 {match.FailWith(spec.EINVAL), einval, true},
		"-1 and another errno":             {match.FailWith(spec.ENOTSUP), einval, false},
		"-errno":                           {match.FailWith(spec.EINVAL), minus, false},
		"a positive errno of librdmacm":    {match.FailWith(spec.EINVAL), plus, false},
		"success for a refusal":            {match.FailWith(spec.EINVAL), nil, false},
		"a hang for a refusal":             {match.FailWith(spec.EINVAL), &spec.Hung{}, false},
		"a positive errno of libibverbs":   {match.ReturnErrno(spec.EINVAL), plus, true},
		"-1 of libibverbs":                 {match.ReturnErrno(spec.EINVAL), einval, false},
		"NULL and the errno":               {match.ReturnNULL(spec.ENODEV), null, true},
		"-1 for NULL":                      {match.ReturnNULL(spec.EINVAL), einval, false},
		"a pointer for NULL":               {match.ReturnNULL(spec.ENODEV), nil, false},
		"any errno by convention":          {match.FailByConvention(), einval, true},
		"no errno by convention":           {match.FailByConvention(), &spec.CallError{Ret: -1}, false},
		"-errno by convention":             {match.FailByConvention(), minus, false},
		"0":                                {match.ReturnZero(), nil, true},
		"a refusal for 0":                  {match.ReturnZero(), einval, false},
		"a lost harness for 0":             {match.ReturnZero(), errors.New("gone"), false},
		"a step that worked":               {match.HaveWorked(), nil, true},
		"a step that did not":              {match.HaveWorked(), errors.New("gone"), false},
		"a JOIN of the group":              {match.BeJoin(group), joined, true},
		"a JOIN of another group":          {match.BeJoin(spec.GID{1}), joined, false},
		"an ERROR for a JOIN":              {match.BeJoin(group), failed, false},
		"an ERROR":                         {match.BeMulticastError(), failed, true},
		"a JOIN for an ERROR":              {match.BeMulticastError(), joined, false},
		"the context":                      {match.CarryContext(7), joined, true},
		"another context":                  {match.CarryContext(8), joined, false},
		"NULL in an event of another kind": {match.CarryContext(0), spec.Event{Type: spec.AddrResolved}, false},
		"an event type":                    {match.BeEvent(spec.AddrResolved), spec.Event{Type: spec.AddrResolved}, true},
		"an event type with a status":      {match.BeEvent(spec.AddrResolved), spec.Event{Status: 1}, false},
		"a failure with its errno":         {match.BeFailure(spec.AddrError, spec.ENODEV), lost, true},
		"a failure with another errno":     {match.BeFailure(spec.AddrError, spec.EINVAL), lost, false},
		"a positive status":                {match.BeFailure(spec.AddrError, spec.ENODEV), positive, false},
		"a field":                          {match.Be("qp_num", uint32(1)), uint32(1), true},
		"another field":                    {match.Be("qp_num", uint32(1)), uint32(2), false},
		"a datagram":                       {match.BeDatagram("abc", 5), datagram, true},
		"a datagram of another payload":    {match.BeDatagram("abd", 5), datagram, false},
		"other immediate data":             {match.BeDatagram("abc", 6), datagram, false},
		"no immediate data":                {match.BePlainDatagram("abc"), plain, true},
		"immediate data nobody sent":       {match.BePlainDatagram("abc"), datagram, false},
		"a status":                         {match.EndWith(spec.WCLocLenErr), tooLong, true},
		"another status":                   {match.EndWith(spec.WCLocQPOpErr), tooLong, false},
		"a byte_len without the GRH":       {match.BeDatagram("abc", 5), short, false},
	} {
		t.Run(name, func(t *testing.T) {
			matches, err := c.matcher.Match(c.actual)
			g := NewWithT(t)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(matches).To(Equal(c.matches))
		})
	}
}

func TestFailuresNameErrnosAndNumbers(t *testing.T) {
	g := NewWithT(t)
	g.Expect(match.FailWith(spec.ENOTSUP).FailureMessage(einval)).To(Equal(
		"expected: -1 with errno EOPNOTSUPP (95)\n    seen: -1 with errno EINVAL (22)"))
	g.Expect(match.FailWith(spec.EINVAL).FailureMessage(nil)).To(HaveSuffix("seen: 0"))
	g.Expect(match.HaveWorked().FailureMessage(errors.New("gone"))).To(Equal("expected: no error\n    seen: gone"))
	g.Expect(match.Be("qkey", uint32(spec.UDPQKey)).FailureMessage(uint32(0))).To(Equal(
		"expected: qkey 19088743 (0x1234567)\n    seen: qkey 0 (0x0)"))
	g.Expect(match.BeJoin(group).FailureMessage(spec.Event{Type: spec.MulticastError, Status: -1, Errno: spec.EINVAL})).
		To(ContainSubstring("seen: MULTICAST_ERROR, status -1, errno EINVAL (22)"))
}

func TestMatchersRefuseWhatTheyCannotJudge(t *testing.T) {
	g := NewWithT(t)
	for _, m := range []types.GomegaMatcher{
		match.FailWith(spec.EINVAL), match.ReturnZero(), match.BeJoin(group), match.BeDatagram("", 0),
		match.Be("qp_num", uint32(1)), match.EndWith(spec.WCSuccess),
	} {
		_, err := m.Match("text")
		g.Expect(err).To(MatchError(ContainSubstring("have")))
	}
}

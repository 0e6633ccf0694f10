package match

import (
	"fmt"

	"github.com/onsi/gomega/types"

	"joinmcast/spec"
)

// BeDatagram succeeds for a successful receive of this payload and immediate data, with IBV_WC_GRH set and a byte_len
// of the payload plus the 40 bytes of the GRH (ibv_poll_cq(3), IBTA UD rules).
func BeDatagram(payload string, imm uint32) types.GomegaMatcher {
	return &datagramMatcher{payload: payload, imm: &imm}
}

// BePlainDatagram succeeds for what BeDatagram does, without IBV_WC_WITH_IMM.
func BePlainDatagram(payload string) types.GomegaMatcher { return &datagramMatcher{payload: payload} }

type datagramMatcher struct {
	payload string
	imm     *uint32 // nil: none
}

func (m *datagramMatcher) Match(actual any) (bool, error) {
	c, ok := actual.(spec.Completion)
	if !ok {
		return false, fmt.Errorf("want a spec.Completion, have %T", actual)
	}
	return c.Status == spec.WCSuccess && c.HasGRH && c.ByteLen == uint32(spec.GRHBytes+len(m.payload)) &&
		string(c.Data) == m.payload && describeImm(c.Imm) == describeImm(m.imm), nil
}

func (m *datagramMatcher) FailureMessage(actual any) string {
	return message(m.String(), describeCompletion(actual))
}

func (m *datagramMatcher) NegatedFailureMessage(actual any) string {
	return message("anything but "+m.String(), describeCompletion(actual))
}

// String is the datagram as it is expected.
func (m *datagramMatcher) String() string {
	return fmt.Sprintf("SUCCESS with a GRH, byte_len %d, %s, %q", spec.GRHBytes+len(m.payload), describeImm(m.imm),
		m.payload)
}

func describeCompletion(actual any) string {
	c, ok := actual.(spec.Completion)
	if !ok {
		return fmt.Sprint(actual)
	}
	grh := "without a GRH"
	if c.HasGRH {
		grh = "with a GRH"
	}
	return fmt.Sprintf("%s %s, byte_len %d, %s, %q", c.Status, grh, c.ByteLen, describeImm(c.Imm), string(c.Data))
}

func describeImm(imm *uint32) string {
	if imm == nil {
		return "no immediate data"
	}
	return fmt.Sprintf("immediate data %d", *imm)
}

// EndWith succeeds for a work request that completed with this status.
func EndWith(want spec.WCStatus) types.GomegaMatcher { return statusMatcher{want} }

type statusMatcher struct{ want spec.WCStatus }

func (m statusMatcher) Match(actual any) (bool, error) {
	c, ok := actual.(spec.Completion)
	if !ok {
		return false, fmt.Errorf("want a spec.Completion, have %T", actual)
	}
	return c.Status == m.want, nil
}

func (m statusMatcher) FailureMessage(actual any) string {
	return message(m.want.String(), describeCompletion(actual))
}

func (m statusMatcher) NegatedFailureMessage(actual any) string {
	return message("any status but "+m.want.String(), describeCompletion(actual))
}

package match

import (
	"fmt"

	"github.com/onsi/gomega/types"

	"joinmcast/spec"
)

// BeDatagram succeeds for a successful receive of this payload and immediate data, with IBV_WC_GRH set and a byte_len
// of the payload plus the 40 bytes of the GRH (ibv_poll_cq(3), IBTA UD rules).
func BeDatagram(payload string, imm uint32) types.GomegaMatcher {
	return &datagramMatcher{payload: payload, imm: imm}
}

type datagramMatcher struct {
	payload string
	imm     uint32
}

func (m *datagramMatcher) Match(actual any) (bool, error) {
	c, ok := actual.(spec.Completion)
	if !ok {
		return false, fmt.Errorf("want a spec.Completion, have %T", actual)
	}
	return c.Status == spec.WCSuccess && c.HasGRH && c.ByteLen == uint32(spec.GRHBytes+len(m.payload)) &&
		string(c.Data) == m.payload && c.Imm != nil && *c.Imm == m.imm, nil
}

func (m *datagramMatcher) FailureMessage(actual any) string {
	return message(m.String(), describeCompletion(actual))
}

func (m *datagramMatcher) NegatedFailureMessage(actual any) string {
	return message("anything but "+m.String(), describeCompletion(actual))
}

// String is the datagram as it is expected.
func (m *datagramMatcher) String() string {
	return fmt.Sprintf("SUCCESS with a GRH, byte_len %d, immediate data %d, %q", spec.GRHBytes+len(m.payload), m.imm,
		m.payload)
}

func describeCompletion(actual any) string {
	c, ok := actual.(spec.Completion)
	if !ok {
		return fmt.Sprint(actual)
	}
	grh, imm := "without a GRH", "no immediate data"
	if c.HasGRH {
		grh = "with a GRH"
	}
	if c.Imm != nil {
		imm = fmt.Sprintf("immediate data %d", *c.Imm)
	}
	return fmt.Sprintf("%s %s, byte_len %d, %s, %q", c.Status, grh, c.ByteLen, imm, string(c.Data))
}

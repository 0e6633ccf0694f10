package call_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

func TestEveryCallThatGivesAHandlePromisesIt(t *testing.T) {
	g := NewWithT(t)
	promised, err := json.Marshal(spec.FromStep[spec.ID](3))
	g.Expect(err).NotTo(HaveOccurred())
	for _, method := range call.Methods() {
		gives := strings.Contains(method, "create_") || method == "open" || method == "rdma_get_cm_event"
		_, answer, ok := call.New(method)
		g.Expect(ok).To(BeTrue(), method)

		call.Promise(answer, 3)

		text, err := json.Marshal(answer)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(strings.Contains(string(text), string(promised))).To(Equal(gives), "%s: %s", method, text)
	}
}

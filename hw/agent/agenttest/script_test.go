//go:build live

package agenttest

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

const ackOfNull = `{"method":"rdma_ack_cm_event","args":{"event":0}}`

func TestAScriptTalliesWhatItsStepsAnswered(t *testing.T) {
	a := start(t)
	result := a.result("script", `{"script":{"rounds":5,"sequences":[[`+ackOfNull+`],[`+ackOfNull+`,`+ackOfNull+`]]}}`)
	a.Expect(result.OK).To(BeTrue())
	var answer struct{ Tallies [][]spec.Tally }
	a.Expect(json.Unmarshal(result.Answer, &answer)).To(Succeed())
	a.Expect(answer.Tallies).To(HaveLen(2))
	a.Expect(answer.Tallies[1]).To(HaveLen(2))
	for _, tally := range append(answer.Tallies[0], answer.Tallies[1]...) {
		a.Expect(tally.Outcomes).To(Equal(map[string]int{"22": 5}))
		a.Expect(tally.Slowest).To(BeNumerically(">", 0))
	}
}

func TestAHandleOfAStepThatFailedIsNull(t *testing.T) {
	a := start(t)
	result := a.result("script", `{"script":{"rounds":1,"sequences":[[`+ackOfNull+
		`,{"method":"rdma_ack_cm_event","args":{"event":2147483648}}]]}}`)
	a.Expect(string(result.Answer)).To(MatchRegexp(`^{"tallies":\[\[{"outcomes":{"22":1}.*{"outcomes":{"22":1}`))
}

func TestWrongScriptsAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ steps, message string }{
		"no such method": {`{"method":"x","args":{}}`, `script: no step is named "x"`},
		"a script":       {`{"method":"script","args":{}}`, `script: no step is named "script"`},
		"no arguments":   {`{"method":"poll"}`, `script: "args" of a step must be an object`},
		"a later step": {
			`{"method":"rdma_ack_cm_event","args":{"event":2147483648}}`,
			`script: sequence 0, step 0: rdma_ack_cm_event: no step 0 is before this one`,
		},
		"wrong arguments": {
			`{"method":"rdma_ack_cm_event","args":{}}`,
			`script: sequence 0, step 0: rdma_ack_cm_event: the param "event" is missing`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := start(t)
			a.expectRefusal(a.ask("script", `{"script":{"rounds":1,"sequences":[[`+c.steps+`]]}}`), -32602, c.message)
		})
	}
}

func TestACallOfAScriptIsListedWhileItIsOpen(t *testing.T) {
	a := startOdd(t)
	a.send("script", `{"script":{"rounds":2,"sequences":[[{"method":"rdma_create_event_channel","args":{}}],`+
		`[{"method":"rdma_join_multicast","args":{"id":0,"addr":null,"context":"0x0"}}]]}}`)
	a.Eventually(a.inFlight).Should(ConsistOf(
		spec.InFlight{Method: "script", Blocked: true},
		spec.InFlight{Method: "rdma_create_event_channel", Blocked: true},
		spec.InFlight{Method: wire.Barrier, Blocked: true},
	))
}

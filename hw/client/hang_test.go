package client

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

func TestAScriptIsNotAsleepWhileOneOfItsSequencesRuns(t *testing.T) {
	g := NewWithT(t)
	calls := []spec.InFlight{{Method: "script", Blocked: true}, {Method: "write"}, {Method: "write", Blocked: true}}
	g.Expect(isAsleep(calls, "script")).To(BeFalse())
	calls[1].Blocked = true
	g.Expect(isAsleep(calls, "script")).To(BeTrue())
}

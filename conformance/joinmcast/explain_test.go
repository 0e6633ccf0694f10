package main

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestExplainNamesTheSpecsTheKnownIssuesAndAllPaths(t *testing.T) {
	g := NewWithT(t)
	var leave, filter strings.Builder

	g.Expect(explain(&leave, "JM-LV-02")).To(Succeed())
	g.Expect(explain(&filter, "JM-CLEAN-04")).To(Succeed())

	g.Expect(leave.String()).To(And(
		MatchRegexp(`specs +conformance/leaveaddress.go:\d+: refuses to leave a group that was never joined\n`),
		MatchRegexp(`\n +conformance/leaveaddress.go:\d+: refuses to leave a group whose join was refused\n`),
		MatchRegexp(`files +spec/catalogue/leave.yaml:\d+\n +conformance/leaveaddress.go\n$`)))
	g.Expect(filter.String()).To(And(
		MatchRegexp(` KI-RXE-FILTER: FAIL with filter 33:33\+group, where driver rdma_rxe.*; \d+ days left\n`),
		MatchRegexp(`files +spec/catalogue/clean.yaml:\d+\n( +fixtures/.*\n)* +fixtures/known-issues/rxe.yaml:\d+\n$`)))
}

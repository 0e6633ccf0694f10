package verdict_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec/verdict"
)

func TestMergeTakesTheGravest(t *testing.T) {
	for _, c := range []struct {
		specs []verdict.Verdict
		want  verdict.Verdict
	}{
		{[]verdict.Verdict{"PASS", "PASS"}, "PASS"},
		{[]verdict.Verdict{"PASS", "SKIP"}, "SKIP"},
		{[]verdict.Verdict{"PASS", "NOTRUN"}, "NOTRUN"},
		{[]verdict.Verdict{"SKIP", "NOTRUN"}, "SKIP"},
		{[]verdict.Verdict{"KNOWN", "PASS"}, "KNOWN"},
		{[]verdict.Verdict{"KNOWN", "SKIP"}, "KNOWN"},
		{[]verdict.Verdict{"FIXED", "KNOWN"}, "FIXED"},
		{[]verdict.Verdict{"FIXED", "FAIL"}, "FAIL"},
		{[]verdict.Verdict{"ERROR", "FAIL"}, "ERROR"},
		{[]verdict.Verdict{"ERROR", "HANG"}, "HANG"},
		{[]verdict.Verdict{"HANG", "CRASH"}, "CRASH"},
		{[]verdict.Verdict{"NA", "PASS"}, "PASS"},
		{[]verdict.Verdict{"NA", "NA"}, "NA"},
		{[]verdict.Verdict{"PASS", "green"}, "ERROR"},
		{nil, "NOTRUN"},
	} {
		t.Run(string(c.want), func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(verdict.Merge(c.specs...)).To(Equal(c.want), "of %v", c.specs)
		})
	}
}

func TestMergeDoesNotDependOnTheOrderOfSpecs(t *testing.T) {
	g := NewWithT(t)
	for _, a := range verdict.All() {
		for _, b := range verdict.All() {
			g.Expect(verdict.Merge(a, b)).To(Equal(verdict.Merge(b, a)), "of %s and %s", a, b)
		}
	}
}

func TestEveryVerdictIsValidAndNoOtherWordIs(t *testing.T) {
	g := NewWithT(t)
	g.Expect(verdict.All()).To(HaveLen(10))
	for _, v := range verdict.All() {
		g.Expect(v.Valid()).To(BeTrue(), "%s", v)
	}
	g.Expect(verdict.Verdict("").Valid()).To(BeFalse())
	g.Expect(verdict.Verdict("pass").Valid()).To(BeFalse())
}

package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestTheFirstProcessPassesOverWordsItsKernelDidNotKnow(t *testing.T) {
	g := NewWithT(t)
	g.Expect(ownArguments(1, []string{"nosoftlockup", "unknown_nmi_panic", "-pid1"})).To(Equal([]string{"-pid1"}))
	g.Expect(ownArguments(1, []string{"-pid1"})).To(Equal([]string{"-pid1"}))
	g.Expect(ownArguments(1, []string{"word"})).To(Equal([]string{"word"}))
	g.Expect(ownArguments(7, []string{"word", "-stdio"})).To(Equal([]string{"word", "-stdio"}), "a mistake to be told of")
}

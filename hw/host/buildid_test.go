package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestABuildIDIsFoundBehindOtherNotes(t *testing.T) {
	notes := "\x04\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00GNU\x00xx\x00\x00" +
		"\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00GNU\x00\xde\xad\xbe\xef"
	NewWithT(t).Expect(noteBuildID([]byte(notes))).To(Equal("deadbeef"))
}

func TestTornNotesHaveNoBuildID(t *testing.T) {
	whole := "\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00GNU\x00\xde\xad\xbe\xef"
	for n := range len(whole) {
		NewWithT(t).Expect(noteBuildID([]byte(whole[:n]))).To(BeEmpty(), "%d bytes", n)
	}
}

//go:build live

package walk_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/conformance/target"
	"joinmcast/conformance/walk"
)

func TestSavedWalksLive(t *testing.T) {
	g := NewWithT(t)
	rxe, err := target.Load("rxe", target.Overrides{Programs: "../../bin"})
	g.Expect(err).NotTo(HaveOccurred())
	lab, err := rxe.Open(t.Context(), "nonce", func(line string) { t.Log(line) })
	g.Expect(err).NotTo(HaveOccurred())
	stack := walk.NewGround(lab, false)
	t.Cleanup(func() {
		_ = stack.Leave(context.Background())
		_ = lab.Close(context.Background())
	})
	replaySaved(t, stack)
}

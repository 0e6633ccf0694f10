package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/spec"
)

// Whatever an agent writes before it ends, its open call returns: nothing hangs and nothing panics.
func FuzzWhatAnAgentSays(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"ok":true,"ret":0,"errno":0,"answer":{"event":{"type":7}}}}` + "\n")
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"ok":false,"ret":-1,"errno":22}}` + "\n")
	f.Add(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such channel"}}` + "\n")
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"ok":true,"answer":[]}}` + "\n")
	f.Add(`{"jsonrpc":"2.0","id":1,"result"`)
	f.Add("[]\n{}\nnull\n")
	f.Fuzz(func(t *testing.T, text string) {
		g, h := NewWithT(t), newFakeHost(t, "host0")
		h.process.EXPECT().GetEvent(gomock.Any(), gomock.Any()).DoAndReturn(
			func(context.Context, spec.Channel) (spec.Event, error) {
				h.Agent(1).Say(text)
				h.Agent(1).End(spec.Exit{})
				return spec.Event{}, nil
			})
		p := start(t, h)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()

		_, err := p.GetEvent(ctx, 1)

		var hung *spec.Hung
		g.Expect(errors.As(err, &hung)).To(BeFalse(), "%v", err)
		g.Expect(ctx.Err()).NotTo(HaveOccurred())
	})
}

package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2"
	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/hw/client"
	"joinmcast/hw/fakehost"
	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// answered is the whole message that answers a request with success.
func answered(r fakehost.Request) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"ok":true,"ret":0,"errno":0}}`+"\n", r.ID())
}

const misspoken = "host0, agent 1: rdma_destroy_id: what the agent wrote is no answer: "

// An agent that does not speak package wire is the harness's fault, whatever else it does; one that dies in a call is a
// crash. None is believed, and none is waited for longer than a call may last.
func TestAgentThatSpeaksWronglyIsNotBelieved(t *testing.T) {
	for name, bad := range map[string]struct {
		does    func(r fakehost.Request) error // when it is asked for rdma_destroy_id
		outcome string
		says    string
	}{
		"garbage": {
			func(r fakehost.Request) error {
				r.Say("Segmentation fault\n")
				return r.Never()
			}, "harness", misspoken + `invalid character 'S' looking for beginning of value: "Segmentation fault"`,
		},
		"half a message, and then another": {
			func(r fakehost.Request) error {
				r.Say(answered(r)[:20])
				return nil
			}, "harness", misspoken + "invalid character",
		},
		"an answer without a result": {
			func(r fakehost.Request) error {
				r.Say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", r.ID()))
				return r.Never()
			}, "harness", "host0, agent 1: the result of rdma_destroy_id: want ok, ret and errno, got {}",
		},
		"a number for a result": {
			func(r fakehost.Request) error {
				r.Say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":0}`+"\n", r.ID()))
				return r.Never()
			}, "harness", "host0, agent 1: the result of rdma_destroy_id: json: cannot unmarshal number",
		},
		"an answer that nobody waits for": {
			func(r fakehost.Request) error {
				r.Say(`{"jsonrpc":"2.0","id":4711,"result":{}}` + "\n")
				return r.Never()
			}, "harness", misspoken + `nobody waits for "{\"jsonrpc\":\"2.0\",\"id\":4711`,
		},
		"a request of its own": {
			func(r fakehost.Request) error {
				r.Say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"rdma_destroy_id"}`+"\n", r.ID()))
				return r.Never()
			}, "harness", misspoken + `nobody waits for "{`,
		},
		"several answers in one message": {
			func(r fakehost.Request) error {
				r.Say("[" + strings.TrimSpace(answered(r)) + "]\n")
				return r.Never()
			}, "harness", misspoken + "json: cannot unmarshal array",
		},
		"a line without end": {
			func(r fakehost.Request) error {
				r.Say(strings.Repeat("x", wire.MaxLine+1))
				return r.Never()
			}, "harness", misspoken + "a line is longer than 65536 bytes",
		},
		"an older version, which does not know the call": {
			func(fakehost.Request) error {
				return &jrpc2.Error{Code: jrpc2.MethodNotFound, Message: "no method is named rdma_destroy_id"}
			}, "harness", "host0, agent 1: no method is named rdma_destroy_id",
		},
		"an older version, which wants other arguments": {
			func(fakehost.Request) error {
				return &jrpc2.Error{Code: jrpc2.InvalidParams, Message: `rdma_destroy_id wants "handle"`}
			}, "harness", `host0, agent 1: rdma_destroy_id wants "handle"`,
		},
		"its death, in the middle of a message": {
			func(r fakehost.Request) error {
				r.Say(answered(r)[:20])
				r.Agent.End(spec.Exit{Signal: "SIGSEGV"})
				return r.Never()
			}, "SIGSEGV", "rdma_destroy_id: the process ended with SIGSEGV",
		},
		"its own end, instead of an answer": {
			func(r fakehost.Request) error {
				r.Agent.End(spec.Exit{Status: 3})
				return r.Never()
			}, "status 3", "rdma_destroy_id: the process ended with status 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, h := NewWithT(t), newFakeHost(t, "host0")
			h.process.EXPECT().DestroyID(gomock.Any(), gomock.Any()).Return(nil).AnyTimes()
			h.Before = func(r fakehost.Request) error {
				if r.Agent == nil || r.Method() != "rdma_destroy_id" {
					return nil
				}
				return bad.does(r)
			}

			err := start(t, h).DestroyID(t.Context(), 1)

			g.Expect(spec.Outcome(err)).To(Equal(bad.outcome))
			g.Expect(err).To(MatchError(HavePrefix(bad.says)))
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
		})
	}
}

// halfAnswer is an agent's that stops in the middle of a message; said is closed then.
func halfAnswer(said chan struct{}) func(fakehost.Request) error {
	return func(r fakehost.Request) error {
		if r.Agent == nil || r.Method() != "rdma_destroy_id" {
			return nil
		}
		r.Say(answered(r)[:20])
		close(said)
		return r.Never()
	}
}

func TestAgentThatStopsInTheMiddleOfAMessageIsNoHang(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	said := make(chan struct{})
	h.Before, h.InFlight = halfAnswer(said), mute
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-said
		cancel()
	}()

	err := start(t, h).DestroyID(ctx, 1)

	g.Expect(err).To(MatchError(misspoken + "the end of a message is missing"))
	g.Expect(spec.Outcome(err)).To(Equal("harness"))
}

// The first answer ends the call; the second one, which comes before that of the next call, is met by it.
func TestAgentThatAnswersTwiceIsBelievedNoMore(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	first := make(chan string, 1)
	h.Before = func(r fakehost.Request) error {
		if r.Agent == nil {
			return nil
		}
		select {
		case answer := <-first:
			r.Say(answer)
		default:
			first <- answered(r)
			r.Say(answered(r))
		}
		return r.Never()
	}
	p := start(t, h)
	g.Expect(p.DestroyID(t.Context(), 1)).To(Succeed())

	err := p.DestroyID(t.Context(), 1)

	g.Expect(spec.Outcome(err)).To(Equal("harness"))
	g.Expect(err).To(MatchError(HavePrefix(misspoken + "nobody waits for ")))
}

// A second answer that no call meets any more is met when the agent ends.
func TestSecondAnswerToTheLastCallIsToldAtTheEnd(t *testing.T) {
	for name, end := range map[string]func(*client.Process, context.Context) (spec.Exit, error){
		"close": (*client.Process).Close, "kill": (*client.Process).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			g, h := NewWithT(t), newFakeHost(t, "host0")
			over, again := make(chan struct{}), make(chan struct{})
			h.Before = func(r fakehost.Request) error {
				if r.Agent == nil {
					return nil
				}
				r.Say(answered(r))
				<-over
				r.Say(answered(r))
				close(again)
				return r.Never()
			}
			p := start(t, h)
			g.Expect(p.DestroyID(t.Context(), 1)).To(Succeed())
			close(over)
			<-again

			_, err := end(p, t.Context())

			g.Expect(err).To(MatchError(HavePrefix(
				"host0, agent 1: " + name + ": what the agent wrote is no answer: nobody waits for ")))
		})
	}
}

func TestSuccessWithoutTheAnswerOfItsCallIsNoSuccess(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	h.Before = func(r fakehost.Request) error {
		if r.Agent == nil {
			return nil
		}
		r.Say(answered(r))
		return r.Never()
	}

	_, err := start(t, h).GetEvent(t.Context(), 1)

	g.Expect(err).To(MatchError("host0, agent 1: rdma_get_cm_event succeeded and has no answer"))
}

// A host program that does not speak package wire is the harness's fault too.
func TestHostThatSpeaksWronglyIsTheHarness(t *testing.T) {
	for name, bad := range map[string]struct {
		does func(r fakehost.Request) error // when it is asked to observe
		says string
	}{
		"garbage": {
			func(r fakehost.Request) error {
				r.Say("kernel: what is this\n")
				return r.Never()
			}, "host0: observe: [-32700] invalid request value",
		},
		"a state of another form": {
			func(r fakehost.Request) error {
				r.Say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"taint":"none"}}`+"\n", r.ID()))
				return r.Never()
			}, "host0: observe: json: cannot unmarshal string",
		},
		"an older version, which does not know the method": {
			func(fakehost.Request) error {
				return &jrpc2.Error{Code: jrpc2.MethodNotFound, Message: "no such method"}
			}, "host0: observe: no such method",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, h := NewWithT(t), newFakeHost(t, "host0")
			h.Before = func(r fakehost.Request) error {
				if r.Agent != nil || r.Method() != wire.HostObserve {
					return nil
				}
				return bad.does(r)
			}

			_, err := dial(t, h).Hosts()[0].Observe(t.Context())

			g.Expect(spec.Outcome(err)).To(Equal("harness"))
			g.Expect(err).To(MatchError(HavePrefix(bad.says)))
		})
	}
}

func TestHostThatStopsInTheMiddleOfAMessageIsNotWaitedForLongerThanTheContext(t *testing.T) {
	g, h := NewWithT(t), newFakeHost(t, "host0")
	ctx, cancel := context.WithCancel(t.Context())
	h.Before = func(r fakehost.Request) error {
		if r.Agent != nil || r.Method() != wire.HostObserve {
			return nil
		}
		r.Say(answered(r)[:20])
		cancel()
		return r.Never()
	}

	_, err := dial(t, h).Hosts()[0].Observe(ctx)

	g.Expect(err).To(MatchError("host0: observe: context canceled"))
}

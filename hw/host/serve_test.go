package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/hashicorp/yamux"
	. "github.com/onsi/gomega"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// suite is the other end of a served host that is not ours.
type suite struct {
	*yamux.Session
	control *jrpc2.Client
	ended   chan error
}

func serveHost(t *testing.T, p program) suite {
	t.Helper()
	must := NewWithT(t)
	near, far := net.Pipe()
	shell.program = p
	h := &host{settings: settings{program: p}, agents: shell, log: &kernelLog{fd: -1}, undos: map[int]step{}}
	ended, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		ended <- h.serve(far)
	}()
	in := bufio.NewReader(near)
	must.Expect(in.ReadString('\n')).To(Equal(wire.Greeting))
	session, err := yamux.Client(near, nil)
	must.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		_ = session.Close()
		<-over // it kills all agents, and the next test has the same ones
	})
	s := suite{Session: session, ended: ended}
	stream := s.open(t, wire.Stream{Kind: wire.Control})
	s.control = jrpc2.NewClient(channel.Line(stream, stream), nil)
	return s
}

func (s suite) open(t *testing.T, first wire.Stream) net.Conn {
	t.Helper()
	stream, err := s.Open()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	line, err := json.Marshal(first)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	_, err = stream.Write(append(line, '\n'))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return stream
}

func (s suite) start(t *testing.T) int {
	t.Helper()
	var a wire.StartAnswer
	NewWithT(t).Expect(s.control.CallResult(t.Context(), wire.HostStart, nil, &a)).To(Succeed())
	return a.Agent
}

func TestAnAgentSpeaksThroughItsStream(t *testing.T) {
	must := NewWithT(t)
	s := serveHost(t, script(t, "read line; echo got $line; exit 4"))
	agent := s.start(t)
	stdio := s.open(t, wire.Stream{Kind: wire.Stdio, Agent: agent})
	_, err := stdio.Write([]byte("this\n"))
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(bufio.NewReader(stdio).ReadString('\n')).To(Equal("got this\n"))
	var exit spec.Exit
	must.Expect(s.control.CallResult(t.Context(), wire.HostWait, wire.AgentParams{Agent: agent}, &exit)).To(Succeed())
	must.Expect(exit).To(Equal(spec.Exit{Status: 4}))
}

func TestTheEndOfASessionEndsItsAgents(t *testing.T) {
	must := NewWithT(t)
	s := serveHost(t, script(t, "trap '' TERM HUP; sleep 1000"))
	agent := shell.find(s.start(t))
	must.Expect(s.Close()).To(Succeed())
	must.Expect(<-s.ended).To(Succeed())
	must.Expect(agent.ended).To(BeClosed())
	must.Expect(agent.exit.Signal).To(Equal("SIGKILL"))
}

func TestAHostThatIsNotOursRefusesToBeChanged(t *testing.T) {
	must := NewWithT(t)
	s := serveHost(t, script(t, ""))
	for _, method := range []string{wire.HostConfigure, wire.HostPowerOff} {
		_, err := s.control.Call(t.Context(), method, struct{}{})
		must.Expect(err).To(MatchError(ContainSubstring("this host is not a guest of the suite")), method)
	}
}

func TestAHostShowsOnlyWhatItClaimsToSee(t *testing.T) {
	must := NewWithT(t)
	s := serveHost(t, script(t, ""))
	var state spec.HostState
	must.Expect(s.control.CallResult(t.Context(), wire.HostObserve, nil, &state)).To(Succeed())
	must.Expect(state.IGMP).To(BeEmpty())
	must.Expect(state.KernelLog).To(BeEmpty())
}

func TestAnUnknownAgentIsNamed(t *testing.T) {
	s := serveHost(t, script(t, ""))
	_, err := s.control.Call(context.Background(), wire.HostKill, wire.AgentParams{Agent: 12345})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("agent 12345: no such agent on this host")))
}

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/hw/wire"
)

// A stream whose first line is none of package wire's ends; the host serves the others.
func TestStreamThatBeginsWronglyEndsAlone(t *testing.T) {
	for name, first := range map[string]string{
		"garbage":                  "GET / HTTP/1.1\r\n",
		"an unknown kind":          `{"kind":"telemetry"}` + "\n",
		"an unknown agent":         `{"kind":"stdio","agent":4711}` + "\n",
		"a kind of another type":   `{"kind":3}` + "\n",
		"a line longer than it is": strings.Repeat("x", streamHeaderMax+1),
	} {
		t.Run(name, func(t *testing.T) {
			must := NewWithT(t)
			s := serveHost(t, script(t, ""))
			stream, err := s.Open()
			must.Expect(err).NotTo(HaveOccurred())
			_, err = stream.Write([]byte(first))
			must.Expect(err).NotTo(HaveOccurred())

			said, err := io.ReadAll(stream)

			must.Expect(err).NotTo(HaveOccurred())
			must.Expect(said).To(BeEmpty())
			must.Expect(s.start(t)).To(BeNumerically(">", 0))
		})
	}
}

func TestStreamThatEndsBeforeItsFirstLineEndsAlone(t *testing.T) {
	must := NewWithT(t)
	s := serveHost(t, script(t, ""))
	stream, err := s.Open()
	must.Expect(err).NotTo(HaveOccurred())
	_, err = stream.Write([]byte(`{"kind":"con`))
	must.Expect(err).NotTo(HaveOccurred())

	must.Expect(stream.Close()).To(Succeed())

	must.Expect(s.start(t)).To(BeNumerically(">", 0))
}

// What nobody could tell the number of ends its stream, and no other.
func TestControlStreamEndsAtWhatIsNoRequest(t *testing.T) {
	for name, said := range map[string]string{
		"garbage":                  "start an agent, please",
		"half a message":           `{"jsonrpc":"2.0","id":1,"meth`,
		"a request without number": `{"jsonrpc":"2.0","method":"start"}`,
	} {
		t.Run(name, func(t *testing.T) {
			must := NewWithT(t)
			s := serveHost(t, script(t, ""))
			control := s.open(t, wire.Stream{Kind: wire.Control})

			_, err := fmt.Fprintln(control, said)

			must.Expect(err).NotTo(HaveOccurred())
			answer, err := io.ReadAll(control)
			must.Expect(err).NotTo(HaveOccurred())
			must.Expect(answer).To(BeEmpty())
			must.Expect(s.start(t)).To(BeNumerically(">", 0))
		})
	}
}

// A request that cannot be granted is answered as JSON-RPC says, and changes nothing.
func TestControlStreamRefusesWhatItCannotGrant(t *testing.T) {
	for name, c := range map[string]struct {
		said string
		code int
	}{
		"an older protocol": {`{"jsonrpc":"1.0","id":1,"method":"start"}`, -32600},
		"an unknown method": {`{"jsonrpc":"2.0","id":1,"method":"reboot"}`, -32601},
		"other parameters":  {`{"jsonrpc":"2.0","id":1,"method":"kill","params":{"agent":"the first"}}`, -32602},
	} {
		t.Run(name, func(t *testing.T) {
			must := NewWithT(t)
			s := serveHost(t, script(t, ""))
			control := s.open(t, wire.Stream{Kind: wire.Control})

			_, err := fmt.Fprintln(control, c.said)

			must.Expect(err).NotTo(HaveOccurred())
			line, err := bufio.NewReader(control).ReadBytes('\n')
			must.Expect(err).NotTo(HaveOccurred())
			var answer struct {
				Error struct {
					Code int `json:"code"`
				} `json:"error"`
			}
			must.Expect(json.Unmarshal(line, &answer)).To(Succeed())
			must.Expect(answer.Error.Code).To(Equal(c.code), string(line))
			must.Expect(s.start(t)).To(BeNumerically(">", 0))
		})
	}
}

// The host passes on whatever an agent writes: it is the suite that judges it.
func TestWhatAnAgentWritesIsPassedOnAsItIs(t *testing.T) {
	for name, c := range map[string]struct{ writes, is string }{
		"garbage":              {`echo Segmentation fault`, "Segmentation fault\n"},
		"half a message":       {`printf '{"jsonrpc":'`, `{"jsonrpc":`},
		"more than a line has": {`head -c 70000 /dev/zero`, strings.Repeat("\x00", 70000)},
	} {
		t.Run(name, func(t *testing.T) {
			must := NewWithT(t)
			s := serveHost(t, script(t, "read line; "+c.writes))
			stdio := s.open(t, wire.Stream{Kind: wire.Stdio, Agent: s.start(t)})

			_, err := fmt.Fprintln(stdio, "speak")

			must.Expect(err).NotTo(HaveOccurred())
			said, err := io.ReadAll(stdio)

			must.Expect(err).NotTo(HaveOccurred())
			must.Expect(string(said)).To(Equal(c.is))
		})
	}
}

func TestSecondStreamOfAnAgentGetsNothing(t *testing.T) {
	must := NewWithT(t)
	s := serveHost(t, script(t, "read line; echo $line"))
	agent := s.start(t)
	first := s.open(t, wire.Stream{Kind: wire.Stdio, Agent: agent})
	_, err := first.Write([]byte("mine\n"))
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(bufio.NewReader(first).ReadString('\n')).To(Equal("mine\n"))

	said, err := io.ReadAll(s.open(t, wire.Stream{Kind: wire.Stdio, Agent: agent}))

	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(said).To(BeEmpty())
}

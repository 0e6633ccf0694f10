package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// Whatever a suite writes to a stream, the host program outlives it and serves the next stream.
func FuzzStream(f *testing.F) {
	f.Add(`{"kind":"control"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"start","params":{"mischief":true}}` + "\n")
	f.Add(`{"kind":"control"}` + "\n" + `[{"jsonrpc":"2.0","id":1,"method":"kill","params":{"agent":-1}}]` + "\n")
	f.Add(`{"kind":"stdio","agent":3}` + "\n")
	f.Add(`{"kind":"stderr"`)
	f.Add("{}\n")
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		s := serveHost(t, program{path: "/nonexistent"})
		stream, err := s.Open()
		g.Expect(err).NotTo(HaveOccurred())
		_, _ = io.WriteString(stream, text) // which the host may refuse to read to its end
		g.Expect(stream.Close()).To(Succeed())
		_, err = s.control.Call(t.Context(), wire.HostKill, wire.AgentParams{Agent: 12345})
		g.Expect(err).To(MatchError(ContainSubstring("agent 12345: no such agent on this host")))
	})
}

// What the kernel lists is read back from the list written anew, or refused in one line.
func FuzzMemberships(f *testing.F) {
	for _, file := range []string{"igmp", "igmp6", "dev_mcast"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		igmp, err := parseIGMP(text)
		g.Expect(fmt.Sprint(err)).NotTo(ContainSubstring("\n"))
		for _, m := range igmp {
			g.Expect(m.Group.Is4()).To(BeTrue())
		}
		mld, err := parseMLD(text)
		g.Expect(fmt.Sprint(err)).NotTo(ContainSubstring("\n"))
		var again strings.Builder
		for _, m := range mld {
			fmt.Fprintf(&again, "1 %s %x %d 0 0\n", m.Netdev, m.Group.As16(), m.Users)
		}
		g.Expect(parseMLD(again.String())).To(Equal(append([]spec.Membership{}, mld...)))
		filters, err := parseFilters(text)
		g.Expect(fmt.Sprint(err)).NotTo(ContainSubstring("\n"))
		again.Reset()
		for _, l := range filters {
			fmt.Fprintf(&again, "1 %s %d 0 %s\n", l.Netdev, l.Users, strings.ReplaceAll(l.Addr, ":", ""))
		}
		g.Expect(parseFilters(again.String())).To(Equal(append([]spec.LinkFilter{}, filters...)))
	})
}

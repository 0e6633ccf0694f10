package main

import (
	"io"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"joinmcast/spec"
)

// The reaper collects every child of the process, so all tests share one.
var shell = newAgents(program{path: "/bin/cat"})

// script makes an executable that a test's agents run.
func script(t *testing.T, text string) program {
	t.Helper()
	path := t.TempDir() + "/agent"
	NewWithT(t).Expect(os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755)).To(Succeed())
	return program{path: path}
}

func startScript(t *testing.T, text string) *agent {
	t.Helper()
	shell.program = script(t, text)
	a, err := shell.start(false)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return a
}

func TestStdioIsRelayedAndTheStatusKept(t *testing.T) {
	must := NewWithT(t)
	a := startScript(t, "read line; echo \"got $line\"; exit 3")
	var out strings.Builder
	a.relayStdio(strings.NewReader("hello\n"), &out)
	<-a.ended
	must.Expect(out.String()).To(Equal("got hello\n"))
	must.Expect(a.exit).To(Equal(spec.Exit{Status: 3}))
}

func TestASignalIsNamed(t *testing.T) {
	must := NewWithT(t)
	a := startScript(t, "kill -SEGV $$")
	<-a.ended
	must.Expect(a.exit.Signal).To(Equal("SIGSEGV"))
}

func TestKillEndsAStoppedAgentAndItsChildren(t *testing.T) {
	must := NewWithT(t)
	a := startScript(t, "sleep 1000 & echo $!; kill -STOP $$")
	number := make([]byte, 16)
	_, err := a.stdout.Read(number)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(shell.signal(a.number, unix.SIGKILL)).To(Succeed())
	<-a.ended
	must.Expect(a.exit.Signal).To(Equal("SIGKILL"))
	// Standard error ends only when the child has, too.
	a.stderr.copyTo(io.Discard)
}

// The thread that a SIGCHLD is for may be asleep in the kernel, and then nobody hears of it.
func TestAnEndIsToldWithoutSIGCHLD(t *testing.T) {
	signal.Stop(shell.children)
	t.Cleanup(func() { signal.Notify(shell.children, unix.SIGCHLD) })
	a := startScript(t, "exit 3")
	NewWithT(t).Eventually(t.Context(), a.ended).WithTimeout(10 * time.Second).Should(BeClosed())
}

func TestAnAgentThatFloodsItsStandardErrorEnds(t *testing.T) {
	must := NewWithT(t)
	a := startScript(t, "head -c 300000 /dev/zero >&2; echo end >&2")
	<-a.ended
	a.stderr.copyTo(io.Discard) // returns when all has been read
	var out strings.Builder
	a.stderr.copyTo(&out)
	must.Expect(out.Len()).To(BeNumerically("<=", tailMax))
	must.Expect(out.String()).To(HaveSuffix("end\n"))
}

func TestInputForAnAgentThatEndsIsTaken(t *testing.T) {
	for when, await := range map[string]func(*agent){
		"already": func(a *agent) { <-a.ended },
		"soon":    func(*agent) {},
	} {
		a := startScript(t, "exit 0")
		await(a)
		in, suite := io.Pipe()
		go a.relayStdio(in, io.Discard)
		for range 100 {
			_, err := suite.Write(make([]byte, 4096))
			NewWithT(t).Expect(err).NotTo(HaveOccurred(), when)
		}
		NewWithT(t).Expect(suite.Close()).To(Succeed())
		<-a.ended
	}
}

func TestAMissingProgramIsNamed(t *testing.T) {
	shell.program = program{path: "/no/such/agent"}
	_, err := shell.start(false)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("start /no/such/agent")))
}

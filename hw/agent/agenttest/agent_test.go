//go:build live

// Package agenttest tests the agent as a program, without an RDMA device. It stands beside the C files, since the Go
// tool takes none in a package of its own.
package agenttest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/hw/wire"
	"joinmcast/spec"
	"joinmcast/spec/call"
)

// built are the programs under test; skip says why there are none.
var built struct{ agent, oddLibrary, mischief, skip string }

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "joinmcast-test-")
	if err == nil {
		err = build(dir)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func build(dir string) error {
	headers := "#include <jansson.h>\n#include <rdma/rdma_cma.h>\n"
	check := exec.Command("cc", "-E", "-")
	check.Stdin = strings.NewReader(headers)
	if err := check.Run(); err != nil {
		built.skip = "no C compiler, or no headers of librdmacm and jansson: run `make setup`"
		return nil
	}
	sources, err := filepath.Glob("../*.c")
	if err != nil {
		return err
	}
	built.agent, built.oddLibrary = filepath.Join(dir, "agent"), filepath.Join(dir, "odd.so")
	built.mischief = filepath.Join(dir, "mischief.so")
	warnings := []string{"-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pedantic"}
	agent := append(append(warnings, "-o", built.agent), sources...)
	agent = append(agent, "-Wl,-Bstatic", "-ljansson", "-Wl,-Bdynamic", "-lrdmacm", "-libverbs", "-lpthread")
	odd := []string{"-shared", "-fPIC", "-o", built.oddLibrary, "testdata/odd_library.c"}
	mischief := slices.Concat(warnings, []string{"-shared", "-fPIC", "-o", built.mischief, "../mischief/mischief.c"})
	for _, args := range [][]string{agent, odd, mischief} {
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("cc %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// agent is a running agent.
type agent struct {
	*WithT
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
	lastID int
}

// start starts the agent; env is added to its environment.
func start(t *testing.T, env ...string) *agent {
	t.Helper()
	if built.skip != "" {
		t.Skip(built.skip)
	}
	a := &agent{WithT: NewWithT(t), t: t, cmd: exec.CommandContext(t.Context(), built.agent)}
	a.cmd.Env = append(os.Environ(), env...)
	a.cmd.Stderr = &a.stderr
	var err error
	a.stdin, err = a.cmd.StdinPipe()
	a.Expect(err).NotTo(HaveOccurred())
	stdout, err := a.cmd.StdoutPipe()
	a.Expect(err).NotTo(HaveOccurred())
	a.stdout = bufio.NewReader(stdout)
	a.Expect(a.cmd.Start()).To(Succeed())
	t.Cleanup(func() { _, _ = a.end() })
	return a
}

// startOdd starts the agent on the library of testdata.
func startOdd(t *testing.T) *agent {
	t.Helper()
	return start(t, "LD_PRELOAD="+built.oddLibrary)
}

type response struct {
	ID     *int `json:"id"`
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (a *agent) write(text string) {
	a.t.Helper()
	_, err := io.WriteString(a.stdin, text)
	a.Expect(err).NotTo(HaveOccurred())
}

func (a *agent) read() response {
	a.t.Helper()
	line, err := a.stdout.ReadBytes('\n')
	a.Expect(err).NotTo(HaveOccurred())
	var r response
	a.Expect(json.Unmarshal(line, &r)).To(Succeed(), string(line))
	return r
}

// send makes a request and awaits nothing.
func (a *agent) send(method, params string) {
	a.t.Helper()
	a.lastID++
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", a.lastID, method, params))
}

// ask makes a request and awaits its answer.
func (a *agent) ask(method, params string) response {
	a.t.Helper()
	a.send(method, params)
	r := a.read()
	a.Expect(r.ID).To(HaveValue(Equal(a.lastID)))
	return r
}

func (a *agent) expectRefusal(r response, code int, message string) {
	a.t.Helper()
	a.Expect(r.Error).NotTo(BeNil())
	a.Expect(r.Error.Code).To(Equal(code))
	a.Expect(r.Error.Message).To(Equal(message))
}

func (a *agent) result(method, params string) wire.Result {
	a.t.Helper()
	r := a.ask(method, params)
	a.Expect(r.Error).To(BeNil())
	var result wire.Result
	a.Expect(json.Unmarshal(r.Result, &result)).To(Succeed())
	return result
}

func (a *agent) inFlight() []spec.InFlight {
	a.t.Helper()
	var answer wire.InFlightAnswer
	a.Expect(json.Unmarshal(a.ask(wire.InFlight, "{}").Result, &answer)).To(Succeed())
	return answer.Calls
}

// end closes the agent's input and awaits its end.
func (a *agent) end() (syscall.WaitStatus, error) {
	_ = a.stdin.Close()
	return a.wait()
}

func (a *agent) wait() (syscall.WaitStatus, error) {
	err := a.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return a.cmd.ProcessState.Sys().(syscall.WaitStatus), nil
}

func TestWithoutADeviceThereIsNoChannel(t *testing.T) {
	if devices, _ := os.ReadDir("/sys/class/infiniband"); len(devices) > 0 {
		t.Skip("this machine has an RDMA device")
	}
	a := start(t)
	a.Expect(a.result("rdma_create_event_channel", "{}")).To(Equal(
		wire.Result{Errno: spec.ENODEV, Answer: json.RawMessage(`{"channel":0}`)}))
}

func TestAFailedCallGivesReturnAndErrno(t *testing.T) {
	a := start(t)
	a.Expect(a.result("rdma_join_multicast", `{"id":0,"addr":null,"context":"0x0"}`)).
		To(Equal(wire.Result{Ret: -1, Errno: spec.EINVAL}))
}

func TestParamsMayBeLeftOutWhereThereAreNone(t *testing.T) {
	a := start(t)
	a.write(`{"jsonrpc":"2.0","id":1,"method":"in_flight"}` + "\n")
	a.Expect(string(a.read().Result)).To(Equal(`{"calls":[]}`))
}

// Every method of package call is known, and takes that package's arguments: with zeros where it can it either answers
// or crashes on its NULL, but refuses nothing.
func TestEveryCallTakesItsArguments(t *testing.T) {
	for _, method := range call.Methods() {
		t.Run(method, func(t *testing.T) {
			a := start(t, "LD_PRELOAD="+built.mischief)
			args, _, ok := call.New(method)
			a.Expect(ok).To(BeTrue())
			switch args := args.(type) {
			case *call.FailNextArgs:
				args.Function = spec.Calloc
			case *call.WriteRawArgs:
				args.Command.ResponseAt = -1
			}
			params, err := json.Marshal(args)
			a.Expect(err).NotTo(HaveOccurred())
			a.send(method, string(params))
			line, err := a.stdout.ReadString('\n')
			if err == nil {
				a.Expect(line).To(ContainSubstring(`"result":{"ok":`))
				return
			}
			status, err := a.wait()
			a.Expect(err).NotTo(HaveOccurred())
			a.Expect(status.Signal()).To(Equal(syscall.SIGSEGV))
		})
	}
}

func TestAnUnknownMethodIsRefused(t *testing.T) {
	a := start(t)
	a.expectRefusal(a.ask("rdma_listen_multicast", "{}"), -32601, `no method is named "rdma_listen_multicast"`)
}

func TestWhatIsNoJSONIsRefusedAndSurvived(t *testing.T) {
	a := start(t)
	a.write("hello\n")
	r := a.read()
	a.Expect(r.ID).To(BeNil())
	a.expectRefusal(r, -32700, "not one JSON value a line: invalid token near 'hello' at byte 5")
	a.Expect(a.ask(wire.InFlight, "{}").Error).To(BeNil())
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	a := start(t)
	a.write(`{"id":1,"method":"in_flight"}` + "\n")
	a.expectRefusal(a.read(), -32600, `want an object with "jsonrpc":"2.0" and a "method"`)
}

func TestWrongParamsAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ method, params, message string }{
		"no object": {
			"rdma_bind_addr", `[1]`, `rdma_bind_addr: want params as an object`,
		},
		"missing": {
			"rdma_bind_addr", `{"id":0}`, `rdma_bind_addr: the param "addr" is missing`,
		},
		"too many": {
			"rdma_bind_addr", `{"id":0,"addr":null,"pd":1}`, `rdma_bind_addr: there is no param "pd"`,
		},
		"too many inside": {
			"script", `{"script":{"rounds":0,"sequences":[],"seed":1}}`, `script: there is no param "seed"`,
		},
		"unknown handle": {
			"rdma_bind_addr", `{"id":7,"addr":null}`, `rdma_bind_addr: there is no id 7, or no longer`,
		},
		"not hexadecimal": {
			"rdma_bind_addr", `{"id":0,"addr":"xy"}`,
			`rdma_bind_addr: "addr" must be null or up to 128 bytes in hexadecimal`,
		},
		"out of range": {
			"rdma_create_id", `{"channel":0,"context":"0x0","ps":65536}`,
			`rdma_create_id: "ps" must be a whole number from 0 to 65535`,
		},
		"no pointer": {
			"rdma_create_id", `{"channel":0,"context":"7","ps":0}`,
			`rdma_create_id: "context" must be a pointer, as in "0x2a"`,
		},
		"short GID": {
			"ibv_attach_mcast", `{"qp":0,"gid":"ff","mlid":0}`, `ibv_attach_mcast: "gid" must be 32 hexadecimal digits`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := start(t)
			a.expectRefusal(a.ask(c.method, c.params), -32602, c.message)
		})
	}
}

func TestALineThatIsTooLongEndsTheAgent(t *testing.T) {
	a := start(t)
	// The agent may end before it has taken all of it.
	_, _ = io.WriteString(a.stdin, strings.Repeat("x", wire.MaxLine))
	status, err := a.wait()
	a.Expect(err).NotTo(HaveOccurred())
	a.Expect(status.ExitStatus()).To(Equal(2))
	a.Expect(a.stderr.String()).To(Equal(
		"a message is longer than 65536 bytes: want one JSON-RPC message a line\n"))
}

func TestTheLongestLineIsTaken(t *testing.T) {
	a := start(t)
	request := `{"jsonrpc":"2.0","id":1,"method":"in_flight"`
	a.write(request + strings.Repeat(" ", wire.MaxLine-len(request)-2) + "}\n")
	a.Expect(a.read().Error).To(BeNil())
}

func TestManyRequestsInOneWriteAreAllAnswered(t *testing.T) {
	const requests = 200
	a := start(t)
	var all strings.Builder
	for id := range requests {
		fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"method":"rdma_ack_cm_event","params":{"event":0}}`+"\n", id)
	}
	a.write(all.String())
	answered := map[int]bool{}
	for range requests {
		answered[*a.read().ID] = true
	}
	a.Expect(answered).To(HaveLen(requests))
}

func TestANullIDCrashesTheAgentAsAnyProgram(t *testing.T) {
	a := start(t)
	a.send("rdma_join_multicast", `{"id":0,"addr":"02000000ef0102030000000000000000","context":"0x0"}`)
	status, err := a.wait()
	a.Expect(err).NotTo(HaveOccurred())
	a.Expect(status.Signaled()).To(BeTrue())
	a.Expect(status.Signal()).To(Equal(syscall.SIGSEGV))
	a.Expect(status.CoreDump()).To(BeFalse())
	a.Expect(a.stderr.String()).To(BeEmpty())
}

func TestTheEndOfInputEndsTheAgent(t *testing.T) {
	a := start(t)
	status, err := a.end()
	a.Expect(err).NotTo(HaveOccurred())
	a.Expect(status.ExitStatus()).To(Equal(0))
}

func TestTheEndOfInputEndsTheAgentWithACallThatBlocks(t *testing.T) {
	a := startOdd(t)
	a.send("rdma_create_event_channel", "{}")
	a.Eventually(a.inFlight).Should(HaveLen(1))
	status, err := a.end()
	a.Expect(err).NotTo(HaveOccurred())
	a.Expect(status.ExitStatus()).To(Equal(0))
}

func TestACallInAnUntimedFutexIsBlocked(t *testing.T) {
	a := startOdd(t)
	a.send("rdma_create_event_channel", "{}")
	a.Eventually(a.inFlight).Should(Equal([]spec.InFlight{{Method: "rdma_create_event_channel", Blocked: true}}))
}

func TestACallInATimedFutexIsNotBlocked(t *testing.T) {
	a := startOdd(t)
	a.send("rdma_destroy_event_channel", `{"channel":0}`)
	a.Eventually(a.sleeping).Should(BeTrue())
	a.Expect(a.inFlight()).To(Equal([]spec.InFlight{{Method: "rdma_destroy_event_channel", Blocked: false}}))
}

// sleeping tells whether every thread of the agent but the reader, which reads, sleeps in a system call.
func (a *agent) sleeping() bool {
	states, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", a.cmd.Process.Pid))
	futexes := 0
	for _, path := range states {
		if text, _ := os.ReadFile(path); bytes.HasPrefix(text, fmt.Appendf(nil, "%d ", syscall.SYS_FUTEX)) {
			futexes++
		}
	}
	return futexes == 1 && len(states) == 2
}

func TestOpenCallsAreListedOldestFirst(t *testing.T) {
	a := startOdd(t)
	a.send("rdma_create_event_channel", "{}")
	a.send("rdma_destroy_event_channel", `{"channel":0}`)
	calls := a.inFlight()
	a.Expect(calls).To(HaveLen(2))
	a.Expect(calls[0].Method).To(Equal("rdma_create_event_channel"))
	a.Expect(calls[1].Method).To(Equal("rdma_destroy_event_channel"))
}

func TestACallThatBlocksBlocksNoOther(t *testing.T) {
	a := startOdd(t)
	a.send("rdma_create_event_channel", "{}")
	a.Expect(a.result("rdma_join_multicast", `{"id":0,"addr":null,"context":"0x0"}`).Errno).To(Equal(spec.EINVAL))
}

func TestWhatALibraryPrintsIsNoAnswer(t *testing.T) {
	a := startOdd(t)
	a.Expect(a.result("rdma_ack_cm_event", `{"event":0}`)).To(Equal(wire.Result{OK: true}))
	_, err := a.end()
	a.Expect(err).NotTo(HaveOccurred())
	a.Expect(a.stderr.String()).To(Equal("a stray line\n"))
}

func TestLibrariesNamesWhatIsMapped(t *testing.T) {
	a := startOdd(t)
	var answer wire.LibrariesAnswer
	a.Expect(json.Unmarshal(a.ask(wire.Libraries, "{}").Result, &answer)).To(Succeed())
	buildID := MatchRegexp("^[0-9a-f]{40}$")
	a.Expect(answer.Libraries).To(And(
		HaveKeyWithValue(ContainSubstring("/librdmacm.so"), buildID),
		HaveKeyWithValue(ContainSubstring("/libibverbs.so"), buildID),
		HaveKey(built.oddLibrary),
	))
}

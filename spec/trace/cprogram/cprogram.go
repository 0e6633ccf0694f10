// Package cprogram turns the recording of a spec into a C program of plain librdmacm and libibverbs calls: what a
// maintainer of either runs to see what the suite saw, without the suite.
package cprogram

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/trace"
)

//go:embed c/prologue.c
var prologue string

// Processes are the processes of a recording, in the order of their first call; each needs a program of its own.
func Processes(rows []trace.Row) []string {
	var names []string
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.Process] {
			seen[r.Process] = true
			names = append(names, r.Process)
		}
	}
	return names
}

// Write gives the program of one process. It makes the calls in the order they began, each on its own line, and prints
// what each answered beside what the trace has. A call that overlapped others runs in a thread, which is joined where
// the call had ended. The address the process bound to is taken from LOCAL of the environment, if that is set.
func Write(title, process string, rows []trace.Row) []byte {
	p := program{local: localAddr(process, rows), held: map[spec.EventRef]string{}}
	ends := map[int][]int{} // joined after the row -> rows that ended then
	for _, r := range rows {
		if r.Process == process {
			p.row(r)
			if r.End > r.Begin {
				ends[r.End] = append(ends[r.End], r.Begin)
			}
		}
		for _, begun := range ends[r.Begin] {
			fmt.Fprintf(&p.body, "\tpthread_join(thread_%d, NULL);\n", begun)
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "/*\n * %s\n *\n * The calls of %s. Build and run, with the address of the RDMA device:\n",
		strings.ReplaceAll(title, "\n", "\n * "), process)
	fmt.Fprintf(&out, " *   cc -o reproduce THIS.c -lrdmacm -libverbs -lpthread && LOCAL=192.0.2.1 ./reproduce\n */\n")
	out.WriteString(prologue)
	for _, part := range p.parts {
		out.WriteString("\n" + part)
	}
	out.WriteByte('\n')
	out.Write(p.globals.Bytes())
	out.Write(p.threads.Bytes())
	out.WriteString("\nint main(void)\n{\n")
	out.Write(p.body.Bytes())
	out.WriteString("\treturn 0;\n}\n")
	return out.Bytes()
}

// localAddr is the first address that the process was bound to.
func localAddr(process string, rows []trace.Row) string {
	for _, r := range rows {
		if r.Process != process || r.Err != nil {
			continue
		}
		switch a := r.Args.(type) {
		case *call.BindAddrArgs:
			if a.Addr.Addr().Is4() && !a.Addr.Addr().IsUnspecified() && !a.Addr.Addr().IsLoopback() {
				return a.Addr.Addr().String()
			}
		case *call.ResolveAddrArgs:
			if a.Src.Addr().Is4() {
				return a.Src.Addr().String()
			}
		}
	}
	return ""
}

type program struct {
	local                  string
	parts                  []string // of the prologue, beside the one that every program has
	globals, threads, body bytes.Buffer
	held                   map[spec.EventRef]string // events that a synchronous id holds: the id's variable

	// While a script's step is written.
	inStep   bool
	locals   bytes.Buffer
	advances bool
}

// needs adds a part to the prologue, once.
func (p *program) needs(part string) {
	if !slices.Contains(p.parts, part) {
		p.parts = append(p.parts, part)
	}
}

// row writes one call.
func (p *program) row(r trace.Row) {
	code := p.statement(r)
	if r.End == r.Begin {
		p.body.WriteString(code)
		return
	}
	fmt.Fprintf(&p.threads, "\nstatic pthread_t thread_%[1]d;\n\nstatic void *call_%[1]d(void *unused)\n{\n", r.Begin)
	p.threads.WriteString(code + "\treturn unused;\n}\n")
	fmt.Fprintf(&p.body, "\tpthread_create(&thread_%[1]d, NULL, call_%[1]d, NULL);\n", r.Begin)
}

// statement is a call with its report, as indented lines.
func (p *program) statement(r trace.Row) string {
	before, expression, after := p.c(r)
	var b strings.Builder
	for _, line := range append(before, "errno = 0;", "long ret = "+expression+";",
		fmt.Sprintf("said(%d, %q, ret, %q);", r.Begin, r.Method, answered(r))) {
		fmt.Fprintf(&b, "\t\t%s\n", line)
	}
	for _, line := range after {
		fmt.Fprintf(&b, "\t\t%s\n", line)
	}
	return "\t{\n" + b.String() + "\t}\n"
}

// answered is what the trace has of a call's answer.
func answered(r trace.Row) string {
	var refused *spec.CallError
	switch {
	case r.End == 0:
		return "no answer"
	case r.Err == nil:
		return "0" + gave(r.Answer)
	case errors.As(r.Err, &refused):
		return fmt.Sprintf("%d, errno %s", refused.Ret, refused.Errno)
	}
	return spec.Outcome(r.Err)
}

// gave is what a successful call gave beside 0, where the program shows it too.
func gave(answer any) string {
	switch a := answer.(type) {
	case *call.GetEventAnswer:
		e := a.Event
		return fmt.Sprintf(": %s, status %d, private_data %s, dgid %s", e.Type, e.Status, e.UD.PrivateData, e.UD.AH.GRH.DGID)
	case *call.WaitCompletionAnswer:
		return fmt.Sprintf(": %s, byte_len %d", a.Completion.Status, a.Completion.ByteLen)
	case *call.ReadIDAnswer:
		return fmt.Sprintf(": verbs %t, port_num %d", a.State.HasVerbs, a.State.PortNum)
	}
	return ""
}

// declare declares a variable for what a call made; a call that made nothing leaves it NULL.
func (p *program) declare(kind, name string) {
	if p.inStep {
		fmt.Fprintf(&p.locals, "\t\t%s%s = 0;\n", kind, name)
		return
	}
	fmt.Fprintf(&p.globals, "static %s%s;\n", kind, name)
}

// addr is a sockaddr as an expression.
func (p *program) addr(a spec.Sockaddr) string {
	switch {
	case a == nil:
		return "NULL"
	case p.local != "" && a.String() == p.local:
		return fmt.Sprintf("local(%q)", p.local)
	}
	text := fmt.Sprintf("bytes(%q) /* %s */", hex.EncodeToString(a), a)
	if p.advances && a.Addr().Is4() {
		return fmt.Sprintf("advanced(%s, 4, round)", text)
	}
	return text
}

func context(c spec.Context) string { return fmt.Sprintf("(void *)%s", c) }

func (p *program) gid(g spec.GID) string {
	text := fmt.Sprintf("bytes(%q)", hex.EncodeToString(g[:]))
	if p.advances {
		return fmt.Sprintf("advanced(%s, 12, round)", text)
	}
	return text
}

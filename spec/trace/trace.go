// Package trace records the calls of a spec and their answers, once, for every use: the dump beside a failure, the
// byte-for-byte comparison of two runs, the time line of overlapping calls.
package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"joinmcast/spec"
	"joinmcast/spec/call"
)

// Row is one call. Begin counts the calls of a log from 1. End is the Begin of the last call that had begun when this
// one ended: equal to Begin for a call that overlapped none, 0 for one that is still open. No clock enters a row, so
// the same calls and answers give the same rows.
type Row struct {
	Begin   int    `json:"begin"`
	End     int    `json:"end"`
	Process string `json:"process"` // as in "host0/1"
	Method  string `json:"method"`
	Args    any    `json:"args"`   // the method's arguments of package call
	Answer  any    `json:"answer"` // the method's answer of package call, nil when it gave none
	Err     error  `json:"-"`
}

// String is the row as one line, without its newline.
func (r Row) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%3d  %s  %s(%s)", r.Begin, r.Process, r.Method, fields(r.Args))
	switch {
	case r.End == 0:
		b.WriteString(" has not returned")
		return b.String()
	case r.Err != nil:
		fmt.Fprintf(&b, " -> %s", failure(r.Err))
	default:
		b.WriteString(" -> 0")
	}
	if answer := fields(r.Answer); answer != "" && r.Err == nil {
		fmt.Fprintf(&b, " %s", answer)
	}
	if r.End > r.Begin {
		fmt.Fprintf(&b, "  [until %d]", r.End)
	}
	return b.String()
}

// failure leaves out what the row says already.
func failure(err error) string {
	var refused *spec.CallError
	if errors.As(err, &refused) {
		return fmt.Sprintf("%d, errno %s", refused.Ret, refused.Errno)
	}
	return err.Error()
}

// fields writes a struct of package call as "name=value, name=value".
func fields(v any) string {
	if v == nil {
		return ""
	}
	s := reflect.ValueOf(v)
	for s.Kind() == reflect.Pointer {
		s = s.Elem()
	}
	if s.Kind() != reflect.Struct {
		return fmt.Sprint(v)
	}
	parts := make([]string, 0, s.NumField())
	for i := range s.NumField() {
		name, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("json"), ",")
		parts = append(parts, name+"="+value(s.Field(i)))
	}
	return strings.Join(parts, ", ")
}

// value prefers a type's own String, and looks through pointers, whose addresses differ from run to run.
func value(v reflect.Value) string {
	switch v := v.Interface().(type) {
	case fmt.Stringer:
		return v.String()
	case json.RawMessage:
		return string(v)
	}
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return "NULL"
	case v.Kind() == reflect.Pointer:
		return value(v.Elem())
	case v.Kind() == reflect.Struct:
		return "{" + fields(v.Interface()) + "}"
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return fmt.Sprintf("%x", v.Bytes())
	case v.Kind() == reflect.Slice:
		var elements []string
		for i := range v.Len() {
			elements = append(elements, value(v.Index(i)))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

// Log is the recording of one spec. It may be used by several goroutines.
type Log struct {
	mu   sync.Mutex
	rows []*Row
}

// Rows is a copy of what has been recorded, in the order the calls began.
func (l *Log) Rows() []Row {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := make([]Row, len(l.rows))
	for i, r := range l.rows {
		rows[i] = *r
	}
	return rows
}

// Lines is the recording as text, a line a call.
func (l *Log) Lines() []string {
	rows := l.Rows()
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.String()
	}
	return lines
}

func (l *Log) begin(process, method string, args any) *Row {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &Row{Begin: len(l.rows) + 1, Process: process, Method: method, Args: args}
	l.rows = append(l.rows, r)
	return r
}

func (l *Log) end(r *Row, answer any, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Answer, r.Err, r.End = answer, err, len(l.rows)
}

// Process records the calls made on another process. InFlight and Kill pass through unrecorded: how often somebody
// looked is no part of what the stack did.
type Process struct {
	call.Port
	next spec.Process
}

// Record gives a process whose calls are recorded in l under name.
func Record(l *Log, name string, next spec.Process) *Process {
	return &Process{Port: call.Port{Caller: &recorder{log: l, name: name, next: next}}, next: next}
}

// InFlight is the recorded process's own.
func (p *Process) InFlight(ctx context.Context) ([]spec.InFlight, error) { return p.next.InFlight(ctx) }

// Kill is the recorded process's own.
func (p *Process) Kill(ctx context.Context) (spec.Exit, error) { return p.next.Kill(ctx) }

type recorder struct {
	log  *Log
	name string
	next spec.Process
}

// Call implements call.Caller.
func (r *recorder) Call(ctx context.Context, method string, args, answer any) error {
	row := r.log.begin(r.name, method, args)
	err := call.Perform(ctx, r.next, method, args, answer)
	r.log.end(row, answer, err)
	return err
}

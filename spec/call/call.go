// Package call is the port as data: every call has a C name, a struct of arguments and a struct of answers. A wire
// method, a row of a trace and a line of a C reproducer are therefore one thing.
package call

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"joinmcast/spec"
)

// A Caller makes one call that is given as data. Args is a pointer to the method's arguments, answer a pointer to its
// answer, which is filled in even when the error is a *spec.CallError; both are the types that New gives.
type Caller interface {
	Call(ctx context.Context, method string, args, answer any) error
}

// Void is the answer of a call that gives nothing but success or failure, and the arguments of a call that takes none.
type Void struct{}

// method is one row of the table: how to make its structs, and how to make the call on a process.
type method struct {
	args    reflect.Type
	answer  reflect.Type
	perform func(ctx context.Context, p spec.Process, args, answer any) error
}

func row[A, R any](perform func(ctx context.Context, p spec.Process, a *A, r *R) error) method {
	return method{
		args:   reflect.TypeFor[A](),
		answer: reflect.TypeFor[R](),
		perform: func(ctx context.Context, p spec.Process, args, answer any) error {
			a, ok := args.(*A)
			if !ok {
				return fmt.Errorf("arguments are %T, want %T", args, a)
			}
			r, ok := answer.(*R)
			if !ok {
				return fmt.Errorf("answer is %T, want %T", answer, r)
			}
			return perform(ctx, p, a, r)
		},
	}
}

// Methods is every call's name, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(table)) }

// New makes empty arguments and an empty answer for a method; ok is false for a name that is none.
func New(name string) (args, answer any, ok bool) {
	m, ok := table[name]
	if !ok {
		return nil, nil, false
	}
	return reflect.New(m.args).Interface(), reflect.New(m.answer).Interface(), true
}

// Perform makes the call on p. The error is p's own, or says that the name or a struct is wrong.
func Perform(ctx context.Context, p spec.Process, name string, args, answer any) error {
	m, ok := table[name]
	if !ok {
		return fmt.Errorf("no call is named %q", name)
	}
	return m.perform(ctx, p, args, answer)
}

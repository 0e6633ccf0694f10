package call_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/specmock"
)

// loop performs every call on a process after a journey through JSON, as hw's wire does.
type loop struct{ next spec.Process }

func (l loop) Call(ctx context.Context, method string, args, answer any) error {
	there, back, ok := call.New(method)
	if !ok {
		return &json.InvalidUnmarshalError{}
	}
	if err := over(args, there); err != nil {
		return err
	}
	err := call.Perform(ctx, l.next, method, there, back)
	if lost := over(back, answer); lost != nil {
		return lost
	}
	return err
}

func over(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// Every method of the port arrives as itself, with its arguments and answer unchanged.
func TestEveryMethodTravelsAsData(t *testing.T) {
	for _, iface := range []reflect.Type{reflect.TypeFor[spec.CM](), reflect.TypeFor[spec.Verbs]()} {
		for i := range iface.NumMethod() {
			name := iface.Method(i).Name
			t.Run(name, func(t *testing.T) {
				g := NewWithT(t)
				next := specmock.NewMockProcess(gomock.NewController(t))
				port := reflect.ValueOf(call.Port{Caller: loop{next}}).MethodByName(name)
				args := []reflect.Value{reflect.ValueOf(t.Context())}
				expected := []any{gomock.Any()}
				for j := 1; j < port.Type().NumIn(); j++ {
					v := sample(port.Type().In(j))
					args, expected = append(args, v), append(expected, v.Interface())
				}
				answers := []any{error(nil)}
				if port.Type().NumOut() == 2 {
					answers = []any{sample(port.Type().Out(0)).Interface(), nil}
				}
				recorder := reflect.ValueOf(next.EXPECT()).MethodByName(name)
				in := make([]reflect.Value, len(expected))
				for j, e := range expected {
					in[j] = reflect.ValueOf(&e).Elem()
				}
				expectation := recorder.Call(in)[0]
				expectation.Elem().FieldByName("Call").Interface().(*gomock.Call).Return(answers...)

				got := port.Call(args)

				g.Expect(got[len(got)-1].IsNil()).To(BeTrue(), "the error is nil")
				if len(got) == 2 {
					g.Expect(got[0].Interface()).To(Equal(answers[0]))
				}
			})
		}
	}
}

// sample is a value of a type with every field set to something of its own.
func sample(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	next := uint64(1)
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		next++
		switch {
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 3, 3))
			for i := range 3 {
				fill(v.Index(i))
			}
		case v.Kind() == reflect.Array:
			for i := range v.Len() {
				fill(v.Index(i))
			}
		case v.Kind() == reflect.Bool:
			v.SetBool(true)
		case v.Kind() == reflect.String:
			v.SetString("text")
		case v.CanUint():
			v.SetUint(next)
		case v.CanInt():
			v.SetInt(int64(next))
		}
	}
	fill(v)
	return v
}

func TestUnknownMethodAndWrongStructAreTheCallersFault(t *testing.T) {
	g := NewWithT(t)
	next := specmock.NewMockProcess(gomock.NewController(t))

	g.Expect(call.Perform(t.Context(), next, "rdma_divine", &call.Void{}, &call.Void{})).
		To(MatchError(ContainSubstring(`"rdma_divine"`)))
	g.Expect(call.Perform(t.Context(), next, "rdma_ack_cm_event", &call.Void{}, &call.Void{})).
		To(MatchError(ContainSubstring("want *call.AckEventArgs")))
}

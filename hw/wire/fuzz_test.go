package wire_test

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	. "github.com/onsi/gomega"

	"joinmcast/hw/wire"
	"joinmcast/spec"
	"joinmcast/spec/call"
)

// messages are the types of all that goes over a connection or an agent's standard input and output.
func messages() []reflect.Type {
	all := []reflect.Type{
		reflect.TypeFor[wire.Stream](), reflect.TypeFor[wire.Result](), reflect.TypeFor[wire.InFlightAnswer](),
		reflect.TypeFor[wire.LibrariesAnswer](), reflect.TypeFor[wire.HelloParams](), reflect.TypeFor[wire.HelloAnswer](),
		reflect.TypeFor[wire.PortsAnswer](), reflect.TypeFor[wire.ConfigureAnswer](), reflect.TypeFor[wire.UndoParams](),
		reflect.TypeFor[wire.StartParams](), reflect.TypeFor[wire.StartAnswer](), reflect.TypeFor[wire.AgentParams](),
		reflect.TypeFor[wire.SignalParams](), reflect.TypeFor[spec.HostEnvironment](), reflect.TypeFor[spec.HostState](),
		reflect.TypeFor[spec.Change](), reflect.TypeFor[spec.Exit](),
	}
	for _, method := range call.Methods() {
		args, answer, _ := call.New(method)
		all = append(all, reflect.TypeOf(args).Elem(), reflect.TypeOf(answer).Elem())
	}
	return all
}

// written is a message as it goes over the connection, raw parts as they are.
func written(t *testing.T, message any) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	NewWithT(t).Expect(encoder.Encode(message)).To(Succeed())
	return text.Bytes()
}

// Whatever either end reads, it writes back as it was, or refuses in one line.
func FuzzMessages(f *testing.F) {
	types := messages()
	for i := range types {
		f.Add(uint(i), "{}")
		text, err := json.Marshal(reflect.New(types[i]).Interface())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint(i), string(text))
	}
	index := map[string]uint{}
	for i, of := range types {
		index[of.Name()] = uint(i)
	}
	for name, text := range map[string]string{
		"Result":              `{"ok":false,"ret":-1,"errno":22,"answer":{"id":7}}`,
		"JoinMulticastArgs":   `{"id":1,"addr":"02000000ef010203","context":18446744073709551615}`,
		"AttachMulticastArgs": `{"qp":1,"gid":"ff0e::ffff:ef01:203","mlid":49152}`,
		"HostState":           `{"igmp":[{"netdev":"eth0","group":"239.1.2.3","users":1}]}`,
		"ScriptArgs":          `{"script":{"sequences":[[{"method":"poll","args":{"channel":1}}]],"times":3}}`,
	} {
		at, ok := index[name]
		if !ok {
			f.Fatalf("no message is a %s", name)
		}
		f.Add(at, text)
	}
	f.Fuzz(func(t *testing.T, kind uint, text string) {
		g := NewWithT(t)
		of := types[kind%uint(len(types))]
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(text)) != nil {
			return // whoever reads messages refuses what is not JSON before it is looked at
		}
		read := reflect.New(of).Interface()
		if err := json.Unmarshal(compact.Bytes(), read); err != nil {
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
			return
		}
		again := reflect.New(of).Interface()
		g.Expect(json.Unmarshal(written(t, read), again)).To(Succeed())
		g.Expect(cmp.Diff(read, again, cmpopts.EquateEmpty(), cmpopts.EquateComparable(netip.Addr{}, netip.Prefix{}))).
			To(BeEmpty())
	})
}
